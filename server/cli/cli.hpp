// The command line. Exit status: 0 no failure (or done), 1 failure found, 2 bad usage or unreadable input.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace firstfault {

struct CliStreams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
};

// Starts the language server on standard input and output and returns its exit status. Handed in, so that cli
// does not depend on lsp. The argument is the --signatures folder, "" for the embedded ones.
using LspMain = std::function<int(const std::string& signatures_folder)>;

int run_cli(const std::vector<std::string>& arguments, const CliStreams& streams, const LspMain& lsp);

}  // namespace firstfault
