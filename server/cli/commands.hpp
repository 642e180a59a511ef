// The subcommands. Each returns the exit status; messages go to `err`, and on status 2 nothing was written to
// `out`.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/cli.hpp"

namespace firstfault {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFound = 1;  // a failure was found; a check failed; nothing to explain
inline constexpr int kExitUsage = 2;  // bad usage or unreadable input

const CommandSpec& diagnose_spec();
int run_diagnose(const Arguments& arguments, const CliStreams& streams);

const CommandSpec& explain_spec();
int run_explain(const Arguments& arguments, const CliStreams& streams);

const CommandSpec& signatures_list_spec();
int run_signatures_list(const Arguments& arguments, const CliStreams& streams);

const CommandSpec& signatures_check_spec();
int run_signatures_check(const Arguments& arguments, const CliStreams& streams);

const CommandSpec& lsp_spec();
int run_lsp(const Arguments& arguments, const CliStreams& streams, const LspMain& lsp);

// Writes "firstfault: MESSAGE" to `err` (several lines: each of them) and returns kExitUsage.
int usage_error(const CliStreams& streams, const std::string& message);

// Shared by several subcommands.
OptionSpec signatures_option();
OptionSpec color_option();
// Whether to color what goes to `out`: --color, else NO_COLOR, else whether it is a terminal.
bool wants_color(const Arguments& arguments, const CliStreams& streams);
// Writes the whole text and returns `status`, or kExitUsage with a message where it could not be written.
int write_out(const CliStreams& streams, const std::string& text, int status);

}  // namespace firstfault
