// A flight recorder dump is a source like others, without lines.
#include <doctest/doctest.h>

#include "events/scanner.hpp"

using namespace firstfault;

namespace {

Scanner scanner() {
  auto loaded = Library::load(
      {{"taxonomy.json", R"({"causes": [{"id": "unknown", "layer": "unknown", "means": "m"}]})"}});
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
  return Scanner(std::make_shared<const PatternSet>(*loaded));
}

constexpr const char* kDump =
    R"({"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}}, "entries": []})";

}  // namespace

TEST_CASE("a dump is kept with its source, its rank and the size of its job") {
  Scanner scan = scanner();
  const auto log_file = open_memory("train.log", "step 1\n");
  const auto dump_file = open_memory("out/trace_2", kDump);
  SourceContext context;
  context.host = "node7";
  REQUIRE(scan.scan(*log_file, {}).ok());
  REQUIRE(scan.scan(*dump_file, context).ok());
  const EventLog log = scan.finish();
  REQUIRE(log.sources.size() == 2);
  CHECK(log.sources[1].lines == 0);
  CHECK(log.sources[1].bytes == std::string(kDump).size());
  REQUIRE(log.flights.size() == 1);
  CHECK(log.flights[0].source == 1);
  CHECK(log.flights[0].dump.rank == 2);
  CHECK(log.flights[0].dump.host == "node7");
  CHECK(log.world_size == 3);
  REQUIRE(log.ranks.count(2) == 1);
  CHECK(log.ranks.at(2).source == 1);
  CHECK(log.ranks.at(2).last_line == 0);
  CHECK(log.events.empty());
}

TEST_CASE("the folder tells the rank of a dump whose name does not") {
  Scanner scan = scanner();
  const auto file = open_memory("1/trace", kDump);
  SourceContext context;
  context.rank = 1;
  REQUIRE(scan.scan(*file, context).ok());
  CHECK(scan.finish().flights[0].dump.rank == 1);
}

TEST_CASE("a dump that cannot be read is an error that names the file") {
  Scanner scan = scanner();
  const std::string whole = kDump;
  const auto cut = open_memory("trace_2", whole.substr(0, whole.size() - 5));
  const auto result = scan.scan(*cut, {});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message.rfind("trace_2: byte ", 0) == 0);
  static constexpr char kHostile[] = "\x80\x02}X\x09\x00\x00\x00pg_configcos\nsystem\n";
  const auto hostile = open_memory("trace_3", std::string(kHostile, sizeof kHostile - 1));
  const auto refused = scan.scan(*hostile, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.rfind("trace_3: byte 17 of the pickle has the opcode GLOBAL", 0) == 0);
}

TEST_CASE("a dump beside the sources of the workspace is read as text") {
  Scanner scan = scanner();
  const auto file = open_memory("config.json", kDump);
  REQUIRE(scan.scan_workspace_file(*file).ok());
  const EventLog log = scan.finish();
  CHECK(log.flights.empty());
  CHECK(log.sources[0].lines == 1);
}
