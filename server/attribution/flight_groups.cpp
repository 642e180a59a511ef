#include "attribution/flight_groups.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace firstfault {
namespace {

// "nccl:all_reduce" -> "all_reduce"
std::string bare(const std::string& op) {
  const std::size_t colon = op.find(':');
  return colon == std::string::npos ? op : op.substr(colon + 1);
}

bool one_of(const std::string& op, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return op.find(name) != std::string::npos; });
}

void mix(std::size_t* seed, std::size_t value) {
  *seed ^= value + 0x9e3779b97f4a7c15ULL + (*seed << 6) + (*seed >> 2);
}

// The communication library sees counts of elements, not dimensions.
void mix_counts(std::size_t* seed, const std::vector<std::vector<std::int64_t>>& sizes) {
  for (const auto& tensor : sizes) {
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor) count *= static_cast<std::uint64_t>(size);
    mix(seed, std::hash<std::uint64_t>{}(count));
  }
  mix(seed, sizes.size());
}

// What has to agree between members; sizes that may differ by the operation's nature are left out.
std::size_t shape_key(const std::string& op, const FlightShape& shape) {
  std::size_t key = 0;
  if (one_of(op, {"all_to_all", "alltoall", "_oop", "allgatherv"})) return key;
  const bool gather = op.find("gather") == 0;
  const bool scatter = op.find("scatter") == 0;
  if (!scatter) mix_counts(&key, shape.input_sizes);
  if (!gather && !scatter) mix_counts(&key, shape.output_sizes);
  if (scatter) mix_counts(&key, shape.output_sizes);
  const auto& types = scatter ? shape.output_dtypes : shape.input_dtypes;
  for (const std::string& type : types) mix(&key, std::hash<std::string>{}(type));
  return key;
}

// The key of a group: names can be equal where each process numbers its own groups, so the members are part
// of it.
std::string key_of(const std::string& name, const std::vector<int>& ranks) {
  std::string key = name + "\n";
  for (const int rank : ranks) key += std::to_string(rank) + ",";
  return key;
}

// In formats 1.x sends and receives count in the same numbers, which then differ between members by right.
bool countable(const FlightDump& dump, const std::string& group) {
  return dump.version.substr(0, 2) != "1." ||
         std::none_of(dump.entries.begin(), dump.entries.end(),
                      [&](const FlightEntry& entry) { return entry.p2p && entry.group == group; });
}

void add_record(const FlightDump& dump, const FlightEntry& entry, FlightCall* call) {
  const std::string op = bare(entry.op);
  const std::size_t key = shape_key(op, dump.shapes[static_cast<std::size_t>(entry.shape)]);
  if (call->entry == nullptr) {
    call->entry = &entry;
    call->seq = *entry.seq;
    call->op = op;
    call->shape = key;
  } else if (call->op.size() < 200) {
    call->op += " + " + op;
    mix(&call->shape, key);
  }
  call->done = call->done || entry.done();
  call->started = call->started || entry.state == FlightState::kStarted;
}

// Where the member stands: from its records, else from the counters beside them.
void place(const FlightDump& dump, const std::string& group, bool exchanges, FlightMember* member) {
  std::int64_t finished = -1;
  for (const FlightCall& call : member->calls) {
    if (call.done) finished = std::max(finished, call.seq);
  }
  if (!member->calls.empty()) member->enqueued = member->calls.back().seq;
  const auto status = dump.status.find(group);
  // The counters of a group that also sends and receives may speak of those.
  if (status != dump.status.end() && !exchanges) {
    member->enqueued = std::max(member->enqueued, status->second.enqueued.value_or(-1));
    finished = std::max(finished, status->second.completed.value_or(-1));
    const std::int64_t started = status->second.started.value_or(-1);
    for (FlightCall& call : member->calls) call.started = call.started || call.seq <= started;
    if (member->calls.empty() && status->second.enqueued && status->second.completed &&
        finished < member->enqueued) {
      member->waits = finished + 1;
    }
  }
  for (const FlightCall& call : member->calls) {
    if (call.seq <= finished || call.done) continue;
    member->waits = call.seq;
    break;
  }
}

