// The failure events of one attempt, each tied to the ranks or the host it is about: what the rules reason
// over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "attribution/clock_skew.hpp"
#include "attribution/incident.hpp"
#include "attribution/rank_index.hpp"
#include "events/event.hpp"
#include "signature/library.hpp"

namespace firstfault {

struct Finding {
  const Signature* signature = nullptr;
  int signature_index = -1;
  std::vector<int> ranks;      // whom it is about; empty: cannot be told
  std::optional<int> speaker;  // whose line it is
  std::string host;
  std::string group;  // process group, "" where the line names none
  int source = -1;
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
  std::uint64_t order = 0;
  std::string text;
  std::optional<Timestamp> time;
  Captures captures;
  int record = -1;
  bool launcher = false;         // a line of the launcher, the kernel or the scheduler
  bool recovered = false;        // the same rank made progress afterwards
  bool unrelated = false;        // about a process that is none of the job's ranks
  std::uint64_t last_order = 0;  // of the last equal finding

  bool counts() const { return !recovered && !unrelated; }
};

// How one rank's process ended.
struct RankExit {
  ProcessExit exit;
  bool by_launcher = false;  // the launcher had signalled it before
};

struct Findings {
  int attempt = 0;
  std::vector<Finding> all;                // in reading order
  std::map<int, RankExit> exits;           // by rank
  std::vector<ProcessExit> unknown_exits;  // of processes whose rank cannot be told
  std::set<int> signalled;                 // ranks that the launcher ended
  std::size_t signals_sent = 0;            // by the launcher, also to processes whose rank cannot be told
  std::set<int> completed;                 // ranks that ended their work
  bool job_completed = false;
  struct Progress {
    std::uint64_t order = 0;
    std::optional<Timestamp> time;
  };
  // The last progress by source and rank (-1: lines that name no rank). Reading order means nothing between
  // sources.
  std::map<std::pair<int, int>, Progress> last_progress;
};

// The findings of every attempt, in order.
// Times are corrected by `skew`.
std::vector<Findings> collect_findings(const EventLog& log, const Library& library, const RankIndex& index,
                                       const ClockSkew& skew);

// a - b in seconds, none where the clocks cannot be compared.
std::optional<double> seconds_between(const std::optional<Timestamp>& a, const std::optional<Timestamp>& b);

}  // namespace firstfault
