// What log text may become inside a sentence and inside a command.
#include <doctest/doctest.h>

#include "diagnosis/diagnose.hpp"

namespace firstfault {

TEST_CASE("a sentence gets its values, and is not shown where one is missing") {
  const Captures bindings = {{"rank", "3"}, {"tried", "2.00 GiB"}};
  CHECK(bind_text("Rank {rank} asked for {tried}.", bindings) == "Rank 3 asked for 2.00 GiB.");
  CHECK(bind_text("Rank {rank} asked {host}.", bindings) == "");
  CHECK(bind_text("an open {brace", bindings) == "");
  CHECK(bind_text("a dict is {{}} or {{'a': {rank}}}", bindings) == "a dict is {} or {'a': 3}");
}

TEST_CASE("a value with braces is not bound again") {
  CHECK(bind_text("in {file}", {{"file", "{rank}{host}"}, {"rank", "3"}}) == "in {rank}{host}");
}

TEST_CASE("control characters of a value become spaces") {
  CHECK(bind_text("in {file}", {{"file", "a\x1b[31m\r\nb"}}) == "in a [31m  b");
}

TEST_CASE("plain values stand in a command as they are") {
  const Captures bindings = {{"file", "/data/run-1/part_00.csv"}, {"host", "node02.cluster:8080"}};
  CHECK(bind_command("ssh {host} wc -l {file}", bindings) ==
        "ssh node02.cluster:8080 wc -l /data/run-1/part_00.csv");
  CHECK(bind_command("ssh {host} \"wc -l '{file}'\"", bindings) ==
        "ssh node02.cluster:8080 \"wc -l '/data/run-1/part_00.csv'\"");
  CHECK(bind_command("awk '{{print $1}}' {file}", bindings) == "awk '{print $1}' /data/run-1/part_00.csv");
}

TEST_CASE("a log cannot add a command to the one that a user pastes") {
  const auto bound = [](const std::string& value) { return bind_command("cat {file}", {{"file", value}}); };
  CHECK(bound("a b") == "cat 'a b'");
  CHECK(bound("x;rm -rf ~") == "cat 'x;rm -rf ~'");
  CHECK(bound("$(reboot)") == "cat '$(reboot)'");
  CHECK(bound("`reboot`") == "cat '`reboot`'");
  CHECK(bound("x'; reboot; '") == "cat 'x'\\''; reboot; '\\'''");
  CHECK(bound("*") == "cat '*'");
  CHECK(bound("") == "");
}

TEST_CASE("a command is not shown where no quoting makes a value harmless") {
  const Captures option = {{"file", "--output=/etc/passwd"}};
  CHECK(bind_command("sort {file}", option) == "");
  CHECK(bind_command("sort {file}", {{"file", "a\nreboot"}}) == "");
  CHECK(bind_command("sort {file}", {{"file", std::string(301, 'a')}}) == "");
  const Captures spaced = {{"file", "a b"}};
  CHECK(bind_command("ssh host 'sort {file}'", spaced) == "");
  CHECK(bind_command("ssh host \"sort {file}\"", spaced) == "");
  CHECK(bind_command("echo `sort {file}`", spaced) == "");
  CHECK(bind_command("python3 - <<EOF\nopen({file})\nEOF", spaced) == "");
  CHECK(bind_command("echo \"it's\" {file}", spaced) == "echo \"it's\" 'a b'");
  CHECK(bind_command("echo it\\'s {file}", spaced) == "echo it\\'s 'a b'");
}

}  // namespace firstfault