std::optional<int> peer_of(const FlightEntry& entry, const std::vector<int>& ranks) {
  const std::size_t arrow = std::min(entry.op.find("->"), entry.op.find("<-"));
  if (arrow == std::string::npos) return std::nullopt;
  std::size_t place = 0;
  std::size_t at = arrow + 2;
  if (at >= entry.op.size()) return std::nullopt;
  for (; at < entry.op.size() && entry.op[at] >= '0' && entry.op[at] <= '9' && place < ranks.size(); ++at) {
    place = place * 10 + static_cast<std::size_t>(entry.op[at] - '0');
  }
  if (at != entry.op.size() || place >= ranks.size()) return std::nullopt;
  return ranks[place];
}

// Records of one dump and one group.
void read_member(const FlightSource& flight, const std::string& name, FlightGroupView* view) {
  const FlightDump& dump = flight.dump;
  FlightMember member;
  member.flight = &flight;
  std::map<std::int64_t, FlightCall> calls;
  std::int64_t exchanged = -1;
  bool exchanges = false;
  const bool counts = countable(dump, name);
  for (const FlightEntry& entry : dump.entries) {
    if (entry.group != name) continue;
    if (entry.p2p) {
      exchanges = true;
      if (entry.done()) exchanged = std::max(exchanged, entry.p2p_seq.value_or(entry.record_id));
    } else if (entry.seq && counts) {
      add_record(dump, entry, &calls[*entry.seq]);
    }
  }
  for (const FlightEntry& entry : dump.entries) {
    if (entry.group != name || !entry.p2p || entry.p2p_seq.value_or(entry.record_id) <= exchanged) continue;
    const auto peer = peer_of(entry, view->ranks);
    if (peer && *peer != *dump.rank) view->peer_waits[*dump.rank].insert(*peer);
  }
  for (auto& [seq, call] : calls) member.calls.push_back(std::move(call));
  place(dump, name, exchanges, &member);
  view->members.emplace(*dump.rank, std::move(member));
}

}  // namespace

const FlightCall* FlightMember::call(std::int64_t seq) const {
  const auto found =
      std::lower_bound(calls.begin(), calls.end(), seq,
                       [](const FlightCall& call, std::int64_t number) { return call.seq < number; });
  return found == calls.end() || found->seq != seq ? nullptr : &*found;
}

std::string FlightGroupView::label() const {
  return "group " + name + (desc.empty() ? "" : " (" + desc + ")");
}

std::vector<FlightGroupView> view_flight_groups(const EventLog& log) {
  std::map<std::string, FlightGroupView> views;
  std::map<std::string, std::set<std::string>> keys;  // by name
  std::set<int> present;
  bool unsure = false;
  for (const FlightSource& flight : log.flights) {
    if (!flight.dump.rank) {
      unsure = true;
      continue;
    }
    present.insert(*flight.dump.rank);
    for (const auto& [name, group] : flight.dump.groups) {
      if (!group.ranks.empty()) keys[name].insert(key_of(name, group.ranks));
    }
  }
  for (const FlightSource& flight : log.flights) {
    if (!flight.dump.rank) continue;
    for (const auto& [name, group] : flight.dump.groups) {
      const auto& known = keys[name];
      const bool shared = group.ranks.empty() && known.size() == 1;
      FlightGroupView& view = views[shared ? *known.begin() : key_of(name, group.ranks)];
      view.name = name;
      if (view.desc.empty()) view.desc = group.desc;
      if (view.ranks.empty()) view.ranks = group.ranks;
      read_member(flight, name, &view);
    }
  }
  std::vector<FlightGroupView> all;
  for (auto& [key, view] : views) {
    for (const int rank : view.ranks) {
      if (!unsure && present.count(rank) == 0) view.missing.push_back(rank);
    }
    std::sort(view.missing.begin(), view.missing.end());
    all.push_back(std::move(view));
  }
  return all;
}

}  // namespace firstfault
