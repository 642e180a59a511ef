#include <algorithm>
#include <map>
#include <set>

#include "cli/check_examples.hpp"
#include "cli/commands.hpp"
#include "cli/load_library.hpp"
#include "report/report.hpp"
#include "signature/check_regexes.hpp"
#include "signature/json_lines.hpp"

namespace firstfault {
namespace {

// What a check found so far.
struct Tally {
  std::string text;
  int passed = 0;
  int failed = 0;
};

class Check {
 public:
  Check(const std::vector<SignatureFile>& files, std::string folder) : folder_(std::move(folder)) {
    for (const SignatureFile& file : files) files_.emplace(file.path, &file);
  }

  // Counts the files that the loader refused; its messages begin with "path:line:".
  void add_load_error(const std::string& message) {
    tally_.text += escape_lines(message) + "\n";
    std::set<std::string> refused;
    for (std::size_t start = 0; start < message.size();) {
      const std::size_t end = std::min(message.find('\n', start), message.size());
      refused.insert(message.substr(start, std::min(message.find(':', start), end) - start));
      start = end + 1;
    }
    tally_.failed = static_cast<int>(refused.size());
    tally_.passed = std::max(0, static_cast<int>(files_.size()) - tally_.failed);
  }

  void add_files() {
    for (const auto& [path, file] : files_) {
      const auto repeated = duplicate_keys(file->text);
      for (const std::string& pointer : repeated)
        add_line(path, pointer, "the key stands twice and the first is lost; keep one");
      ++(repeated.empty() ? tally_.passed : tally_.failed);
    }
  }

  void add_examples(const Analyzer& analyzer) {
    for (const Signature& signature : analyzer.library().signatures()) {
      const ExampleReport report = check_examples(analyzer, signature);
      tally_.passed += report.passed;
      tally_.failed += static_cast<int>(report.problems.size());
      for (const ExampleProblem& problem : report.problems)
        add_line(signature.file, problem.pointer, problem.message);
    }
  }

  // A lint: slow patterns are told, not failed.
  void add_cost(const Library& library) {
    std::size_t patterns = 0;
    std::size_t slow = 0;
    for (const Signature& signature : library.signatures()) {
      patterns += signature.match.patterns.size();
      for (const std::string& pointer : patterns_without_literal(signature)) {
        ++slow;
        add_line(signature.file, pointer, "no literal of 4 bytes that every match holds: slow on every line");
      }
    }
    tally_.text += std::to_string(patterns) + " patterns, " + std::to_string(slow) +
                   " without a literal of at least 4 bytes\n";
  }

  void add_coverage(const Library& library) {
    struct Family {
      std::set<std::string> causes;
      std::set<std::string> covered;
      int signatures = 0;
    };
    std::map<std::string, Family> families;
    const auto family_of = [](const std::string& cause) {
      return cause.empty() ? "(facts)" : cause.substr(0, cause.find('/'));
    };
    for (const auto& [id, info] : library.causes()) families[family_of(id)].causes.insert(id);
    for (const Signature& signature : library.signatures()) {
      Family& family = families[family_of(signature.cause)];
      ++family.signatures;
      if (!signature.cause.empty()) family.covered.insert(signature.cause);
    }
    tally_.text += "\nfamily           signatures  causes covered\n";
    std::string missing;
    for (const auto& [name, family] : families) {
      tally_.text += column(name, 17) + column(std::to_string(family.signatures), 12) +
                     (family.causes.empty() ? "-"
                                            : std::to_string(family.covered.size()) + " of " +
                                                  std::to_string(family.causes.size())) +
                     "\n";
      for (const std::string& cause : family.causes) {
        if (family.covered.count(cause) == 0) missing += "  " + cause + "\n";
      }
    }
    if (!missing.empty()) tally_.text += "\nCauses without a signature:\n" + missing;
    tally_.text += "\n";
  }

  Tally take() { return std::move(tally_); }

 private:
  static std::string column(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
  }

  static std::string escape_lines(const std::string& text) {
    std::string result;
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      result += (start == 0 ? "" : "\n") + escape_terminal(text.substr(start, end - start));
      start = end + 1;
    }
    return result;
  }

  void add_line(const std::string& path, const std::string& pointer, const std::string& message) {
    const auto file = files_.find(path);
    const int line = file == files_.end() ? 1 : json_line(file->second->text, pointer);
    tally_.text += escape_terminal(folder_ + "/" + path) + ":" + std::to_string(line) + ": " +
                   escape_terminal(pointer + ": " + message) + "\n";
  }

  std::string folder_;
  std::map<std::string, const SignatureFile*> files_;
  Tally tally_;
};

}  // namespace

const CommandSpec& signatures_check_spec() {
  static const CommandSpec spec = {
      "signatures check",
      "firstfault signatures check [OPTION]...",
      "Checks every signature file against the schema and against its own examples.",
      "A positive example must be recognized as its own signature and no other may explain the line as well\n"
      "or better; a negative example must not be recognized. Ends with coverage by family and the counts.",
      {{"--cost", "",
        "also name patterns without a literal of at least 4 bytes: each of\nthem slows every scan"},
       signatures_option()},
      {"firstfault signatures check",
       "firstfault signatures check --signatures .firstfault/signatures --cost"},
      "  0  all passed\n  1  something failed\n  2  bad usage or unreadable folder"};
  return spec;
}

int run_signatures_check(const Arguments& arguments, const CliStreams& streams) {
  if (!arguments.operands.empty()) {
    return usage_error(streams, "signatures check takes no operand; name a folder with --signatures " +
                                    arguments.operands.front());
  }
  const std::string folder = arguments.get("--signatures");
  const auto files = signature_files(folder);
  if (!files) return usage_error(streams, files.error().message);
  LoadOptions options;
  options.folder = shown_folder(folder);
  const auto library = Library::load(*files, options);
  Check check(*files, options.folder);
  if (!library) {
    check.add_load_error(library.error().message);
  } else {
    check.add_files();
    check.add_examples(Analyzer(*library));
    if (arguments.has("--cost")) check.add_cost(**library);
    check.add_coverage(**library);
  }
  const Tally tally = check.take();
  const std::string counts =
      std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed\n";
  return write_out(streams, tally.text + counts, tally.failed == 0 ? kExitOk : kExitFound);
}

}  // namespace firstfault
