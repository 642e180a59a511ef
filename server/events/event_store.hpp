// Keeps the events of a scan within bounds: many equal events of one rank are kept as the first ones, the
// last one and a count, so that memory grows with kinds and ranks, not with the log.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/event.hpp"
#include "signature/signature.hpp"

namespace firstfault {

class EventStore {
 public:
  void add(Event event, const Signature& signature, std::uint64_t stream);
  std::vector<Event> take();  // in reading order

 private:
  struct Kept {
    std::size_t count = 0;
    int tail = -1;  // index of the event that is replaced by every further one
  };
  std::vector<Event> events_;
  std::unordered_map<std::uint64_t, Kept> kept_;
  std::unordered_set<std::uint64_t> mappings_;
};

}  // namespace firstfault
