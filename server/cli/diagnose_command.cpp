#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "analysis/analyzer.hpp"
#include "cli/commands.hpp"
#include "cli/load_library.hpp"
#include "report/report.hpp"

namespace firstfault {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kMinWidth = 40;
constexpr int kMaxThreads = 1024;

bool is_thread_count(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= kMaxThreads;
}

int report_width(const CliStreams& streams) {
  winsize size{};
  if (!streams.out_is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kDefaultWidth;
  return std::clamp(static_cast<int>(size.ws_col), kMinWidth, kDefaultWidth);
}

}  // namespace

const CommandSpec& diagnose_spec() {
  static const CommandSpec spec = {
      "diagnose",
      "firstfault diagnose [OPTION]... PATH...",
      "Says which rank failed first, why, what to change and how to check that it worked.",
      "All files and folders given are sources of one job (the logs of its ranks); - is standard input.\n"
      "Folders are searched for logs; a rank in a path (rank_3.log, attempt_0/3/stderr.log) is understood.",
      {{"--format",
        "FORMAT",
        "text (default), json, markdown, html or sarif",
        {"text", "json", "markdown", "html", "sarif"}},
       {"--workspace", "DIR", "the training code: facts are read from it, and edits are made for\nits files"},
       {"--threads", "N", "use at most N threads"},
       signatures_option(),
       color_option()},
      {"firstfault diagnose train.log",
       "firstfault diagnose logs/ --workspace . --format markdown > report.md",
       "srun python train.py 2>&1 | tee train.log; firstfault diagnose train.log",
       "kubectl logs job/train | firstfault diagnose -"},
      "  0  no failure in the input\n  1  a failure was found\n  2  bad usage or unreadable input"};
  return spec;
}

int run_diagnose(const Arguments& arguments, const CliStreams& streams) {
  if (arguments.operands.empty()) {
    return usage_error(streams,
                       "diagnose: no input; give the log's path, its folder, or - for standard input");
  }
  if (std::count(arguments.operands.begin(), arguments.operands.end(), "-") > 1)
    return usage_error(streams, "diagnose: standard input can be read only once; give one -");
  if (arguments.has("--threads") && !is_thread_count(arguments.get("--threads")))
    return usage_error(streams, "--threads: " + arguments.get("--threads") + " is no number from 1 to 1024");
  const auto library = load_library(arguments.get("--signatures"));
  if (!library) return usage_error(streams, library.error().message);
  AnalyzeOptions options;
  options.workspace = arguments.get("--workspace");
  const auto analysis = Analyzer(*library).analyze_paths(arguments.operands, options);
  if (!analysis) return usage_error(streams, analysis.error().message);
  RenderOptions render_options;
  render_options.color = wants_color(arguments, streams);
  render_options.width = report_width(streams);
  const Format format = *format_of(arguments.get("--format", "text"));
  return write_out(streams, render(analysis->diagnosis, format, render_options),
                   analysis->diagnosis.incidents.empty() ? kExitOk : kExitFound);
}

}  // namespace firstfault
