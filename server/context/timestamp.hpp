// The layouts in which logs write a point in time. Stateless; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "context/line_context.hpp"

namespace firstfault {

struct TimeMatch {
  Timestamp time;
  std::size_t end = 0;  // offset behind it
  bool syslog = false;  // "Jun  3 11:08:33": what follows is a host
  bool ctime = false;   // "Wed Jun  3 11:08:33 2026": in brackets, dmesg -T
};

// A date with a time, or a time of day, that begins at `pos`. Offsets from UTC are applied; without one the
// clock is taken as UTC, since a log does not say where it was written.
bool match_time(std::string_view text, std::size_t pos, TimeMatch* match);

// The date and time of a glog header behind its level letter: "1012 12:34:56.789", "304 02:21:40.77" (March
// 4), "20261201 14:18:46.1".
bool match_glog_time(std::string_view text, std::size_t pos, TimeMatch* match);

}  // namespace firstfault
