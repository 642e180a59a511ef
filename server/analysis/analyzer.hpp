// The one entry point of the engine: sources in, diagnosis out. cli/ and lsp/ call nothing deeper.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "base/result.hpp"
#include "diagnosis/diagnosis.hpp"
#include "events/scanner.hpp"
#include "signature/library.hpp"

namespace firstfault {

struct AnalyzeOptions {
  std::string workspace;  // folder whose source files edits may touch; "" for none
  // Files of the workspace that an editor holds open and may have changed: they replace those on disk.
  std::vector<std::pair<std::string, std::string>> open_files;  // path relative to the workspace, text
  CancellationToken cancel;
  ProgressCallback progress;
};

// Text that is diagnosed without a file: an editor document, a selection, a terminal's output.
struct NamedText {
  std::string path;  // what evidence cites
  std::string text;
  std::uint64_t first_line = 1;  // 1-based number of its first line in the document it was cut from
};

struct Analysis {
  Diagnosis diagnosis;
  EventLog log;  // every recognised line, for hovers and lenses
};

// What a recognised line means, for a hover.
struct LineExplanation {
  const Signature* signature = nullptr;
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
};

// Thread-safe: one Analyzer may serve several calls at once. Patterns are compiled in the background from
// construction on; the first call that needs them waits for them.
class Analyzer {
 public:
  explicit Analyzer(std::shared_ptr<const Library> library);

  const Library& library() const { return *library_; }

  // Files, folders and "-" are sources of one job. Errors name the input and say what to do. A cancelled call
  // is the error "cancelled".
  Result<Analysis> analyze_paths(const std::vector<std::string>& paths, const AnalyzeOptions& options) const;
  Result<Analysis> analyze_text(const std::vector<NamedText>& texts, const AnalyzeOptions& options) const;

  // The most specific signature that a single line (prefixes and all) matches, nullptr if none does.
  const Signature* explain_line(std::string_view line) const;
  // Whether a text without a language id looks like a training log with something to say: any recognised
  // event that is no mere context.
  bool looks_like_log(std::string_view head) const;

 private:
  const std::shared_ptr<const PatternSet>& patterns() const { return patterns_.get(); }

  std::shared_ptr<const Library> library_;
  std::shared_future<std::shared_ptr<const PatternSet>> patterns_;
};

}  // namespace firstfault
