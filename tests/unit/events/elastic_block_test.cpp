#include "events/elastic_block.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace firstfault;

namespace {

std::vector<ProcessExit> read(const std::string& text) {
  std::vector<ProcessExit> exits;
  ElasticBlockReader reader;
  std::istringstream lines(text);
  std::string line;
  std::uint64_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    reader.add(line, number, number, {}, 0, &exits);
  }
  return exits;
}

}  // namespace

TEST_CASE("the table of failures yields an exit for each row, and knows the root cause row") {
  const auto exits = read(
      "============================================================\n"
      "train.py FAILED\n"
      "------------------------------------------------------------\n"
      "Failures:\n"
      "[1]:\n"
      "  time      : 2031-02-03_04:05:06\n"
      "  host      : node-a\n"
      "  rank      : 5 (local_rank: 1)\n"
      "  exitcode  : -9 (pid: 4242)\n"
      "  error_file: <N/A>\n"
      "  traceback : Signal 9 (SIGKILL) received by PID 4242\n"
      "------------------------------------------------------------\n"
      "Root Cause (first observed failure):\n"
      "[0]:\n"
      "  time      : 2031-02-03_04:05:06\n"
      "  host      : node-a\n"
      "  rank      : 4 (local_rank: 0)\n"
      "  exitcode  : 1 (pid: 4241)\n"
      "  error_file: <N/A>\n"
      "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html\n"
      "============================================================\n");
  REQUIRE(exits.size() == 2);
  CHECK(exits[0].rank == 5);
  CHECK(exits[0].local_rank == 1);
  CHECK(exits[0].host == "node-a");
  CHECK(exits[0].signal == 9);
  CHECK(exits[0].pid == 4242);
  CHECK(exits[0].line == 8);
  CHECK_FALSE(exits[0].launcher_root_cause);
  CHECK(exits[1].rank == 4);
  CHECK(exits[1].exit_code == 1);
  CHECK(exits[1].launcher_root_cause);
}

TEST_CASE("a table flattened to one line is read too") {
  const auto exits = read(
      "train.py FAILED ---- Failures: [1]: time : 2031-02-03_04:05:06 host : algo-2 rank : 3 (local_rank: 1) "
      "exitcode : "
      "-11 (pid: 99) error_file: <N/A> traceback : Signal 11 Root Cause (first observed failure): [0]: time "
      ": x host : "
      "algo-2 rank : 2 (local_rank: 0) exitcode : 1 (pid: 98) error_file: <N/A>\n");
  REQUIRE(exits.size() == 2);
  CHECK(exits[0].rank == 3);
  CHECK(exits[0].signal == 11);
  CHECK_FALSE(exits[0].launcher_root_cause);
  CHECK(exits[1].rank == 2);
  CHECK(exits[1].launcher_root_cause);
}

TEST_CASE("rank lines outside of a table are no exits") {
  CHECK(read("  rank      : 5 (local_rank: 1)\n  exitcode  : 1 (pid: 3)\n").empty());
}
