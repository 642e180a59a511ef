// What signatures recognised in the sources, with everything attribution needs to know about it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context/line_context.hpp"
#include "flight/flight_dump.hpp"

namespace firstfault {

// A LineContext that owns its text. `host` is the line's own; what its source's path says is in
// SourceContext.
struct EventContext {
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::optional<int> group_rank;
  std::string group;
  std::optional<int> device;
  std::string host;
  std::optional<std::int64_t> pid;
  std::optional<int> attempt;
  std::optional<Timestamp> time;
  bool launcher = false;

  static EventContext of(const LineContext& line);
};

using Captures = std::map<std::string, std::string, std::less<>>;

struct Event {
  int signature = -1;          // index in the library
  int source = -1;             // index in EventLog::sources
  std::uint64_t line = 0;      // 1-based
  std::uint64_t end_line = 0;  // last line of the record, >= line
  std::uint64_t order = 0;     // position in reading order over all sources
  std::string text;            // the line as shown (no terminal escapes), at most kMaxEventText bytes
  Captures captures;
  EventContext context;
  int record = -1;            // index in EventLog::records, -1 for a line of its own
  std::uint64_t repeats = 0;  // further equal events of the same rank that were not kept
};

inline constexpr std::size_t kMaxEventText = 2000;

struct Frame {
  std::string file;
  int line = 0;
  std::string function;
  std::string code;  // the source line, "" where the log has none
};

// A record of several lines: a Python traceback with its exception (chained ones are one record each,
// linked).
struct Record {
  int source = -1;
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::uint64_t exception_line = 0;  // 0 while the traceback has no end (cut off log)
  std::uint64_t order = 0;
  EventContext context;
  std::string exception_type;  // "torch.cuda.OutOfMemoryError"
  std::string message;         // first line of the message
  std::vector<Frame> frames;   // outermost first, at most kMaxFrames (the innermost ones are kept)
  int caused_by = -1;          // the record that this one was raised from or while handling
  bool launcher = false;       // the launcher's own traceback (ChildFailedError, CalledProcessError)
  std::string text;            // the lines without prefixes, joined by "\n", at most kMaxRecordText bytes
};

inline constexpr std::size_t kMaxFrames = 64;
inline constexpr std::size_t kMaxRecordText = 32 * 1024;

// How a process ended, as its launcher tells it (torchelastic's tables, srun, mpirun, DeepSpeed).
struct ProcessExit {
  int source = -1;
  std::uint64_t line = 0;
  std::uint64_t order = 0;
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::string host;
  std::optional<std::int64_t> pid;
  std::optional<int> exit_code;  // > 0, or 0
  std::optional<int> signal;     // 9 for SIGKILL
  std::optional<Timestamp> time;
  std::optional<int> attempt;
  bool launcher_root_cause = false;  // torchelastic's "Root Cause (first observed failure)"
  std::string message;               // what its error file says, "" where there is none
};

// What the sources say about one rank, failure or not.
struct RankActivity {
  int source = -1;
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::uint64_t lines = 0;
  std::optional<Timestamp> last_time;
  std::string last_text;  // its last line, at most 300 bytes
};

// A tie between the numbers of one process, as one line or one launcher entry shows it. What it does not say
// is empty.
struct Identity {
  int source = -1;
  std::uint64_t line = 0;
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::string host;
  std::optional<std::int64_t> pid;
  std::optional<int> device;
  std::string bus;  // PCI bus id as printed
};

struct ScannedSource {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  SourceContext context;
  bool workspace = false;  // a source file below --workspace, scanned for facts
};

// A flight recorder dump among the sources: it has no lines.
struct FlightSource {
  int source = -1;
  FlightDump dump;
};

// Everything the later stages work on. Memory grows with the number of distinct events and ranks, not with
// the log.
struct EventLog {
  std::vector<ScannedSource> sources;
  std::vector<Event> events;  // in reading order
  std::vector<Record> records;
  std::vector<ProcessExit> exits;
  std::vector<Identity> identities;   // distinct ones, from line prefixes
  std::map<int, RankActivity> ranks;  // by global rank, as the line prefixes and paths say
  // By host ("" where lines name none) and local rank, for lines that do not say the global one.
  std::map<std::pair<std::string, int>, RankActivity> local_ranks;
  std::vector<FlightSource> flights;
  std::optional<int> world_size;  // as flight recorder dumps tell it
};

}  // namespace firstfault
