// Which rank wrote a dump: the file itself does not say it, its name and its process groups mostly do.
#include <algorithm>
#include <charconv>
#include <set>

#include "flight/flight_dump.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxRankDigits = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<int> number(std::string_view digits) {
  int value = 0;
  if (digits.empty() || digits.size() > kMaxRankDigits) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// "rank3", "rank_3", "Rank-3"
std::optional<int> after_word(std::string_view name) {
  constexpr std::string_view kWord = "rank";
  for (std::size_t at = name.size(); at-- > 0;) {
    if (at + kWord.size() >= name.size()) continue;
    const bool same = std::equal(kWord.begin(), kWord.end(), name.begin() + static_cast<std::ptrdiff_t>(at),
                                 [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
    if (!same) continue;
    std::size_t begin = at + kWord.size();
    if (std::string_view("_-.=").find(name[begin]) != std::string_view::npos) ++begin;
    if (const auto found = number(name.substr(begin, end_of_digits(name, begin) - begin))) return found;
  }
  return std::nullopt;
}

// The ranks that belong to all groups of the dump; none where it lists no ranks.
std::optional<std::set<int>> candidates(const FlightDump& dump) {
  std::optional<std::set<int>> common;
  for (const auto& [name, group] : dump.groups) {
    if (group.ranks.empty()) continue;
    const std::set<int> members(group.ranks.begin(), group.ranks.end());
    if (!common) {
      common = members;
      continue;
    }
    std::erase_if(*common, [&](int rank) { return members.count(rank) == 0; });
  }
  return common;
}

// "nccl:send 1->0" and "nccl:recv 1<-0" begin with the writer's own number in the group.
std::optional<int> rank_of_calls(const FlightDump& dump) {
  for (const FlightEntry& entry : dump.entries) {
    if (!entry.p2p) continue;
    const auto group = dump.groups.find(entry.group);
    std::size_t begin = entry.op.find("send ");
    if (begin == std::string::npos) begin = entry.op.find("recv ");
    if (group == dump.groups.end() || begin == std::string::npos) continue;
    begin += 5;
    const std::size_t end = end_of_digits(entry.op, begin);
    const auto place = number(std::string_view(entry.op).substr(begin, end - begin));
    const std::string_view arrow = std::string_view(entry.op).substr(end, 2);
    if (!place || (arrow != "->" && arrow != "<-")) continue;
    if (static_cast<std::size_t>(*place) < group->second.ranks.size()) {
      return group->second.ranks[static_cast<std::size_t>(*place)];
    }
  }
  return std::nullopt;
}

std::int64_t last_recorded(const FlightDump& dump) {
  std::int64_t last = -1;
  for (const FlightEntry& entry : dump.entries) last = std::max(last, entry.created_ns.value_or(-1));
  return last;
}

}  // namespace

std::optional<int> rank_of_dump_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  if (const auto named = after_word(name)) return named;
  // "trace_3", "dump-host-3.json", "3.pkl": the last number, an ending aside ("dump_3.v2.json" has 3).
  if (const std::size_t dot = name.find('.', 1); dot != std::string_view::npos) {
    if (std::any_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot), is_digit)) {
      name = name.substr(0, dot);
    } else if (const std::size_t last = name.rfind('.'); end_of_digits(name, last + 1) != name.size()) {
      name = name.substr(0, last);
    }
  }
  std::size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return number(name.substr(begin, end - begin));
}

void settle_dump_ranks(const std::vector<FlightDump*>& dumps) {
  std::map<int, FlightDump*> owners;
  const auto claim = [&owners](FlightDump* dump, int rank) {
    FlightDump*& owner = owners[rank];
    if (owner != nullptr && last_recorded(*owner) >= last_recorded(*dump)) {
      dump->rank.reset();
      return;
    }
    if (owner != nullptr) owner->rank.reset();
    owner = dump;
    dump->rank = rank;
  };
  std::vector<FlightDump*> open;
  for (FlightDump* dump : dumps) {
    const auto fitting = candidates(*dump);
    std::optional<int> rank = dump->rank ? dump->rank : rank_of_calls(*dump);
    const bool named = dump->name_rank && (!fitting || fitting->count(*dump->name_rank) != 0);
    if (!rank && named) rank = dump->name_rank;
    if (!rank && fitting && fitting->size() == 1) rank = *fitting->begin();
    if (rank) {
      claim(dump, *rank);
    } else {
      open.push_back(dump);
    }
  }
  if (open.size() != 1) return;
  auto fitting = candidates(*open.front());
  if (!fitting) return;
  std::erase_if(*fitting, [&](int rank) { return owners.count(rank) != 0; });
  if (fitting->size() == 1) claim(open.front(), *fitting->begin());
}

std::vector<int> flight_world(const std::vector<const FlightDump*>& dumps) {
  for (const FlightDump* dump : dumps) {
    for (const auto& [name, group] : dump->groups) {
      if ((name == "0" || group.desc == "default_pg") && !group.ranks.empty()) return group.ranks;
    }
  }
  return {};
}

}  // namespace firstfault
