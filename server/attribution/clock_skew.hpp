// How far the clocks of hosts stand apart, from what both logged: the same training step, the same
// collective.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "attribution/rank_index.hpp"
#include "events/event.hpp"
#include "signature/library.hpp"

namespace firstfault {

// Offsets of hosts against the host with the most shared events. A host that shares nothing has none, and its
// times are taken as they stand.
class ClockSkew {
 public:
  struct Offset {
    double seconds = 0;     // this host's clock minus the reference host's
    std::string shared;     // "step 120", what it was read from
    std::string reference;  // the reference host
  };

  ClockSkew(const EventLog& log, const Library& library, const RankIndex& index);

  const Offset* of(std::string_view host) const;
  // The time as the reference host's clock would show it.
  std::optional<Timestamp> corrected(const std::optional<Timestamp>& time, std::string_view host) const;

 private:
  std::map<std::string, Offset, std::less<>> offsets_;  // by host key
};

}  // namespace firstfault
