#include <chrono>
#include <filesystem>

#include "lsp/progress.hpp"
#include "lsp/session.hpp"
#include "lsp/uri.hpp"

namespace firstfault::lsp {
namespace {

constexpr auto kDebounce = std::chrono::milliseconds(250);

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// The whole lines that a range touches; an end at the start of a line leaves that line out, as selections do.
std::pair<int, int> lines_of(const Range& range) {
  const int first = std::min(range.start.line, range.end.line);
  const int last = std::max(range.start.line, range.end.line);
  return {first, last > first && range.end.character == 0 ? last - 1 : last};
}

NamedText cut(const Document& document, const std::optional<Range>& range) {
  if (!range) return {document.name, document.text.text(), 1};
  auto [first, last] = lines_of(*range);
  first = std::min(first, static_cast<int>(document.text.line_count()));
  last = std::min(last, static_cast<int>(document.text.line_count()));  // a client may send 2^31 - 1
  const std::size_t start = document.text.line_start(first);
  const std::size_t end = document.text.line_start(last + 1);
  return {document.name, document.text.text().substr(start, end - start),
          static_cast<std::uint64_t>(first) + 1};
}

}  // namespace

bool Session::may_be_log(const Document& document) const {
  return document.kind == DocumentKind::kLog || document.kind == DocumentKind::kMaybeLog;
}

void Session::forget_analysis(Knowledge* knowledge) {
  if (knowledge->running_generation != 0) knowledge->running.cancel();
  knowledge->running_generation = 0;
  knowledge->debounce.reset();
}

// Analyses once the typing pauses.
void Session::schedule_analysis(const Document& document) {
  Knowledge& knowledge = knowledge_[document.uri];
  forget_analysis(&knowledge);
  knowledge.debounce = std::make_unique<boost::asio::steady_timer>(*loop_, kDebounce);
  knowledge.debounce->async_wait(
      [this, uri = document.uri, generation = document.generation](const boost::system::error_code& error) {
        const Document* now = error ? nullptr : documents_.find(uri);
        if (now != nullptr && now->generation == generation) start_analysis(*now);
      });
}

void Session::start_analysis(const Document& document) {
  Knowledge& knowledge = knowledge_[document.uri];
  forget_analysis(&knowledge);
  knowledge.running = CancellationToken();
  knowledge.running_generation = document.generation;
  AnalysisRequest request;
  request.texts.push_back(cut(document, std::nullopt));
  const std::string workspace = workspace_.folder_for(document.path);
  request.options = options_for(is_folder(workspace) ? workspace : "");
  request.options.cancel = knowledge.running;
  request.only_logs = document.kind == DocumentKind::kMaybeLog;
  queue_.submit(std::move(request),
                [this, uri = document.uri, generation = document.generation](AnalysisOutcome outcome) {
                  finish_analysis(uri, generation, std::move(outcome));
                });
}

void Session::finish_analysis(const std::string& uri, std::uint64_t generation, AnalysisOutcome outcome) {
  const Document* document = documents_.find(uri);
  if (document == nullptr || knowledge_[uri].running_generation != generation) return;  // superseded
  Knowledge& knowledge = knowledge_[uri];
  knowledge.running_generation = 0;
  if (!outcome.result) Connection::log(document->name + ": " + outcome.error.message);
  Summary summary = outcome.result ? std::move(outcome.result->summary) : Summary();
  const bool offers_changed = offers_.remember(uri, summary.offers);
  knowledge.summary = std::make_shared<const Summary>(std::move(summary));
  knowledge.generation = generation;
  publish(*document);
  answer_waiting(uri);
  if (offers_changed) show_everywhere();
}

AnalyzeOptions Session::options_for(const std::string& workspace) const {
  AnalyzeOptions options;
  options.workspace = workspace;
  for (const auto& [uri, document] : documents_.all()) {
    if (may_be_log(document)) continue;
    if (auto path = relative_to(workspace, document.path)) {
      options.open_files.emplace_back(std::move(*path), document.text.text());
    }
  }
  return options;
}

std::optional<RpcError> Session::choose_workspace(const DiagnoseParams& params,
                                                  AnalysisRequest* request) const {
  std::string folder = workspace_.folder_for(params.uri ? uri_to_path(*params.uri).value_or("") : "");
  if (params.workspace && !params.workspace->empty()) {
    folder = uri_to_path(*params.workspace).value_or(*params.workspace);
    if (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (!is_folder(folder)) {
      return RpcError{kInvalidParams, "params.arguments[0].workspace: " + *params.workspace +
                                          " is no folder; give the folder that holds the training code"};
    }
  }
  request->options = options_for(is_folder(folder) ? folder : "");
  return std::nullopt;
}

std::optional<RpcError> Session::fill_request(const DiagnoseParams& params, AnalysisRequest* request) const {
  if (auto error = choose_workspace(params, request)) return error;
  request->wants_answer = true;
  request->markdown = params.markdown;
  if (params.text) {
    request->texts.push_back({params.name.value_or("selection"), *params.text, 1});
    return std::nullopt;
  }
  const auto open = documents_.all().find(*params.uri);
  if (open != documents_.all().end()) {
    request->texts.push_back(cut(open->second, params.range));
    return std::nullopt;
  }
  const auto path = uri_to_path(*params.uri);
  if (!path) {
    return RpcError{kRequestFailed,
                    *params.uri + ": not open in the editor and no file; send its text instead"};
  }
  if (params.range) {
    return RpcError{kRequestFailed, *params.uri + ": not open in the editor; a range needs an open document"};
  }
  request->paths.push_back(*path);
  return std::nullopt;
}

void Session::execute_command(const ExecuteCommandParams& params, Call call) {
  AnalysisRequest request;
  if (auto error = fill_request(params.diagnose, &request)) return call.reply.fail(std::move(*error));
  request.options.cancel = call.cancel;
  if (!params.work_done_token.is_null()) {
    const std::string name = request.paths.empty() ? request.texts.front().path : request.paths.front();
    auto progress =
        WorkProgress::begin(connection_, params.work_done_token, "Diagnosing " + plain_line(base_name(name)));
    request.options.progress = progress->callback(loop_);
    call.reply.before_reply([progress] { progress->end(); });
  }
  const Document* open = params.diagnose.uri ? documents_.find(*params.diagnose.uri) : nullptr;
  const std::uint64_t generation = open != nullptr ? open->generation : 0;
  auto reply = std::make_shared<ReplyOnce>(std::move(call.reply));
  queue_.submit(std::move(request), [this, reply, generation, diagnose = params.diagnose,
                                     cancel = call.cancel](AnalysisOutcome outcome) {
    if (cancel.cancelled()) return reply->fail({kRequestCancelled, "the request was cancelled"});
    if (!outcome.result) return reply->fail(std::move(outcome.error));
    learn(diagnose, generation, std::move(outcome.result->summary));
    (*reply)(std::move(outcome.result->answer));
  });
}

// Takes what a command found into the documents' diagnostics and the edits on offer.
void Session::learn(const DiagnoseParams& params, std::uint64_t generation, Summary found) {
  const auto summary = std::make_shared<const Summary>(std::move(found));
  const std::string source = params.uri ? *params.uri : "text:" + params.name.value_or("selection");
  offers_.remember(params.range ? source + "#selection" : source, summary->offers);
  const Document* document = params.uri ? documents_.find(*params.uri) : nullptr;
  if (document == nullptr) {
    publish_closed_files(*summary);
  } else if (document->generation == generation) {
    Knowledge& knowledge = knowledge_[document->uri];
    if (params.range) {
      knowledge.selection = summary;
    } else {
      forget_analysis(&knowledge);
      knowledge.summary = summary;
      knowledge.generation = generation;
    }
    publish(*document);
    answer_waiting(document->uri);
  }
  show_everywhere();
}

}  // namespace firstfault::lsp
