// Lines in, events out: runs the signatures over lines and records.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/cancellation.hpp"
#include "base/result.hpp"
#include "events/event.hpp"
#include "signature/library.hpp"
#include "text/source.hpp"

namespace firstfault {

// The compiled patterns of a library: build once, share between scans and threads.
class PatternSet {
 public:
  explicit PatternSet(std::shared_ptr<const Library> library);
  ~PatternSet();
  PatternSet(const PatternSet&) = delete;
  PatternSet& operator=(const PatternSet&) = delete;

  const Library& library() const;

  // A match of one line (its body, without prefixes). `record` conditions and `needs` are not judged here.
  struct LineMatch {
    int signature = -1;
    Captures captures;
  };
  // All signatures that match, most specific first.
  void match(std::string_view body, MatchIn in, std::vector<LineMatch>* out) const;
  // Whether the record conditions of a signature hold.
  bool record_holds(int signature, std::string_view record_text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

// Scans sources one after another into one EventLog. Appending a chunk costs the chunk. Not thread-safe.
class Scanner {
 public:
  explicit Scanner(std::shared_ptr<const PatternSet> patterns);
  ~Scanner();

  // Reads a whole source. Errors name it; what was read before stays. `context`: what its path says of its
  // lines.
  Result<bool> scan(Source& source, const SourceContext& context, const CancellationToken& cancel = {},
                    const ProgressCallback& progress = {});
  // A file of the workspace: only patterns with "in": "source" apply.
  Result<bool> scan_workspace_file(Source& source, const CancellationToken& cancel = {});
  // The log so far, records closed and `needs` judged. The scanner is then done.
  EventLog finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firstfault
