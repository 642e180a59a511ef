// The language server, LSP 3.17 on standard input and output. Opens no socket and no file but those it is
// asked about.
#pragma once

#include <memory>

#include "analysis/analyzer.hpp"

namespace firstfault {

// Serves until `exit` or the end of input. Returns the process's exit status: 0 after shutdown, 1 otherwise.
int serve_stdio(std::shared_ptr<const Analyzer> analyzer);

}  // namespace firstfault
