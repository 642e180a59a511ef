#include "attribution/clock_skew.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attribution/findings.hpp"

namespace firstfault {
namespace {

constexpr double kWorthCorrecting = 2.0;  // seconds; less is the time that the step itself takes to spread

struct Shared {
  std::string host;
  Timestamp time;
};

std::string capture(const Event& event, std::string_view name) {
  const auto found = event.captures.find(name);
  return found == event.captures.end() ? std::string() : found->second;
}

// What several hosts log at nearly the same moment: a step, or the start of a collective that timed out.
std::string shared_name(const Event& event, const Signature& signature) {
  if (signature.gives == Gives::kProgress) {
    const std::string step = capture(event, "step");
    return step.empty() ? "" : "step " + step;
  }
  if (signature.gives != Gives::kCollectiveTimeout) return {};
  const std::string seq = capture(event, "seq");
  return seq.empty() ? "" : "collective " + seq;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

ClockSkew::ClockSkew(const EventLog& log, const Library& library, const RankIndex& index) {
  std::map<std::string, std::vector<Shared>> by_name;
  std::map<std::string, std::size_t> counts;
  for (const Event& event : log.events) {
    if (!event.context.time) continue;
    const auto& signature = library.signatures()[static_cast<std::size_t>(event.signature)];
    std::string name = shared_name(event, signature);
    std::string host = host_key(event.context.host.empty() ? index.host_of_source(event.source, event.line)
                                                           : event.context.host);
    if (name.empty() || host.empty()) continue;
    auto& shared = by_name[std::move(name)];
    const bool known =
        std::any_of(shared.begin(), shared.end(), [&](const Shared& other) { return other.host == host; });
    if (known) continue;  // a host's first rank to say it speaks for the host
    ++counts[host];
    shared.push_back({std::move(host), *event.context.time});
  }
  if (counts.size() < 2) return;
  const std::string reference =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  std::map<std::string, std::vector<double>> differences;
  std::map<std::string, std::string> example;
  for (const auto& [name, shared] : by_name) {
    const auto own =
        std::find_if(shared.begin(), shared.end(), [&](const Shared& s) { return s.host == reference; });
    if (own == shared.end()) continue;
    for (const Shared& other : shared) {
      const auto gap = seconds_between(other.time, own->time);
      if (other.host == reference || !gap) continue;
      differences[other.host].push_back(*gap);
      example.try_emplace(other.host, name);
    }
  }
  for (auto& [host, values] : differences) {
    const double offset = median(std::move(values));
    if (std::abs(offset) >= kWorthCorrecting) offsets_[host] = {offset, example[host], reference};
  }
}

const ClockSkew::Offset* ClockSkew::of(std::string_view host) const {
  const auto found = offsets_.find(host_key(host));
  return found == offsets_.end() ? nullptr : &found->second;
}

std::optional<Timestamp> ClockSkew::corrected(const std::optional<Timestamp>& time,
                                              std::string_view host) const {
  const Offset* offset = of(host);
  if (!time || offset == nullptr) return time;
  Timestamp moved = *time;
  moved.nanoseconds -= static_cast<std::int64_t>(offset->seconds * 1e9);
  return moved;
}

}  // namespace firstfault
