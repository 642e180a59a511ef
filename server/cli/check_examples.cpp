#include "cli/check_examples.hpp"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

namespace firstfault {
namespace {

// The analyzer reads source files only below an existing workspace; an empty one keeps other files out.
class EmptyWorkspace {
 public:
  EmptyWorkspace() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "firstfault-check-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~EmptyWorkspace() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  EmptyWorkspace(const EmptyWorkspace&) = delete;
  EmptyWorkspace& operator=(const EmptyWorkspace&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<Analysis> analyze(const Analyzer& analyzer, const Signature& signature, const Example& example) {
  AnalyzeOptions options;
  std::vector<NamedText> texts;
  if (signature.match.in == MatchIn::kSource) {
    options.open_files.emplace_back("example.py", example.text);
  } else {
    texts.push_back({"example.log", example.text, 1});
  }
  if (!example.source.empty()) options.open_files.emplace_back("source.py", example.source);
  if (options.open_files.empty()) return analyzer.analyze_text(texts, options);
  const EmptyWorkspace workspace;
  if (workspace.path().empty())
    return Error{"needs a folder for temporary files; set TMPDIR to a writable one"};
  options.workspace = workspace.path();
  return analyzer.analyze_text(texts, options);
}

const Signature& signature_at(const Library& library, int index) {
  return library.signatures()[static_cast<std::size_t>(index)];
}

const Signature& signature_of(const Library& library, const Event& event) {
  return signature_at(library, event.signature);
}

// The signature that explains the line of `own` as well or better, nullptr if none does.
const Signature* rival(const Library& library, const EventLog& log, const Event& own) {
  const Signature& signature = signature_of(library, own);
  if (signature.role == Role::kContext) return nullptr;  // facts share lines with anything
  for (const Event& event : log.events) {
    if (event.source != own.source || event.line != own.line || event.signature == own.signature) continue;
    const Signature& other = signature_of(library, event);
    if (other.role != Role::kContext && other.specificity >= signature.specificity) return &other;
  }
  return nullptr;
}

std::string check_positive(const Library& library, const EventLog& log, int index) {
  const Signature* other = nullptr;
  bool recognized = false;
  for (const Event& event : log.events) {
    if (event.signature != index) continue;
    recognized = true;
    other = rival(library, log, event);
    if (other == nullptr) return "";
  }
  if (recognized) {
    return "is explained as well or better by " + other->id + " (specificity " +
           std::to_string(other->specificity) + "); set the specificities apart or narrow a pattern";
  }
  std::string seen;
  for (const Event& event : log.events) {
    const std::string& id = signature_of(library, event).id;
    if (seen.find(id) == std::string::npos) seen += (seen.empty() ? "" : ", ") + id;
  }
  const bool needs_others = !signature_at(library, index).match.needs.empty();
  return "is not recognized" + (seen.empty() ? "" : " (but as " + seen + ")") +
         (needs_others ? "; the example must itself show what the signature's \"needs\" asks for"
                       : "; correct a pattern, its conditions (unless, record) or the example");
}

std::string check_negative(const EventLog& log, int index) {
  for (const Event& event : log.events) {
    if (event.signature != index) continue;
    return "is recognized in its line " + std::to_string(event.line) +
           " and must not be; narrow the pattern or add an \"unless\"";
  }
  return "";
}

}  // namespace

ExampleReport check_examples(const Analyzer& analyzer, const Signature& signature) {
  ExampleReport report;
  const Library& library = analyzer.library();
  const int index = library.index_of(signature.id);
  const auto check = [&](const std::vector<Example>& examples, bool positive) {
    for (std::size_t at = 0; at < examples.size(); ++at) {
      const auto analysis = analyze(analyzer, signature, examples[at]);
      const std::string message = !analysis  ? analysis.error().message
                                  : positive ? check_positive(library, analysis->log, index)
                                             : check_negative(analysis->log, index);
      if (message.empty()) {
        ++report.passed;
        continue;
      }
      report.problems.push_back(
          {(positive ? "/examples/positive/" : "/examples/negative/") + std::to_string(at), message});
    }
  };
  check(signature.positive, true);
  check(signature.negative, false);
  return report;
}

}  // namespace firstfault
