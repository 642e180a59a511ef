#include "analysis/analyzer.hpp"

#include <algorithm>
#include <optional>

#include "analysis/workspace.hpp"
#include "attribution/incident.hpp"
#include "context/context_reader.hpp"
#include "text/line_decoder.hpp"
#include "text/source.hpp"

namespace firstfault {
namespace {

// A selection keeps the line numbers of the document it was cut from.
void shift_lines(int source, std::uint64_t by, EventLog* log) {
  if (by == 0) return;
  const auto shift = [by](std::uint64_t* line) {
    if (*line != 0) *line += by;
  };
  for (Event& event : log->events) {
    if (event.source != source) continue;
    shift(&event.line);
    shift(&event.end_line);
  }
  for (Record& record : log->records) {
    if (record.source != source) continue;
    shift(&record.first_line);
    shift(&record.last_line);
    shift(&record.exception_line);
  }
  for (ProcessExit& exit : log->exits) {
    if (exit.source == source) shift(&exit.line);
  }
  const auto shift_activity = [&](RankActivity* activity) {
    if (activity->source != source) return;
    shift(&activity->first_line);
    shift(&activity->last_line);
  };
  for (auto& [rank, activity] : log->ranks) shift_activity(&activity);
  for (auto& [key, activity] : log->local_ranks) shift_activity(&activity);
}

std::string_view last_parts(std::string_view path, int parts) {
  std::size_t at = path.size();
  for (; parts > 0 && at != 0 && at != std::string_view::npos; --parts) at = path.rfind('/', at - 1);
  return at == std::string_view::npos ? path : path.substr(at + 1);
}

// What a path says is read from the part that belongs to the job: the folder that the user gave and what lies
// below it. Of a file that she named herself the folders above may tell its rank (attempt_0/3/stderr.log),
// but not its host: they are as likely to be named after a project.
SourceContext context_of_file(std::string_view path, const std::vector<std::string>& given) {
  for (const std::string& root : given) {
    std::string_view folder = root;
    while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    if (path.size() <= folder.size() || path.substr(0, folder.size()) != folder || path[folder.size()] != '/')
      continue;
    const std::string_view name = last_parts(folder, 1);
    const bool named = name != "." && name != "..";
    return context_of_path(path.substr(folder.size() - (named ? name.size() : 0) + (named ? 0 : 1)));
  }
  constexpr int kRankParts = 3;  // attempt_0/3/stderr.log
  SourceContext context = context_of_path(last_parts(path, kRankParts));
  const SourceContext of_name = context_of_path(last_parts(path, 1));
  context.host = of_name.host;
  context.node = of_name.node;
  return context;
}

bool is_error_file(std::string_view path) {
  constexpr std::string_view kName = "error.json";
  return path.size() >= kName.size() && path.substr(path.size() - kName.size()) == kName;
}

// Cuts a text into lines as the scanner would, and hands out each one's body.
template <typename Visit>
void each_body(std::string_view text, Visit visit) {
  ContextReader reader(SourceContext{});
  reader.sniff(text);
  LineDecoder decoder([&](const Line& line) {
    const LineContext context = reader.read(line);
    visit(line.text.substr(std::min(context.body, line.text.size())));
  });
  decoder.feed(text);
  decoder.finish();
}

Result<Analysis> conclude(Scanner* scanner, const Library& library,
                          const std::vector<WorkspaceFile>& workspace,
                          const std::vector<std::uint64_t>& first_lines, const CancellationToken& cancel) {
  for (const WorkspaceFile& file : workspace) {
    if (cancel.cancelled()) return Error{"cancelled"};
    auto source = open_memory(file.path, file.text);
    (void)scanner->scan_workspace_file(*source, cancel);  // a file that is no text tells no facts
  }
  Analysis analysis;
  analysis.log = scanner->finish();
  for (std::size_t source = 0; source < first_lines.size(); ++source) {
    shift_lines(static_cast<int>(source), first_lines[source] - 1, &analysis.log);
  }
  if (cancel.cancelled()) return Error{"cancelled"};
  analysis.diagnosis = diagnose(analysis.log, attribute(analysis.log, library), library, workspace);
  return analysis;
}

}  // namespace

Analyzer::Analyzer(std::shared_ptr<const Library> library)
    : library_(std::move(library)), patterns_(std::async(std::launch::async, [library = library_] {
        return std::make_shared<const PatternSet>(library);
      })) {}

Result<Analysis> Analyzer::analyze_paths(const std::vector<std::string>& paths,
                                         const AnalyzeOptions& options) const {
  auto files = expand_paths(paths);
  if (!files) return files.error();
  // torchrun's error.json repeats what the rank's stderr says: the log itself is the better evidence, so it
  // comes first.
  std::stable_partition(files->begin(), files->end(),
                        [](const std::string& path) { return !is_error_file(path); });
  const auto workspace = read_workspace(options);
  if (!workspace) return workspace.error();
  Scanner scanner(patterns());
  std::optional<Error> left_out;
  std::size_t read = 0;
  for (const std::string& path : *files) {
    std::unique_ptr<Source> source;
    if (path == "-") {
      source = open_stdin();
    } else {
      auto opened = open_file(path);
      if (!opened) return opened.error();
      source = std::move(*opened);
    }
    const auto scanned =
        scanner.scan(*source, context_of_file(path, paths), options.cancel, options.progress);
    if (scanned) {
      ++read;
      continue;
    }
    // A file that the user named must be read. One that lies in her folder (a flight recorder dump that its
    // rank did not live to finish, say) costs the others nothing: it is listed with no lines.
    if (options.cancel.cancelled() || std::find(paths.begin(), paths.end(), path) != paths.end()) {
      return scanned.error();
    }
    left_out = scanned.error();
  }
  if (read == 0 && left_out) return *left_out;
  return conclude(&scanner, library(), *workspace, {}, options.cancel);
}

Result<Analysis> Analyzer::analyze_text(const std::vector<NamedText>& texts,
                                        const AnalyzeOptions& options) const {
  const auto workspace = read_workspace(options);
  if (!workspace) return workspace.error();
  Scanner scanner(patterns());
  std::vector<std::uint64_t> first_lines;
  for (const NamedText& text : texts) {
    auto source = open_memory(text.path, text.text);
    const auto scanned =
        scanner.scan(*source, context_of_file(text.path, {}), options.cancel, options.progress);
    if (!scanned) return scanned.error();
    first_lines.push_back(std::max<std::uint64_t>(text.first_line, 1));
  }
  return conclude(&scanner, library(), *workspace, first_lines, options.cancel);
}

const Signature* Analyzer::explain_line(std::string_view line) const {
  const Signature* found = nullptr;
  std::vector<PatternSet::LineMatch> matches;
  each_body(line, [&](std::string_view body) {
    if (found != nullptr) return;
    patterns()->match(body, MatchIn::kLog, &matches);
    for (const auto& match : matches) {
      if (!patterns()->record_holds(match.signature, body)) continue;
      const Signature& signature = library().signatures()[static_cast<std::size_t>(match.signature)];
      if (!signature.match.needs.empty()) continue;
      if (found == nullptr || (found->role == Role::kContext && signature.role != Role::kContext))
        found = &signature;
    }
  });
  return found;
}

bool Analyzer::looks_like_log(std::string_view head) const {
  bool found = false;
  std::vector<PatternSet::LineMatch> matches;
  each_body(head, [&](std::string_view body) {
    if (found) return;
    if (body.find("Traceback (most recent call last)") != std::string_view::npos) found = true;
    patterns()->match(body, MatchIn::kLog, &matches);
    for (const auto& match : matches) {
      if (library().signatures()[static_cast<std::size_t>(match.signature)].role != Role::kContext)
        found = true;
    }
  });
  return found;
}

}  // namespace firstfault
