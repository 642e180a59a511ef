// Dumps of several formats, and which rank wrote them.
#include "flight/flight_dump.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace firstfault;

namespace {

std::string golden(const std::string& path) {
  const std::string whole = std::string(FIRSTFAULT_SOURCE_DIR) + "/tests/golden/" + path;
  std::ifstream file(whole, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), whole);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A literal that may hold NULs.
template <std::size_t size>
std::string bytes(const char (&literal)[size]) {
  return std::string(literal, size - 1);
}

FlightDump dump_of(std::string_view bytes, const std::string& path) {
  auto dump = read_flight_dump(bytes, path);
  REQUIRE_MESSAGE(dump.ok(), (dump ? "" : dump.error().message));
  return std::move(*dump);
}

FlightDump member_of(std::vector<std::vector<int>> groups, std::optional<int> named = std::nullopt) {
  FlightDump dump;
  for (std::size_t at = 0; at < groups.size(); ++at) dump.groups[std::to_string(at)].ranks = groups[at];
  dump.name_rank = named;
  return dump;
}

}  // namespace

TEST_CASE("a pickle in PyTorch's own opcodes is read whole") {
  const FlightDump dump = dump_of(golden("flight-operation/dumps/nccl_trace_rank_5"), "nccl_trace_rank_5");
  CHECK(dump.version == "2.4");
  CHECK(dump.name_rank == 5);
  CHECK(dump.groups.at("0").desc == "default_pg");
  CHECK(dump.groups.at("0").ranks == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(dump.status.at("0").enqueued == 9);
  CHECK(dump.status.at("0").completed == 8);
  REQUIRE(dump.entries.size() == 9);
  const FlightEntry& last = dump.entries.back();
  CHECK(last.op == "nccl:broadcast");
  CHECK(last.group == "0");
  CHECK(last.seq == 9);
  CHECK(last.record_id == 8);
  CHECK(last.op_id == 9);
  CHECK(last.state == FlightState::kStarted);
  CHECK(last.retired);
  CHECK_FALSE(last.done());
  CHECK(last.timeout_ms == 600000);
  CHECK(last.created_ns == 1733000000080000000);
  CHECK_FALSE(last.duration_ms);
  CHECK(dump.entries.front().duration_ms == 0.5);
  const FlightShape& shape = dump.shapes.at(static_cast<std::size_t>(last.shape));
  CHECK(shape.input_sizes == std::vector<std::vector<std::int64_t>>{{64}});
  CHECK(shape.output_dtypes == std::vector<std::string>{"Float"});
  const auto& stack = dump.stacks.at(static_cast<std::size_t>(last.stack));
  REQUIRE(stack.size() == 5);
  CHECK(stack[2].function == "save");
  CHECK(stack[2].file == "/home/user/train.py");
  CHECK(stack[2].line == 97);
}

TEST_CASE("the JSON form tells the same, with its counters as texts") {
  const FlightDump dump = dump_of(golden("flight-dump-missing/dumps/fr-dump-6.json"), "fr-dump-6.json");
  CHECK(dump.version == "2.10");
  CHECK(dump.name_rank == 6);
  CHECK(dump.status.at("0").enqueued == 8);
  REQUIRE(dump.entries.size() == 8);
  CHECK(dump.entries.back().seq == 8);
  CHECK(dump.entries.back().stack == -1);
  CHECK(dump.entries.back().state == FlightState::kStarted);
}

TEST_CASE("formats 1.x number the groups and the calls otherwise") {
  const FlightDump dump = dump_of(
      R"({"version": "1.4", "pg_config": {"0": [0, 1], "3": [0]}, "entries": [{"record_id": 4, "pg_id": 3, "seq_id": 17,
          "profiling_name": "nccl:all_reduce", "time_created_ns": 12, "input_sizes": [[3, 4]], "output_sizes": [[3, 4]],
          "state": "scheduled", "retired": false, "frames": []}]})",
      "1.json");
  CHECK(dump.groups.at("0").ranks == std::vector<int>{0, 1});
  CHECK(dump.entries.at(0).group == "3");
  CHECK(dump.entries.at(0).seq == 17);
  CHECK(dump.entries.at(0).state == FlightState::kScheduled);
  CHECK_FALSE(dump.entries.at(0).p2p);
}

TEST_CASE("sends and receives are told by their name where no field says it") {
  const FlightDump dump = dump_of(
      R"({"version": "1.4", "pg_config": {"0": [0, 1]}, "entries": [
          {"record_id": 0, "pg_id": 0, "seq_id": 1, "profiling_name": "nccl:send 1->0", "state": "scheduled"},
          {"record_id": 1, "pg_id": 0, "seq_id": 2, "profiling_name": "nccl:recv 1<-0", "state": "completed"},
          {"record_id": 2, "pg_id": 0, "seq_id": 3, "profiling_name": "nccl:sendrecv_reduce", "state": "completed"}]})",
      "x.json");
  CHECK(dump.entries.at(0).p2p);
  CHECK(dump.entries.at(1).p2p);
  CHECK_FALSE(dump.entries.at(2).p2p);
}

TEST_CASE("a call on the CPU is done once it is no longer watched") {
  FlightEntry entry;
  entry.op = "gloo:all_reduce";
  entry.state = FlightState::kScheduled;
  CHECK_FALSE(entry.done());
  entry.retired = true;
  CHECK(entry.done());
  entry.op = "nccl:all_reduce";
  CHECK_FALSE(entry.done());
}

