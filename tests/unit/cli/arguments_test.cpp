#include "cli/arguments.hpp"

#include <doctest/doctest.h>

#include "cli/commands.hpp"

namespace firstfault {
namespace {

Arguments parsed(const std::vector<std::string>& arguments) {
  const auto result = parse_arguments(arguments, diagnose_spec());
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message));
  return *result;
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto result = parse_arguments(arguments, diagnose_spec());
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

}  // namespace

TEST_CASE("An option's value stands behind = or in the next argument") {
  CHECK(parsed({"--format=json", "a.log"}).get("--format") == "json");
  CHECK(parsed({"a.log", "--format", "json"}).get("--format") == "json");
  CHECK(parsed({"--workspace=a=b"}).get("--workspace") == "a=b");
  CHECK(parsed({"--format", "json", "--format", "html"}).get("--format") == "html");
  CHECK(parsed({"a.log"}).get("--format", "text") == "text");
}

TEST_CASE("Operands may stand anywhere, and -- makes the rest operands") {
  CHECK(parsed({"a", "--threads", "2", "-", "b"}).operands == std::vector<std::string>{"a", "-", "b"});
  const Arguments arguments = parsed({"a", "--", "--format", "--help"});
  CHECK(arguments.operands == std::vector<std::string>{"a", "--format", "--help"});
  CHECK_FALSE(arguments.help);
  CHECK_FALSE(arguments.has("--format"));
}

TEST_CASE("Unknown options and values are refused with the one that was probably meant") {
  CHECK(refusal({"--fromat", "json"}) == "unknown option --fromat; did you mean --format?");
  CHECK(refusal({"--fromat=json"}) == "unknown option --fromat; did you mean --format?");
  CHECK(refusal({"-z"}) == "unknown option -z; see: firstfault diagnose --help");
  CHECK(refusal({"--format", "jsn"}) == "--format: unknown value jsn; did you mean json?");
  CHECK(refusal({"--color=sometimes"}) ==
        "--color: unknown value sometimes; use one of: auto, always, never");
}

TEST_CASE("A missing value is refused") {
  const std::string message = "--workspace needs a value (DIR); see: firstfault diagnose --help";
  CHECK(refusal({"--workspace"}) == message);
  CHECK(refusal({"--workspace="}) == message);
  CHECK(refusal({"--workspace", "--format", "json"}) == message);
}

TEST_CASE("A flag takes no value") {
  const auto result = parse_arguments({"--cost=1"}, signatures_check_spec());
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message == "--cost takes no value; give it alone");
}

TEST_CASE("The help names every option, its default, examples and the exit status") {
  const std::string help = help_text(diagnose_spec());
  for (const OptionSpec& option : diagnose_spec().options) {
    CAPTURE(option.name);
    CHECK(help.find("\n  " + option.name + " " + option.value) != std::string::npos);
  }
  CHECK(help.rfind("Usage: firstfault diagnose [OPTION]... PATH...\n", 0) == 0);
  CHECK(help.find("text (default)") != std::string::npos);
  CHECK(help.find("\nExamples:\n  firstfault diagnose train.log\n") != std::string::npos);
  CHECK(help.find("\nExit status:\n  0  no failure in the input\n") != std::string::npos);
  CHECK(help_text(lsp_spec()).find("--stdio") == std::string::npos);
}

}  // namespace firstfault
