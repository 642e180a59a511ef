#include "attribution/rank_index.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace firstfault {
namespace {

constexpr std::size_t kMaxListedRanks = 65536;
constexpr int kMaxRank = 1 << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<int> as_rank(const Captures& captures, std::string_view name) {
  const auto found = captures.find(name);
  if (found == captures.end()) return std::nullopt;
  const auto number = parse_number(found->second);
  if (!number || *number < 0 || *number > kMaxRank) return std::nullopt;
  return static_cast<int>(*number);
}

std::string_view text_of(const Captures& captures, std::string_view name) {
  const auto found = captures.find(name);
  return found == captures.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<int> only(const std::set<int>& ranks) {
  if (ranks.size() != 1) return std::nullopt;
  return *ranks.begin();
}

}  // namespace

std::string host_key(std::string_view host) {
  std::string key;
  if (host == "localhost" || host == "127.0.0.1") return key;  // every host's name for itself
  const bool address = std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; });
  for (const char c : host) {
    if (c == '.' && !address) break;
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

std::string bus_key(std::string_view bus) {
  std::string key;
  for (const char c : bus) key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (key.rfind("pci:", 0) == 0) key.erase(0, 4);
  if (const auto dot = key.find('.'); dot != std::string::npos) key.erase(dot);
  if (key.find(':') == std::string::npos) {  // NCCL prints the bus id as one hexadecimal number: 8a000
    if (key.size() < 4) return key;
    const std::string device = key.substr(key.size() - 3, 2);
    std::string number = key.substr(0, key.size() - 3);
    std::string domain = number.size() > 2 ? number.substr(0, number.size() - 2) : "";
    number =
        number.size() > 2 ? number.substr(number.size() - 2) : std::string(2 - number.size(), '0') + number;
    domain.erase(0, std::min(domain.find_first_not_of('0'), domain.size()));
    return (domain.empty() ? "" : domain + ":") + number + ":" + device;
  }
  if (std::count(key.begin(), key.end(), ':') >= 2) {
    std::string domain = key.substr(0, key.find(':'));
    domain.erase(0, std::min(domain.find_first_not_of('0'), domain.size()));
    key = (domain.empty() ? "" : domain + ":") + key.substr(key.find(':') + 1);
  }
  return key;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<int> parse_rank_list(std::string_view text) {
  std::vector<int> ranks;
  int range_start = -1;  // the number before a "-", -1 outside of a range
  for (std::size_t at = 0; at < text.size() && ranks.size() < kMaxListedRanks;) {
    if (!is_digit(text[at])) {
      if (text[at] == '-' && !ranks.empty()) {
        range_start = ranks.back();
      } else if (text[at] != ' ') {
        range_start = -1;
      }
      ++at;
      continue;
    }
    int value = 0;
    while (at < text.size() && is_digit(text[at]) && value < kMaxRank)
      value = value * 10 + (text[at++] - '0');
    while (at < text.size() && is_digit(text[at])) ++at;
    if (value > kMaxRank) continue;
    const int first = range_start >= 0 && value > range_start ? range_start + 1 : value;
    for (int rank = first; rank <= value && ranks.size() < kMaxListedRanks; ++rank) ranks.push_back(rank);
    range_start = -1;
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

RankIndex::RankIndex(const EventLog& log, const Library& library) {
  for (const auto& source : log.sources) source_hosts_.push_back(source.context.host);
  world_size_ = log.world_size;
  for (const auto& [rank, activity] : log.ranks) {
    ranks_[rank];
    const std::string& host = source_hosts_[static_cast<std::size_t>(activity.source)];
    tie(rank, std::nullopt, host, std::nullopt, "");
  }
  for (const Identity& identity : log.identities) {
    const std::string& own = source_hosts_[static_cast<std::size_t>(identity.source)];
    tie(identity.rank, identity.local_rank, identity.host.empty() ? own : identity.host, identity.pid,
        identity.bus);
  }
  for (const ProcessExit& exit : log.exits) {
    tie(exit.rank, exit.local_rank, host_of_source(exit.source), exit.pid, "");
    if (exit.rank) tie(exit.rank, exit.local_rank, exit.host, exit.pid, "");
  }
  // A launcher of its own under srun runs once a node: Slurm's task numbers are then nodes, not ranks.
  tasks_are_nodes_ = std::any_of(log.events.begin(), log.events.end(), [&](const Event& event) {
    const std::string& id = library.signatures()[static_cast<std::size_t>(event.signature)].id;
    return id == "fact-launcher-torchrun" || id == "fact-launcher-deepspeed" || id == "fact-launcher-ray";
  });
  for (const Event& event : log.events) {
    read_event(event, library.signatures()[static_cast<std::size_t>(event.signature)]);
  }
  guess_bases();
  guess_local_ranks(log);
}

void RankIndex::tie(std::optional<int> rank, std::optional<int> local_rank, std::string_view host,
                    std::optional<std::int64_t> pid, std::string_view bus) {
  const std::string key = host_key(host);
  if (!key.empty() && std::none_of(hosts_.begin(), hosts_.end(),
                                   [&](const std::string& known) { return host_key(known) == key; })) {
    hosts_.emplace_back(host);
  }
  if (!rank || *rank < 0 || *rank > kMaxRank) return;
  RankFacts& facts = ranks_[*rank];
  if (facts.host.empty()) facts.host = std::string(host);
  if (local_rank) {
    if (!facts.local_rank) facts.local_rank = local_rank;
    locals_[key].insert(*local_rank);
    by_local_[{key, std::to_string(*local_rank)}].insert(*rank);
  }
  if (pid && *pid > 0) {
    if (std::find(facts.pids.begin(), facts.pids.end(), *pid) == facts.pids.end()) facts.pids.push_back(*pid);
    by_pid_[{key, std::to_string(*pid)}].insert(*rank);
  }
  if (!bus.empty()) {
    if (facts.bus.empty()) facts.bus = std::string(bus);
    by_bus_[{key, bus_key(bus)}].insert(*rank);
  }
}

void RankIndex::read_event(const Event& event, const Signature& signature) {
  if (const auto size = as_rank(event.captures, "world_size"); size && *size > 0) {
    if (!world_size_ || *size > *world_size_) world_size_ = size;
  }
  if (signature.gives == Gives::kRankMap) {
    read_map(event);
    return;
  }
  const std::string own_host =
      event.context.host.empty() ? host_of_source(event.source, event.line) : event.context.host;
  if (signature.gives == Gives::kExit || signature.gives == Gives::kKill) {
    for (const int rank : named_ranks(event)) {
      tie(rank, std::nullopt, text_of(event.captures, "host"), std::nullopt, "");
    }
    if (const auto rank = as_rank(event.captures, "rank")) {
      tie(rank, std::nullopt, text_of(event.captures, "host"), parse_number(text_of(event.captures, "pid")),
          "");
    }
    if (const auto local = as_rank(event.captures, "local_rank")) locals_[host_key(own_host)].insert(*local);
  }
  // A rank that names a process of its own (a DataLoader worker, a child) owns that pid, unless it is another
  // rank's.
  const auto pid = parse_number(text_of(event.captures, "pid"));
  if (pid && event.context.rank && !event.context.launcher && !by_pid(*pid, own_host)) {
    by_pid_[{host_key(own_host), std::to_string(*pid)}].insert(*event.context.rank);
  }
}

namespace {

constexpr std::uint64_t kTableDistance = 6;  // lines that one process's entry may span

}  // namespace

void RankIndex::read_map(const Event& event) {
  auto rank = as_rank(event.captures, "rank");
  if (!rank) rank = event.context.rank;
  auto pid = parse_number(text_of(event.captures, "pid"));
  if (!pid && !event.context.launcher) pid = event.context.pid;
  auto local_rank = as_rank(event.captures, "local_rank");
  if (!local_rank) local_rank = event.context.local_rank;
  const auto device = as_rank(event.captures, "device");
  const std::string_view bus = text_of(event.captures, "bus");
  std::string host(text_of(event.captures, "host"));
  if (!host.empty() && !rank && !pid && !local_rank && !device && bus.empty()) {
    sections_[event.source].push_back({event.line, host, ""});
    tie(std::nullopt, std::nullopt, host, std::nullopt, "");
    return;
  }
  if (!bus.empty() && !rank && !pid && !local_rank && !device && host.empty()) {
    sections_[event.source].push_back(
        {event.line, section_of(event.source, event.line).host, std::string(bus)});
    return;
  }
  if (host.empty())
    host = event.context.host.empty() ? host_of_source(event.source, event.line) : event.context.host;
  const std::string key = host_key(host);
  read_lists(event, host);
  const auto node_rank = as_rank(event.captures, "node_rank");
  const auto local_size = as_rank(event.captures, "local_size");
  constexpr int kLargestLocalSize = 1024;  // no node runs more; a hostile number must not fill the memory
  if (node_rank && local_size && *local_size <= kLargestLocalSize) {
    bases_[key] = *node_rank * *local_size;
    for (int local = 0; local < *local_size; ++local) locals_[key].insert(local);
    if (const auto nodes = as_rank(event.captures, "nnodes"); nodes && !world_size_)
      world_size_ = *nodes * *local_size;
    return;
  }
  const bool continues = open_.source == event.source && event.line - open_.line <= kTableDistance;
  if (!rank && continues && event.captures.count("rank") == 0) rank = open_.rank;
  if (rank && event.captures.count("rank") != 0) open_ = {event.source, event.line, rank, {}};
  const auto local = local_rank ? local_rank : device;
  if (local) {
    locals_[key].insert(*local);
    if (pid && *pid > 0) local_of_pid_[{key, std::to_string(*pid)}].insert(*local);
    if (!bus.empty()) local_of_bus_[{key, bus_key(bus)}].insert(*local);
  }
  if (rank && device) by_device_[{key, std::to_string(*device)}].insert(*rank);
  tie(rank, local_rank, host, pid, bus);
}

// torchrun prints the ranks of a node as two lists, one below the other.
void RankIndex::read_lists(const Event& event, std::string_view host) {
  const auto locals = parse_rank_list(text_of(event.captures, "local_ranks"));
  const auto globals = parse_rank_list(text_of(event.captures, "global_ranks"));
  if (!locals.empty()) open_ = {event.source, event.line, std::nullopt, locals};
  if (globals.empty() || open_.source != event.source || open_.locals.size() != globals.size() ||
      event.line - open_.line > kTableDistance) {
    return;
  }
  for (std::size_t at = 0; at < globals.size(); ++at) {
    tie(globals[at], open_.locals[at], host, std::nullopt, "");
  }
}

// Ranks are dealt to nodes in blocks: one tie on a host, or all its ranks lying in one block, gives them all.
void RankIndex::guess_bases() {
  std::map<std::string, std::set<int>> offsets;
  for (const auto& [key, ranks] : by_local_) {
    if (ranks.size() == 1) offsets[key.first].insert(*ranks.begin() - std::stoi(key.second));
  }
  for (const auto& [host, offset] : offsets) {
    if (const auto base = only(offset)) bases_.try_emplace(host, *base);
  }
  for (const auto& [host, locals] : locals_) {
    const int count = *locals.rbegin() + 1;
    const std::vector<int> ranks = ranks_on(host);
    if (host.empty() || ranks.size() < 2 || count < 2 || bases_.count(host) != 0) continue;
    const int block = ranks.front() / count;
    if (ranks.back() / count == block) bases_[host] = block * count;
  }
}

// Where nothing ties local ranks to global ones and only one node speaks, the numbers are the same.
void RankIndex::guess_local_ranks(const EventLog& log) {
  int highest = -1;
  std::set<std::string> speaking;
  for (const auto& [key, activity] : log.local_ranks) {
    speaking.insert(host_key(key.first));
    highest = std::max(highest, key.second);
  }
  for (const auto& [host, locals] : locals_) {
    if (!locals.empty()) highest = std::max(highest, *locals.rbegin());
  }
  const int highest_rank = ranks_.empty() ? -1 : ranks_.rbegin()->first;
  const bool consistent = std::all_of(by_local_.begin(), by_local_.end(), [](const auto& entry) {
    return entry.second.size() == 1 && std::to_string(*entry.second.begin()) == entry.first.second;
  });
  constexpr int kLargestNode = 16;
  const bool one_node = speaking.size() <= 1 && hosts_.size() <= 1 && highest_rank < kLargestNode &&
                        (!world_size_ || *world_size_ <= kLargestNode) &&
                        (log.local_ranks.empty() || !world_size_ || highest + 1 >= *world_size_);
  local_is_global_ =
      consistent && (by_local_.empty() ? one_node : speaking.size() <= 1 && highest_rank < kLargestNode);
  for (const auto& [key, activity] : log.local_ranks) {
    if (const auto rank = by_local_rank(key.second, key.first)) ranks_[*rank];
  }
}

bool RankIndex::knows_pids_of(std::string_view host) const {
  const std::string key = host_key(host);
  return std::any_of(by_pid_.begin(), by_pid_.end(),
                     [&](const auto& entry) { return host.empty() || entry.first.first == key; });
}

std::string RankIndex::host_of(const Event& event) const {
  const std::string& own = event.context.host;
  // A line without a host of its own carries the one that its path says; a section head in the text knows
  // better.
  const bool from_path = event.source >= 0 && own == source_hosts_[static_cast<std::size_t>(event.source)];
  return own.empty() || from_path ? host_of_source(event.source, event.line) : own;
}

std::string RankIndex::host_of_source(int source, std::uint64_t line) const {
  if (source < 0) return {};
  if (const Section& section = section_of(source, line); !section.host.empty()) return section.host;
  return source_hosts_[static_cast<std::size_t>(source)];
}

namespace {

// The rank that `number` stands for on `host`; where the host is unknown or names nothing, the only one
// anywhere.
std::optional<int> look_up(const std::map<std::pair<std::string, std::string>, std::set<int>>& table,
                           std::string_view host, const std::string& number) {
  const std::string key = host_key(host);
  if (const auto found = table.find({key, number}); found != table.end()) return only(found->second);
  std::set<int> ranks;
  for (const auto& [entry, mapped] : table) {
    if (entry.second != number) continue;
    // A named host that has entries of its own and not this one is another machine.
    if (!key.empty() && !entry.first.empty() &&
        std::any_of(table.begin(), table.end(),
                    [&](const auto& other) { return other.first.first == key; })) {
      continue;
    }
    ranks.insert(mapped.begin(), mapped.end());
  }
  return only(ranks);
}

}  // namespace

std::optional<int> RankIndex::by_pid(std::int64_t pid, std::string_view host) const {
  if (const auto rank = look_up(by_pid_, host, std::to_string(pid))) return rank;
  const auto local = look_up(local_of_pid_, host, std::to_string(pid));
  return local ? by_local_rank(*local, host) : std::nullopt;
}

std::optional<int> RankIndex::by_bus(std::string_view bus, std::string_view host) const {
  if (const auto rank = look_up(by_bus_, host, bus_key(bus))) return rank;
  const auto local = look_up(local_of_bus_, host, bus_key(bus));
  return local ? by_local_rank(*local, host) : std::nullopt;
}

std::optional<int> RankIndex::by_local_rank(int local_rank, std::string_view host) const {
  if (const auto rank = look_up(by_local_, host, std::to_string(local_rank))) return rank;
  if (const auto base = bases_.find(host_key(host)); base != bases_.end() && !base->first.empty()) {
    return base->second + local_rank;
  }
  if (host.empty() && bases_.size() == 1) return bases_.begin()->second + local_rank;
  if (local_is_global_) return local_rank;
  return std::nullopt;
}

std::optional<int> RankIndex::rank_of(const EventContext& context, int source) const {
  if (context.rank) return context.rank;
  const std::string host = context.host.empty() ? host_of_source(source) : context.host;
  if (context.pid && !context.launcher) {
    if (const auto rank = by_pid(*context.pid, host)) return rank;
  }
  if (context.local_rank) return by_local_rank(*context.local_rank, host);
  return std::nullopt;
}

std::optional<int> RankIndex::rank_of_exit(const ProcessExit& exit) const {
  if (exit.rank) return exit.rank;
  const std::string host = exit.host.empty() ? host_of_source(exit.source) : exit.host;
  if (exit.pid && *exit.pid > 0) {
    if (const auto rank = by_pid(*exit.pid, host)) return rank;
  }
  if (exit.local_rank) return by_local_rank(*exit.local_rank, host);
  return std::nullopt;
}

std::vector<int> RankIndex::named_ranks(const Event& event) const {
  if (const auto list = text_of(event.captures, "ranks"); !list.empty()) return parse_rank_list(list);
  const auto tasks = text_of(event.captures, "tasks");
  return tasks.empty() || tasks_are_nodes_ ? std::vector<int>{} : parse_rank_list(tasks);
}

std::vector<int> RankIndex::ranks_of(const Event& event) const {
  if (auto named = named_ranks(event); !named.empty()) return named;
  if (const auto rank = as_rank(event.captures, "rank")) return {*rank};
  std::string host(text_of(event.captures, "host"));
  if (host.empty())
    host = event.context.host.empty() ? host_of_source(event.source, event.line) : event.context.host;
  const auto one = [](std::optional<int> rank) {
    return rank ? std::vector<int>{*rank} : std::vector<int>{};
  };
  if (event.context.rank && !event.context.launcher) return {*event.context.rank};
  bool names_process = false;
  if (const auto pid = parse_number(text_of(event.captures, "pid"))) {
    if (const auto rank = by_pid(*pid, host)) return {*rank};
    names_process = true;
  }
  if (const auto bus = text_of(event.captures, "bus"); !bus.empty()) return one(by_bus(bus, host));
  if (const auto local = as_rank(event.captures, "local_rank")) return one(by_local_rank(*local, host));
  if (event.context.launcher && names_process) return {};
  if (const auto own = rank_of(event.context, event.source)) return {*own};
  if (const auto device = as_rank(event.captures, "device")) return one(by_device(*device, host));
  if (const auto section = section_of(event.source, event.line); !section.bus.empty()) {
    return one(by_bus(section.bus, host));
  }
  return {};
}

std::optional<int> RankIndex::by_device(int device, std::string_view host) const {
  if (const auto rank = look_up(by_device_, host, std::to_string(device))) return rank;
  return by_local_rank(device, host);
}

const RankIndex::Section& RankIndex::section_of(int source, std::uint64_t line) const {
  static const Section kNone;
  const auto sections = sections_.find(source);
  const Section* last = &kNone;
  if (sections == sections_.end()) return kNone;
  for (const Section& section : sections->second) {
    if (section.line <= line) last = &section;
  }
  return *last;
}

std::vector<int> RankIndex::ranks_on(std::string_view host) const {
  std::vector<int> ranks;
  const std::string key = host_key(host);
  for (const auto& [rank, facts] : ranks_) {
    if (!key.empty() && host_key(facts.host) == key) ranks.push_back(rank);
  }
  return ranks;
}

const RankFacts* RankIndex::facts(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? nullptr : &found->second;
}

std::vector<std::string> RankIndex::hosts() const { return hosts_; }

}  // namespace firstfault
