#include <algorithm>
#include <cctype>
#include <set>

#include "analysis/analyzer.hpp"
#include "cli/commands.hpp"
#include "cli/explain_page.hpp"
#include "cli/load_library.hpp"
#include "report/report.hpp"
#include "signature/nearest_word.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxCandidates = 10;

using Words = std::set<std::string, std::less<>>;

Words words_of(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.insert(std::move(word));
  return words;
}

// How well a signature fits words that were asked for: 0 unless each stands in its id, title, cause or first
// sentence; words of the title and id count more.
int fit(const Signature& signature, const Words& asked) {
  const Words title = words_of(signature.id + " " + signature.title);
  const Words rest = words_of(signature.cause + " " + signature.explain.what);
  int score = 0;
  for (const std::string& word : asked) {
    if (title.count(word) != 0) {
      score += 3;
    } else if (rest.count(word) != 0) {
      score += 1;
    } else {
      return 0;
    }
  }
  return score * 2 + (signature.role == Role::kContext ? 0 : 1);
}

std::vector<const Signature*> search_words(const Library& library, const std::string& asked) {
  const Words words = words_of(asked);
  std::vector<std::pair<int, const Signature*>> scored;
  for (const Signature& signature : library.signatures()) {
    const int score = words.empty() ? 0 : fit(signature, words);
    if (score > 0) scored.emplace_back(score, &signature);
  }
  std::stable_sort(scored.begin(), scored.end(), [](auto& a, auto& b) { return a.first > b.first; });
  std::vector<const Signature*> found;
  for (const auto& [score, signature] : scored) {
    // Only the best kind of fit: all words in the title beat some word in the explanation.
    if (score >= scored.front().first - 1 && found.size() < kMaxCandidates) found.push_back(signature);
  }
  return found;
}

std::vector<const Signature*> find_signatures(const Library& library, const std::string& asked) {
  if (const Signature* exact = library.find(asked)) return {exact};
  std::vector<const Signature*> found;
  for (const Signature& signature : library.signatures()) {
    if (!asked.empty() && signature.cause == asked) found.push_back(&signature);
  }
  return found;
}

// Signatures with conditions on the whole input are beyond explain_line; here the text is the whole input.
const Signature* diagnose_text(const Analyzer& analyzer, const std::string& asked) {
  const auto analysis = analyzer.analyze_text({{"text", asked, 1}}, {});
  if (!analysis) return nullptr;
  for (const IncidentReport& incident : analysis->diagnosis.incidents) {
    if (incident.primary) return analyzer.library().find(incident.cause.signature);
  }
  return nullptr;
}

std::string pages(const std::vector<const Signature*>& signatures, const Library& library, bool color) {
  std::string text;
  for (const Signature* signature : signatures) {
    if (!text.empty()) text += "\n" + std::string(72, '-') + "\n\n";
    text += explain_page(*signature, library, color);
  }
  return text;
}

std::string candidates(const std::vector<const Signature*>& signatures) {
  std::string text = "Several signatures fit; firstfault explain ID shows one:\n";
  for (const Signature* signature : signatures)
    text += "  " + signature->id + "  " + escape_terminal(signature->title) + "\n";
  return text;
}

int not_found(const Library& library, const std::string& asked, const CliStreams& streams) {
  std::vector<std::string_view> ids;
  for (const Signature& signature : library.signatures()) ids.push_back(signature.id);
  const std::string near = nearest_word(asked, ids);
  usage_error(streams,
              "nothing is known about \"" + asked + "\"; " +
                  (near.empty() ? "give a signature's id (firstfault signatures list), an error code "
                                  "with its family (\"Xid 79\"), or a whole line of the log"
                                : "did you mean " + near + "?"));
  return kExitFound;
}

}  // namespace

const CommandSpec& explain_spec() {
  static const CommandSpec spec = {
      "explain",
      "firstfault explain [OPTION]... ID|CODE|TEXT",
      "Says what a failure is, how it comes about, what to change and how to check it.",
      "Looks for a signature's id, then for a cause's id, then reads the text as a line of a log, then "
      "looks\n"
      "for its words in the titles.",
      {signatures_option(), color_option()},
      {"firstfault explain memory/cuda-oom", "firstfault explain \"Xid 79\"",
       "firstfault explain \"RuntimeError: CUDA error: device-side assert triggered\""},
      "  0  explained\n  1  nothing was found\n  2  bad usage or unreadable signatures"};
  return spec;
}

int run_explain(const Arguments& arguments, const CliStreams& streams) {
  std::string asked;
  for (const std::string& operand : arguments.operands) asked += (asked.empty() ? "" : " ") + operand;
  if (asked.empty())
    return usage_error(streams, "explain: say what; an id, an error code or a line of a log");
  const auto loaded = load_library(arguments.get("--signatures"));
  if (!loaded) return usage_error(streams, loaded.error().message);
  const Library& library = **loaded;
  const bool color = wants_color(arguments, streams);
  const auto exact = find_signatures(library, asked);
  if (!exact.empty()) return write_out(streams, pages(exact, library, color), kExitOk);

  const Analyzer analyzer(*loaded);
  const Signature* line = analyzer.explain_line(asked);
  if (line == nullptr || line->role == Role::kContext) {
    const Signature* diagnosed = diagnose_text(analyzer, asked);
    if (diagnosed != nullptr) line = diagnosed;
  }
  if (line != nullptr && line->role != Role::kContext)
    return write_out(streams, explain_page(*line, library, color), kExitOk);
  const auto found = search_words(library, asked);
  if (found.size() == 1) return write_out(streams, pages(found, library, color), kExitOk);
  if (!found.empty()) return write_out(streams, candidates(found), kExitOk);
  if (line != nullptr) return write_out(streams, explain_page(*line, library, color), kExitOk);
  return not_found(library, asked, streams);
}

}  // namespace firstfault
