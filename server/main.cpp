// firstfault: the command line and the language server in one binary.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "cli/cli.hpp"
#include "cli/load_library.hpp"
#include "lsp/server.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const firstfault::CliStreams streams{std::cout, std::cerr, isatty(STDOUT_FILENO) == 1};
  const auto lsp = [](const std::string& signatures_folder) {
    auto library = firstfault::load_library(signatures_folder);
    if (!library) {
      std::cerr << "firstfault: " << library.error().message << "\n";
      return 2;
    }
    return firstfault::serve_stdio(std::make_shared<const firstfault::Analyzer>(*library));
  };
  return firstfault::run_cli(arguments, streams, lsp);
}
