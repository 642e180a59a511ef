// The edits that diagnoses of this session offer, made anew on the current text of the file they change.
// Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lsp/documents.hpp"
#include "lsp/protocol.hpp"
#include "lsp/summary.hpp"

namespace firstfault::lsp {

// One call in the source that an offer would change, as the text is now.
struct OfferedEdit {
  const Offer* offer = nullptr;
  std::string path;  // absolute
  std::string title;
  bool preferred = false;
  Range range;  // from where the call begins to the end of the change
  std::vector<TextEdit> changes;
};

class Offers {
 public:
  // Replaces the offers that an earlier diagnosis of the same source made. True: they are others than before.
  bool remember(const std::string& source, std::vector<Offer> offers);

  // For a file that offers change: what they would do to `text`. Each call is offered once.
  std::vector<OfferedEdit> on_file(const std::string& path, const std::string& text) const;
  // For lines (from 1) of a log: the edits of the incidents that these lines are evidence of. Files are read
  // as they are open in the editor, else from disk.
  std::vector<OfferedEdit> at_evidence(const std::string& log_path, std::uint64_t first, std::uint64_t last,
                                       Documents* documents) const;

 private:
  std::map<std::string, std::vector<Offer>> by_source_;
};

// The quick fix for a client. `diagnostics` are those of the request that it resolves.
Json code_action(const OfferedEdit& edit, const Document* open, const ClientCapabilities& client,
                 const Json& diagnostics);

}  // namespace firstfault::lsp
