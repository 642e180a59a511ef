// Who failed first, and why we believe it. Pure reasoning over an EventLog.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/event.hpp"
#include "signature/library.hpp"

namespace firstfault {

enum class Scope { kRank, kRanks, kHost, kLauncher, kExternal, kAll, kUnknown };

struct Initiator {
  Scope scope = Scope::kUnknown;
  std::vector<int> ranks;  // empty: no single rank
  std::vector<std::string> hosts;
  std::vector<int> local_ranks;
  std::vector<std::int64_t> pids;
  std::vector<std::string> devices;  // PCI bus ids
  std::string why;
};

// A line that proves a claim.
struct Evidence {
  int source = -1;
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
  std::string text;
  Role role = Role::kContext;
  std::optional<int> rank;
  std::string why;
};

struct Collateral {
  int rank = -1;
  int source = -1;
  std::uint64_t line = 0;  // 0: the rank printed nothing of its own
  std::string why;         // "waited in ALLREDUCE 12208 that rank 2 never issued"
};

struct Alternative {
  int signature = -1;
  std::string cause;
  std::string decide;  // what would tell them apart
};

struct Incident {
  bool primary = false;
  int attempt = 0;
  int signature = -1;                  // the one that explains the cause, -1: unknown
  std::string cause;                   // taxonomy id
  std::string pattern;                 // evidence pattern, the key of the measured frequency
  std::optional<Initiator> initiator;  // none where the input has no ranks
  std::vector<Evidence> evidence;      // strongest first
  std::vector<Collateral> collateral;
  std::vector<Alternative> alternatives;
  Captures bindings;  // what texts may say: {rank}, {tried}, {host}, ...
};

struct Job {
  std::optional<int> world_size;
  std::vector<int> ranks_seen;
  std::vector<std::string> hosts;
  std::string launcher;
  std::vector<std::string> frameworks;
  int attempts = 1;
};

struct Attribution {
  Job job;
  std::vector<Incident> incidents;  // in order of attempts; empty: no failure
};

Attribution attribute(const EventLog& log, const Library& library);

}  // namespace firstfault
