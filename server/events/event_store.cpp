#include "events/event_store.hpp"

#include <algorithm>
#include <functional>

namespace firstfault {
namespace {

std::size_t kept_of(const Signature& signature) {
  switch (signature.gives) {
    case Gives::kProgress:
      return 1;
    case Gives::kExit:
    case Gives::kSignalled:
      return 4096;  // one launcher line a rank, all in one stream
    case Gives::kCollectiveTimeout:
    case Gives::kCollectiveStatus:
    case Gives::kCollectiveIssue:
    case Gives::kCollectiveAbsent:
    case Gives::kAttemptStart:
    case Gives::kKill:
      return 256;
    default:
      return signature.role == Role::kContext ? 4 : 24;
  }
}

constexpr std::uint64_t kAnyStream = ~std::uint64_t{0};

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

}  // namespace

void EventStore::add(Event event, const Signature& signature, std::uint64_t stream) {
  if (signature.gives ==
      Gives::kRankMap) {  // a 16,384-rank job prints as many, all different, often more than once
    std::uint64_t key = mix(static_cast<std::uint64_t>(event.signature), stream);
    for (const auto& [name, value] : event.captures) {
      key = mix(mix(key, std::hash<std::string>{}(name)), std::hash<std::string>{}(value));
    }
    if (mappings_.size() < kMaxEvents && mappings_.insert(key).second) events_.push_back(std::move(event));
    return;
  }
  const auto kind = static_cast<std::uint64_t>(event.signature) + 1;
  const bool full = events_.size() >= kMaxEvents;
  if (full && kept_.count(mix(kind, stream)) == 0) stream = kAnyStream;
  Kept& kept = kept_[mix(kind, stream)];
  if (++kept.count <= kept_of(signature) && !full) {
    events_.push_back(std::move(event));
  } else {
    keep_last(std::move(event), &kept);
  }
}

void EventStore::keep_last(Event event, Kept* kept) {
  if (kept->tail < 0) {
    kept->tail = static_cast<int>(events_.size());
    events_.push_back(std::move(event));
    return;
  }
  Event& last = events_[static_cast<std::size_t>(kept->tail)];
  event.repeats = last.repeats + 1;
  last = std::move(event);
}

void EventStore::mark_records(std::vector<bool>* used) const {
  for (const Event& event : events_) {
    if (event.record >= 0) (*used)[static_cast<std::size_t>(event.record)] = true;
  }
}

void EventStore::renumber_records(const std::vector<int>& numbers) {
  for (Event& event : events_) {
    if (event.record >= 0) event.record = numbers[static_cast<std::size_t>(event.record)];
  }
}

std::vector<Event> EventStore::take() {
  kept_.clear();
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.order < b.order; });
  return std::move(events_);
}

}  // namespace firstfault
