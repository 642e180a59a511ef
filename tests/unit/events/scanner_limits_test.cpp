// Memory is bounded by kinds and ranks, whatever a log holds.
#include <doctest/doctest.h>

#include "events/elastic_block.hpp"
#include "events/event_store.hpp"
#include "events/scanner.hpp"

namespace firstfault {
namespace {

std::shared_ptr<const Library> one_signature() {
  const auto loaded = Library::load(
      {{"taxonomy.json",
        R"({"causes": [{"id": "memory/cuda-oom", "layer": "software", "means": "no device memory is left"}]})"},
       {"memory/oom.json", R"({
         "id": "oom", "cause": "memory/cuda-oom", "title": "Out of memory", "role": "cause",
         "match": {"patterns": ["CUDA out of memory"]},
         "examples": {"positive": ["CUDA out of memory.", "x CUDA out of memory"], "negative": ["a", "b"]}})"}});
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
  return *loaded;
}

EventLog scan(std::string text) {
  Scanner scanner(std::make_shared<const PatternSet>(one_signature()));
  const auto source = open_memory("train.log", std::move(text));
  REQUIRE(scanner.scan(*source, {}).ok());
  return scanner.finish();
}

std::string traceback(const std::string& exception) {
  return "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n" + exception + "\n";
}

}  // namespace

TEST_CASE("of endless equal tracebacks the first and the last ones are kept, and those that hold an event") {
  constexpr int kCount = 10000;
  std::string text;
  for (int number = 0; number < kCount; ++number) {
    const bool memory = number == kCount / 2;
    text += traceback(memory ? "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
                             : "ValueError: bad row " + std::to_string(number));
  }
  const EventLog log = scan(std::move(text));
  CHECK(log.records.size() < 5000);
  CHECK(log.records.front().message == "bad row 0");
  CHECK(log.records.back().message == "bad row " + std::to_string(kCount - 1));
  REQUIRE(log.events.size() == 1);
  const Record& record = log.records[static_cast<std::size_t>(log.events[0].record)];
  CHECK(record.exception_type == "torch.OutOfMemoryError");
  CHECK(record.exception_line == log.events[0].line);
}

TEST_CASE("chains stay linked when tracebacks between them are dropped") {
  std::string text;
  for (int number = 0; number < 6000; ++number) text += traceback("ValueError: bad row");
  text += traceback("KeyError: 'label'") +
          "\nDuring handling of the above exception, another exception occurred:\n\n" +
          traceback("RuntimeError: CUDA out of memory");
  for (int number = 0; number < 6000; ++number) text += traceback("ValueError: bad row");
  const EventLog log = scan(std::move(text));
  REQUIRE(log.events.size() == 1);
  const Record& record = log.records[static_cast<std::size_t>(log.events[0].record)];
  REQUIRE(record.caused_by >= 0);
  CHECK(log.records[static_cast<std::size_t>(record.caused_by)].exception_type == "KeyError");
}

TEST_CASE("more ranks than any job has are not all remembered") {
  std::string text;
  for (int rank = 0; rank < 140000; ++rank) text += "[rank" + std::to_string(rank) + "]: hello\n";
  const EventLog log = scan(std::move(text));
  CHECK(log.ranks.size() == 1 << 17);
  CHECK(log.ranks.count(0) == 1);
}

TEST_CASE("events of more writers than any job has share one last event") {
  const auto library = one_signature();
  EventStore store;
  const std::uint64_t writers = EventStore::kMaxEvents + 1000;
  for (std::uint64_t writer = 1; writer <= writers; ++writer) {
    Event event;
    event.signature = 0;
    event.order = writer;
    store.add(std::move(event), library->signatures().front(), writer);
  }
  const auto events = store.take();
  REQUIRE(events.size() == EventStore::kMaxEvents + 1);
  CHECK(events.back().order == writers);
  CHECK(events.back().repeats == 999);
}

TEST_CASE("an exit code that cannot be negated is no crash") {
  ElasticBlockReader reader;
  std::vector<ProcessExit> exits;
  for (const char* line : {"Failures:", "[0]:", "  rank      : 3 (local_rank: 3)",
                           "  exitcode  : -2147483648 (pid: 12)", "====="}) {
    reader.add(line, 1, 1, {}, 0, &exits);
  }
  REQUIRE(exits.size() == 1);
  CHECK(exits[0].signal == 1 << 16);
}

TEST_CASE("a table's numbers that are no rank of any job are not taken for one") {
  ElasticBlockReader reader;
  std::vector<ProcessExit> exits;
  for (const char* line :
       {"Failures:", "[0]:", "  rank      : 3 (local_rank: 2147483647)",
        "[1]:", "  rank      : 2147483647 (local_rank: 3)",
        "=====", "host : a rank : 7 (local_rank: 2147483647) exitcode : 1 (pid: 5)",
        "host : a rank : 9999999 (local_rank: 1) exitcode : 1 (pid: 5) host : a rank : 8 (local_rank: 0) "
        "exitcode : 1 (pid: 6)"}) {
    reader.add(line, 1, 1, {}, 0, &exits);
  }
  REQUIRE(exits.size() == 1);
  CHECK(exits[0].rank == 8);
}

TEST_CASE("names in a traceback are cut") {
  const EventLog log = scan("Traceback (most recent call last):\n  File \"" + std::string(50000, 'a') +
                            "\", line 1, in " + std::string(9000, 'b') + "\n" + std::string(50000, 'C') +
                            "Error: x\nTraceback (most recent call last):\n  File \"a\", line 2, in " +
                            std::string(60000, 'b') + "\n" + "E" + std::string(5000, 'e') + "Error: x\n");
  REQUIRE(log.records.size() == 2);
  CHECK(log.records[0].frames[0].file.size() == 1000);
  CHECK(log.records[1].frames[0].function.size() == 1000);
  CHECK(log.records[1].exception_type.size() == 1000);
}

}  // namespace firstfault
