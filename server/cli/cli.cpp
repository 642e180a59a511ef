#include "cli/cli.hpp"

#include <array>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string_view>

#include "cli/commands.hpp"
#include "signature/nearest_word.hpp"

namespace firstfault {
namespace {

constexpr std::string_view kHelp = R"(Usage: firstfault COMMAND [OPTION]...

Finds the first fault of a failed training run: which rank failed first, why, what to change, and how to
check that it worked.

Commands:
  diagnose PATH...        diagnose the logs of a job; - is standard input
  explain ID|CODE|TEXT    say what a signature, an error code or a line of a log means
  signatures list         list what is recognized
  signatures check        check the signatures against their own examples
  lsp                     run the language server on standard input and output

Options:
  --version               show the version
  -h, --help              show this help; with a command, that command's help

Examples:
  firstfault diagnose train.log
  firstfault diagnose logs/ --workspace . --format json
  firstfault explain "Xid 79"

Exit status:
  0  no failure, or done
  1  a failure was found, a check failed, or nothing was found to explain
  2  bad usage or unreadable input
)";

int run_command(const std::vector<std::string>& arguments, const CommandSpec& spec, const CliStreams& streams,
                const std::function<int(const Arguments&, const CliStreams&)>& run) {
  const auto parsed = parse_arguments(arguments, spec);
  if (!parsed) return usage_error(streams, parsed.error().message);
  if (parsed->help) return write_out(streams, help_text(spec), kExitOk);
  return run(*parsed, streams);
}

std::string unknown(std::string_view kind, const std::string& word, std::span<const std::string_view> known) {
  const std::string near = nearest_word(word, known);
  return "unknown " + std::string(kind) + " " + word +
         (near.empty() ? "; see: firstfault --help" : "; did you mean " + near + "?");
}

int run_signatures(const std::vector<std::string>& arguments, const CliStreams& streams) {
  constexpr std::array<std::string_view, 2> kActions = {"list", "check"};
  if (arguments.empty()) return usage_error(streams, "signatures: say what to do with them, list or check");
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const std::string& action = arguments.front();
  if (action == "list") return run_command(rest, signatures_list_spec(), streams, run_signatures_list);
  if (action == "check") return run_command(rest, signatures_check_spec(), streams, run_signatures_check);
  if (action == "-h" || action == "--help") {
    return write_out(streams, help_text(signatures_list_spec()) + "\n" + help_text(signatures_check_spec()),
                     kExitOk);
  }
  if (!action.empty() && action.front() == '-')
    return usage_error(streams, "signatures: say list or check first, then options such as " + action);
  return usage_error(streams, unknown("signatures command", action, kActions));
}

int unknown_command(const std::string& word, const CliStreams& streams) {
  constexpr std::array<std::string_view, 4> kCommands = {"diagnose", "explain", "signatures", "lsp"};
  constexpr std::array<std::string_view, 2> kOptions = {"--help", "--version"};
  if (!word.empty() && word.front() == '-') return usage_error(streams, unknown("option", word, kOptions));
  std::error_code error;
  if (std::filesystem::exists(word, error)) {
    return usage_error(streams, "unknown command " + word + "; to diagnose it: firstfault diagnose " + word);
  }
  return usage_error(streams, unknown("command", word, kCommands));
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, const CliStreams& streams, const LspMain& lsp) {
  if (arguments.empty()) {
    streams.err << kHelp;
    return kExitUsage;
  }
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "-h" || command == "--help") return write_out(streams, std::string(kHelp), kExitOk);
  if (command == "--version") return write_out(streams, "firstfault " FIRSTFAULT_VERSION "\n", kExitOk);
  if (command == "diagnose") return run_command(rest, diagnose_spec(), streams, run_diagnose);
  if (command == "explain") return run_command(rest, explain_spec(), streams, run_explain);
  if (command == "signatures") return run_signatures(rest, streams);
  if (command == "lsp") {
    return run_command(rest, lsp_spec(), streams, [&lsp](const Arguments& parsed, const CliStreams& to) {
      return run_lsp(parsed, to, lsp);
    });
  }
  return unknown_command(command, streams);
}

}  // namespace firstfault
