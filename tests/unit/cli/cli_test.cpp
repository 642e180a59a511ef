// The command line from outside: output, messages and exit status.
#include "cli/cli.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/explain_page.hpp"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

Ran run(const std::vector<std::string>& arguments, bool terminal = false) {
  std::ostringstream out;
  std::ostringstream err;
  Ran ran;
  ran.status = run_cli(arguments, {out, err, terminal}, [&out](const std::string& folder) {
    out << "lsp in <" << folder << ">";
    return 0;
  });
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Ran ran = run(arguments);
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  CHECK(ran.err == "firstfault: " + message + "\n");
}

// A folder with files, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "firstfault-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

constexpr const char* kSignature = R"({
  "id": "blown-fuse", "cause": "memory/cuda-oom", "title": "A fuse has blown", "role": "cause",
  "match": {"patterns": ["fuse (?P<number>\\d+) has blown"]},
  "explain": {"what": "Fuse {number} is gone."},
  "examples": {
    "positive": ["fuse 3 has blown", "the fuse 4 has blown, alas"],
    "negative": ["fuse 3 is fine", "fuses have blown"]
  }
})";

std::string last_line(const std::string& text) {
  const std::size_t start = text.find_last_of('\n', text.size() - 2);
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

TEST_CASE("Help and version go to standard output with status 0") {
  CHECK(run({"--help"}).status == 0);
  CHECK(run({"--help"}).out.rfind("Usage: firstfault COMMAND", 0) == 0);
  const std::string version = run({"--version"}).out;
  CHECK(version.rfind("firstfault ", 0) == 0);
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
  for (const std::string command : {"diagnose", "explain", "lsp"}) {
    CAPTURE(command);
    const Ran ran = run({command, "--help"});
    CHECK(ran.status == 0);
    CHECK(ran.out.rfind("Usage: firstfault " + command, 0) == 0);
    CHECK(ran.err == "");
  }
  CHECK(run({"signatures", "check", "-h"}).out.rfind("Usage: firstfault signatures check", 0) == 0);
}

TEST_CASE("Bad usage is one message on standard error and status 2") {
  CHECK(run({}).status == 2);
  CHECK(run({}).out == "");
  check_refused({"diagnos", "x"}, "unknown command diagnos; did you mean diagnose?");
  check_refused({"--versoin"}, "unknown option --versoin; did you mean --version?");
  check_refused({"diagnose"}, "diagnose: no input; give the log's path, its folder, or - for standard input");
  check_refused({"diagnose", "--fromat=json", "x"}, "unknown option --fromat; did you mean --format?");
  check_refused({"diagnose", "-", "-"}, "diagnose: standard input can be read only once; give one -");
  check_refused({"diagnose", "--threads", "0", "x"}, "--threads: 0 is no number from 1 to 1024");
  check_refused({"diagnose", "--threads=2x", "x"}, "--threads: 2x is no number from 1 to 1024");
  check_refused({"signatures"}, "signatures: say what to do with them, list or check");
  check_refused({"signatures", "lst"}, "unknown signatures command lst; did you mean list?");
  check_refused({"explain"}, "explain: say what; an id, an error code or a line of a log");
  check_refused({"lsp", "now"}, "lsp takes no operand, and now was given");
}

TEST_CASE("A log given without a command is told the command") {
  const Folder folder;
  const std::string log = folder.write("train.log", "x");
  check_refused({log}, "unknown command " + log + "; to diagnose it: firstfault diagnose " + log);
}

TEST_CASE("Control characters of an argument do not reach the terminal") {
  const Ran ran = run({"diagnose", "--\x1b[31mred"});
  CHECK(ran.status == 2);
  CHECK(ran.err.find('\x1b') == std::string::npos);
}

TEST_CASE("Unreadable input is named, with status 2 and no output") {
  const Folder folder;
  const std::string missing = folder.path() + "/none.log";
  const Ran ran = run({"diagnose", missing});
  CHECK(ran.status == 2);
  CHECK(ran.out == "");
  CHECK(ran.err.rfind("firstfault: " + missing + ": ", 0) == 0);
  check_refused({"diagnose", "--signatures", missing, missing},
                missing + ": no such folder; --signatures takes a folder of *.json files");
}

TEST_CASE("The exit status of a diagnosis says whether a failure was found") {
  const Folder signatures;
  signatures.write("blown-fuse.json", kSignature);
  const Folder logs;
  const std::string bad = logs.write("bad.log", "step 1\nfuse 7 has blown\n");
  const std::string good = logs.write("good.log", "step 1\nstep 2\n");
  const Ran failure = run({"diagnose", "--format=json", "--signatures", signatures.path(), bad});
  CHECK(failure.status == 1);
  const auto json = nlohmann::json::parse(failure.out);
  CHECK(json.at("incidents").at(0).at("cause").at("signature") == "blown-fuse");
  const Ran none = run({"diagnose", "--format=json", "--signatures", signatures.path(), good});
  CHECK(none.status == 0);
  CHECK(nlohmann::json::parse(none.out).at("incidents").empty());
}

TEST_CASE("The language server gets the signature folder, and a client library's own options are taken") {
  CHECK(run({"lsp"}).out == "lsp in <>");
  CHECK(run({"lsp", "--stdio", "--clientProcessId=12", "--signatures", "mine"}).out == "lsp in <mine>");
}

TEST_CASE("The list names id, cause, role, title and file") {
  const Folder folder;
  folder.write("blown-fuse.json", kSignature);
  const Ran ran = run({"signatures", "list", "--format", "json", "--signatures", folder.path()});
  CHECK(ran.status == 0);
  CHECK(nlohmann::json::parse(ran.out) == nlohmann::json::parse(R"([{"id": "blown-fuse", "role": "cause",
    "cause": "memory/cuda-oom", "title": "A fuse has blown", "file": "blown-fuse.json"}])"));
}

