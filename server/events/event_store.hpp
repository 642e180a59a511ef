// Keeps the events of a scan within bounds: many equal events of one rank are kept as the first ones, the
// last one and a count, so that memory grows with kinds and ranks, not with the log. Writers without end (a
// log of a million pids) share one last event a kind once kMaxEvents are kept.
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

  // Sets used[n] for every record n that a kept event lies in, and gives those events the new numbers.
  void mark_records(std::vector<bool>* used) const;
  void renumber_records(const std::vector<int>& numbers);

  static constexpr std::size_t kMaxEvents = 200000;

 private:
  struct Kept {
    std::size_t count = 0;
    int tail = -1;  // index of the event that is replaced by every further one
  };
  void keep_last(Event event, Kept* kept);

  std::vector<Event> events_;
  std::unordered_map<std::uint64_t, Kept> kept_;
  std::unordered_set<std::uint64_t> mappings_;
};

}  // namespace firstfault
