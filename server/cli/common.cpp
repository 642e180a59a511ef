#include <cerrno>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include "cli/commands.hpp"
#include "report/report.hpp"

namespace firstfault {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

int usage_error(const CliStreams& streams, const std::string& message) {
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = message.find('\n', start);
    // Arguments and file names may hold anything.
    streams.err << "firstfault: "
                << escape_terminal(message.substr(start, end == std::string::npos ? end : end - start))
                << "\n";
  }
  return kExitUsage;
}

OptionSpec signatures_option() {
  return {"--signatures", "DIR", "use the signatures in DIR instead of the built-in ones"};
}

OptionSpec color_option() {
  return {"--color",
          "WHEN",
          "auto (default: on a terminal, unless NO_COLOR is set),\nalways or never",
          {"auto", "always", "never"}};
}

bool wants_color(const Arguments& arguments, const CliStreams& streams) {
  const std::string when = arguments.get("--color", "auto");
  if (when != "auto") return when == "always";
  return streams.out_is_terminal && !is_set("NO_COLOR") && !is_dumb_terminal();
}

int write_out(const CliStreams& streams, const std::string& text, int status) {
  errno = 0;
  streams.out << text << std::flush;
  if (streams.out) return status;
  if (errno == EPIPE) return status;  // the reader (head, less) had enough
  return usage_error(streams, "standard output: the report could not be written; check the disk it goes to");
}

}  // namespace firstfault
