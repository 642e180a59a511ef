#include "cli/commands.hpp"

namespace firstfault {

const CommandSpec& lsp_spec() {
  static const CommandSpec spec = {
      "lsp",
      "firstfault lsp [OPTION]...",
      "Runs the language server (LSP 3.17) on standard input and output.",
      "Editors start it; it opens no socket.",
      {signatures_option(),
       // What client libraries append by themselves; standard input and output is the only way here.
       {"--stdio", "", "", {}, true},
       {"--clientProcessId", "PID", "", {}, true}},
      {"firstfault lsp", "firstfault lsp --signatures .firstfault/signatures"},
      "  0  shut down as asked\n  1  the client left without asking for shutdown\n"
      "  2  bad usage or unreadable signatures"};
  return spec;
}

int run_lsp(const Arguments& arguments, const CliStreams& streams, const LspMain& lsp) {
  if (!arguments.operands.empty())
    return usage_error(streams, "lsp takes no operand, and " + arguments.operands.front() + " was given");
  return lsp(arguments.get("--signatures"));
}

}  // namespace firstfault
