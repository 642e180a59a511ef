// Findings as LSP diagnostics.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lsp/offers.hpp"
#include "lsp/protocol.hpp"
#include "lsp/summary.hpp"

namespace firstfault::lsp {

// Where a finding's path leads in the editor: known documents first, else files by their absolute path. ""
// for a name that is no file.
using UriOf = std::map<std::string, std::string>;
std::string uri_of(const UriOf& known, const std::string& path);

// `text` gives the lines their lengths; nullptr where the file is not open.
Json log_diagnostics(const std::vector<Finding>& findings, const TextBuffer* text, const UriOf& uris,
                     const ClientCapabilities& client);

// Diagnostics in a source file, at the calls that an edit would change.
Json source_diagnostics(const std::vector<OfferedEdit>& edits, const UriOf& uris,
                        const ClientCapabilities& client);

// `findings` and those of `more` at lines where it has none.
std::vector<Finding> merge_findings(std::vector<Finding> findings, const std::vector<Finding>& more);

}  // namespace firstfault::lsp