TEST_CASE("every dump that is cut anywhere is refused and its file named") {
  const auto check = [](const char* path, std::size_t step) {
    const std::string whole = golden(path);
    for (std::size_t size = 0; size < whole.size(); size += step) {
      const auto dump = read_flight_dump(std::string_view(whole).substr(0, size), "some_dump");
      REQUIRE_MESSAGE(!dump.ok(), path, " cut at ", size);
      REQUIRE(dump.error().message.rfind("some_dump: ", 0) == 0);
    }
  };
  check("flight-operation/dumps/nccl_trace_rank_5", 1);
  check("flight-groups/dumps/c.pkl", 1);
  check("flight-dump-missing/dumps/fr-dump-6.json", 31);
}

TEST_CASE("a changed byte anywhere is read or refused, never more") {
  const std::string whole = golden("flight-groups/dumps/c.pkl");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\x00', '\xff', 'h', '('}) {
      std::string changed = whole;
      changed[at] = value;
      const auto dump = read_flight_dump(changed, "some_dump");
      if (!dump) CHECK(dump.error().message.rfind("some_dump: ", 0) == 0);
    }
  }
}

TEST_CASE("other data is refused") {
  const auto message = [](const char* text) {
    const auto dump = read_flight_dump(text, "x.json");
    return dump ? std::string() : dump.error().message;
  };
  CHECK(message(R"({"lr": 0.1})") ==
        "x.json: holds none of a flight recorder dump's entries, pg_config and pg_status; leave it out");
  CHECK(message("[1, 2]").find("holds none") != std::string::npos);
  CHECK(message("{\"entries\": [}").find("byte 14 of the JSON text") != std::string::npos);
  const std::string deep = "{\"entries\": " + std::string(100000, '[');
  CHECK(message(deep.c_str()).find("nested deeper") != std::string::npos);
}

TEST_CASE("one list of frames in very many places is not read without end") {
  // 3,000 entries that are one dictionary, whose sizes are one list of 20,000 lists that are one of 20,000
  // numbers
  std::string pickle = bytes(
      "\x80\x02}(X\x07\x00\x00\x00"
      "entries](}(X\x0b\x00\x00\x00input_sizes](](");
  pickle += std::string(40000, 'N');
  pickle += bytes("eq\x00");
  for (int i = 0; i < 20000; ++i) pickle += bytes("h\x00");
  pickle += bytes("euq\x01");
  for (int i = 0; i < 3000; ++i) pickle += bytes("h\x01");
  pickle += "eu.";
  const auto dump = read_flight_dump(pickle, "bomb");
  REQUIRE(!dump.ok());
  CHECK(dump.error().message ==
        "bomb: refers to itself so often that it is no flight recorder dump; leave it out");
}

TEST_CASE("a file's name tells the rank") {
  CHECK(rank_of_dump_name("/tmp/nccl_trace_rank_3") == 3);
  CHECK(rank_of_dump_name("trace_12") == 12);
  CHECK(rank_of_dump_name("dump-host-3.json") == 3);
  CHECK(rank_of_dump_name("7.pkl") == 7);
  CHECK(rank_of_dump_name("node4/rank2_nccl_trace.pkl") == 2);
  CHECK(rank_of_dump_name("Rank-11.1733000000.json") == 11);
  CHECK(rank_of_dump_name("fr_5.pickle") == 5);
  CHECK(rank_of_dump_name("job8/a.pkl") == std::nullopt);
  CHECK(rank_of_dump_name("trace_1733000000123") == std::nullopt);
}

TEST_CASE("groups tell the rank where the name does not") {
  FlightDump a = member_of({{0, 1, 2, 3}, {0, 1}, {0, 2}});
  FlightDump b = member_of({{0, 1, 2, 3}, {0, 1}, {1, 3}}, 99);
  FlightDump c = member_of({{0, 1, 2, 3}}, 3);
  FlightDump d = member_of({{0, 1, 2, 3}});
  settle_dump_ranks({&a, &b, &c, &d});
  CHECK(a.rank == 0);
  CHECK(b.rank == 1);  // the number in its name is none of the job's
  CHECK(c.rank == 3);
  CHECK(d.rank == 2);  // the only one left
}

TEST_CASE("two dumps that cannot be told apart keep no rank") {
  FlightDump a = member_of({{0, 1, 2}});
  FlightDump b = member_of({{0, 1, 2}});
  FlightDump c = member_of({{0, 1, 2}}, 2);
  settle_dump_ranks({&a, &b, &c});
  CHECK_FALSE(a.rank);
  CHECK_FALSE(b.rank);
  CHECK(c.rank == 2);
}

TEST_CASE("of two dumps of one rank the later one counts") {
  FlightDump early = member_of({{0, 1}}, 1);
  early.entries.emplace_back().created_ns = 5;
  FlightDump late = member_of({{0, 1}}, 1);
  late.entries.emplace_back().created_ns = 6;
  settle_dump_ranks({&late, &early});
  CHECK(late.rank == 1);
  CHECK_FALSE(early.rank);
}

TEST_CASE("a send names its writer") {
  FlightDump dump = member_of({{4, 6}});
  FlightEntry& entry = dump.entries.emplace_back();
  entry.group = "0";
  entry.p2p = true;
  entry.op = "nccl:recv 1<-0";
  settle_dump_ranks({&dump});
  CHECK(dump.rank == 6);
}

TEST_CASE("the default group is the world") {
  FlightDump dump = member_of({{2, 3}});
  dump.groups["0"].ranks.clear();
  dump.groups["9"].desc = "default_pg";
  dump.groups["9"].ranks = {0, 1, 2};
  CHECK(flight_world({&dump}) == std::vector<int>{0, 1, 2});
}
