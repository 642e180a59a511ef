// What is known about where a line comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace firstfault {

// A point in time as a log shows it. Clocks of different hosts differ, and many logs leave parts out.
struct Timestamp {
  std::int64_t nanoseconds = 0;  // since 1970-01-01 UTC where has_date (and has_year), else since midnight
  bool has_date = false;         // day and month are known
  bool has_year = false;         // otherwise the year 1970 is assumed (1972 for 29 February)
  bool whole_second = true;      // no sub-second digits: equal values are ties
  bool uptime = false;  // "[12345.678]": seconds since boot (or dmesg), comparable only within its host
};

enum class Stream { kUnknown, kStdout, kStderr };

// The number spaces are kept apart: `rank` is global; `local_rank`, `group_rank` and `device` are not.
// The views point into the line that was read and live as long as it.
struct LineContext {
  std::optional<int> rank;
  std::optional<int> local_rank;  // [default3]:, localRank 3, Local process index
  std::optional<int> group_rank;  // the m of [PG ID 1 PG GUID 5(tp) Rank m]
  std::string_view group;         // that group's name, description or id, "" where none
  std::optional<int> device;      // [3] NCCL INFO, cuda:3
  std::string_view host;
  std::optional<std::int64_t> pid;
  std::optional<int> attempt;
  std::optional<Timestamp> time;
  Stream stream = Stream::kUnknown;
  char level = 0;         // 'I', 'W', 'E', 'F', 'D' or 0
  bool launcher = false;  // an elastic agent, srun, mpirun or kernel line: no rank's own output
  std::size_t body = 0;   // offset in the line's text where the message begins
};

// What a source's path says of every line in it.
struct SourceContext {
  std::optional<int> rank;        // rank_3.stderr.log, rank7.log
  std::optional<int> local_rank;  // attempt_0/3/stderr.log below a node's own folder
  std::optional<int> attempt;     // attempt_0/
  std::optional<int> node;        // node02/, node1.log
  std::string host;               // node02, gpu-st-p4d-22.log, "" where the name says no host
  Stream stream = Stream::kUnknown;
};

}  // namespace firstfault