TEST_CASE("A folder whose signatures match their examples passes the check") {
  const Folder folder;
  folder.write("blown-fuse.json", kSignature);
  const Ran ran = run({"signatures", "check", "--cost", "--signatures", folder.path()});
  CHECK(ran.status == 0);
  // The signature's file, the built-in taxonomy and four examples.
  CHECK(last_line(ran.out) == "6 passed, 0 failed\n");
  CHECK(ran.out.find("1 patterns, 0 without a literal of at least 4 bytes\n") != std::string::npos);
}

TEST_CASE("Examples that fail are named with file and line") {
  const Folder folder;
  std::string text = kSignature;
  text.replace(text.find("fuse 3 is fine"), 14, "fuse 9 has blown");
  text.replace(text.find("fuse 3 has blown"), 16, "fuse three is out");
  folder.write("blown-fuse.json", text);
  const Ran ran = run({"signatures", "check", "--signatures", folder.path()});
  CHECK(ran.status == 1);
  const std::string start = folder.path() + "/blown-fuse.json:";
  CHECK(ran.out.find(start + "6: /examples/positive/0: is not recognized; ") != std::string::npos);
  CHECK(ran.out.find(start + "7: /examples/negative/0: is recognized in its line 1 and must not be; ") !=
        std::string::npos);
  CHECK(last_line(ran.out) == "4 passed, 2 failed\n");
}

TEST_CASE("A rival that explains an example as well is named") {
  const Folder folder;
  folder.write("blown-fuse.json", kSignature);
  std::string rival = kSignature;
  rival.replace(rival.find("blown-fuse"), 10, "dead-fuse");
  rival.replace(rival.find("fuse (?P<number>\\\\d+) has"), 25, "3 has");
  folder.write("dead-fuse.json", rival);
  const Ran ran = run({"signatures", "check", "--signatures", folder.path()});
  CHECK(ran.status == 1);
  CHECK(ran.out.find("blown-fuse.json:6: /examples/positive/0: is explained as well or better by dead-fuse "
                     "(specificity 50); ") != std::string::npos);
}

TEST_CASE("A file that breaks the schema fails the check with its line") {
  const Folder folder;
  std::string text = kSignature;
  text.replace(text.find("\"title\""), 7, "\"titel\"");
  folder.write("blown-fuse.json", text);
  const Ran ran = run({"signatures", "check", "--signatures", folder.path()});
  CHECK(ran.status == 1);
  CHECK(ran.out.find(folder.path() + "/blown-fuse.json:2: /titel: unknown key; did you mean \"title\"?\n") !=
        std::string::npos);
  CHECK(last_line(ran.out) == "1 passed, 1 failed\n");
}

TEST_CASE("Explain finds an id, a cause, a line of a log and words of a title") {
  const Folder folder;
  folder.write("blown-fuse.json", kSignature);
  for (const std::string asked :
       {"blown-fuse", "memory/cuda-oom", "[rank3]: fuse 12 has blown", "blown FUSE"}) {
    CAPTURE(asked);
    const Ran ran = run({"explain", "--signatures", folder.path(), asked});
    CHECK(ran.status == 0);
    CHECK(ran.out.rfind("A fuse has blown  (blown-fuse)\n", 0) == 0);
    CHECK(ran.out.find("\nWhat\n  Fuse <number> is gone.\n") != std::string::npos);
  }
  const Ran none = run({"explain", "--signatures", folder.path(), "blown-fuze"});
  CHECK(none.status == 1);
  CHECK(none.out == "");
  CHECK(none.err == "firstfault: nothing is known about \"blown-fuze\"; did you mean blown-fuse?\n");
}

TEST_CASE("Captures show as placeholders where there is no log") {
  CHECK(without_captures("rank {rank} of {world_size}") == "rank <rank> of <world_size>");
  CHECK(without_captures("a {{literal}} and {not a name}") == "a {literal} and {not a name}");
  CHECK(without_captures("{open") == "{open");
}

TEST_CASE("Color follows --color, then NO_COLOR, then the terminal") {
  std::ostringstream sink;
  const auto wants = [&sink](const std::string& when, bool terminal) {
    Arguments arguments;
    if (!when.empty()) arguments.options["--color"] = when;
    return wants_color(arguments, {sink, sink, terminal});
  };
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  CHECK(wants("", true));
  CHECK_FALSE(wants("", false));
  CHECK(wants("always", false));
  CHECK_FALSE(wants("never", true));
  ::setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(wants("auto", true));
  CHECK(wants("always", true));
  ::unsetenv("NO_COLOR");
}

}  // namespace firstfault
