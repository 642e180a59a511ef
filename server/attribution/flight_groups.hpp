// Flight recorder dumps of a job side by side: per process group, which call each member issued under each
// collective sequence number, and where it stands. Pure values that point into the EventLog.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/event.hpp"

namespace firstfault {

// What one rank issued under one number; several records of a coalesced call are one.
struct FlightCall {
  std::int64_t seq = 0;
  const FlightEntry* entry = nullptr;  // the first record
  std::string op;                      // "all_reduce", of several records "all_gather + all_gather"
  std::size_t shape = 0;               // equal for calls whose sizes and types fit together
  bool done = false;
  bool started = false;
};

struct FlightMember {
  const FlightSource* flight = nullptr;
  std::vector<FlightCall> calls;      // by number
  std::int64_t enqueued = -1;         // the highest number that it issued
  std::optional<std::int64_t> waits;  // the lowest number that it issued and has not finished

  const FlightDump& dump() const { return flight->dump; }
  const FlightCall* call(std::int64_t seq) const;
  const FlightCall* last() const { return calls.empty() ? nullptr : &calls.back(); }
};

struct FlightGroupView {
  std::string name;
  std::string desc;
  std::vector<int> ranks;                   // in the group's order, empty where no dump says
  std::map<int, FlightMember> members;      // that left a dump, by global rank
  std::vector<int> missing;                 // that left none, as far as that can be told
  std::map<int, std::set<int>> peer_waits;  // unfinished sends and receives: by rank, whom it waits for

  std::string label() const;  // "group 0 (default_pg)"
};

// The groups that the dumps of known rank belong to. Where some dump's rank cannot be told, nobody
// is missing for certain.
std::vector<FlightGroupView> view_flight_groups(const EventLog& log);

}  // namespace firstfault
