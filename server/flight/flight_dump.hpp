// One rank's flight recorder dump: the ring of collectives that PyTorch's process groups issued last, as a
// pickle or JSON file. Formats 1.x (torch 2.2, 2.3) to 2.10.
//
// The file is never executed (see pickle_reader.hpp). Stateless functions, thread-safe; errors name the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace firstfault {

struct FlightFrame {
  std::string function;
  std::string file;
  int line = 0;
};

// Sizes and types of the tensors of a call; calls with equal ones share an entry of FlightDump::shapes.
struct FlightShape {
  std::vector<std::vector<std::int64_t>> input_sizes;
  std::vector<std::vector<std::int64_t>> output_sizes;
  std::vector<std::string> input_dtypes;
  std::vector<std::string> output_dtypes;
};

enum class FlightState { kUnknown, kScheduled, kStarted, kCompleted };

struct FlightEntry {
  std::int64_t record_id = -1;
  std::int64_t pg_id = -1;
  std::string group;                // the process group's name, the key of FlightDump::groups
  std::optional<std::int64_t> seq;  // collective sequence number
  std::optional<std::int64_t> p2p_seq;
  std::optional<std::int64_t> op_id;
  std::string op;  // "nccl:all_reduce"
  FlightState state = FlightState::kUnknown;
  bool retired = false;  // no longer watched: done, or given up after its timeout
  bool p2p = false;
  std::optional<std::int64_t> created_ns;
  std::optional<double> duration_ms;
  std::optional<std::int64_t> timeout_ms;
  int shape = 0;   // in FlightDump::shapes
  int stack = -1;  // in FlightDump::stacks, -1: not recorded

  bool done() const;
};

struct FlightGroup {
  std::string desc;
  std::vector<int> ranks;  // global ranks in the group's order, empty where the dump does not say
};

struct FlightStatus {
  std::optional<std::int64_t> enqueued;
  std::optional<std::int64_t> started;
  std::optional<std::int64_t> completed;
};

struct FlightDump {
  std::optional<int> rank;       // global rank, as far as it can be told
  std::optional<int> name_rank;  // what the file's name says
  std::string host;
  std::string version;
  std::string reason;
  std::map<std::string, FlightGroup> groups;   // those that this rank belongs to
  std::map<std::string, FlightStatus> status;  // by group name
  std::vector<FlightEntry> entries;            // oldest first
  std::vector<FlightShape> shapes;
  std::vector<std::vector<FlightFrame>> stacks;  // innermost frame first
};

// Reads a whole file. `path` names it in messages and may say the rank ("nccl_trace_rank_3",
// "dump-host-3.json").
Result<FlightDump> read_flight_dump(std::string_view bytes, const std::string& path);

std::optional<int> rank_of_dump_name(std::string_view path);

// Settles the ranks of the dumps of one job: what a dump says itself, else its point-to-point calls, else its
// name where that fits the groups it belongs to, else the only rank that fits. A rank that two dumps claim
// stays with the one that recorded last.
void settle_dump_ranks(const std::vector<FlightDump*>& dumps);

// The ranks of the default group, empty where no dump says.
std::vector<int> flight_world(const std::vector<const FlightDump*>& dumps);

}  // namespace firstfault
