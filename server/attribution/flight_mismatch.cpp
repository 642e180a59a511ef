#include "attribution/flight_mismatch.hpp"

#include <algorithm>
#include <map>

#include "attribution/flight_evidence.hpp"
#include "attribution/majority.hpp"

namespace firstfault {
namespace {

constexpr std::int64_t kMaxSkipped = 8;   // calls that a rank left out
constexpr std::size_t kShiftedCalls = 3;  // that have to agree before a shift is believed

struct Mismatch {
  const FlightGroupView* group = nullptr;
  std::int64_t seq = 0;
  bool by_op = false;
  std::int64_t created = 0;
};

// The lowest number under which members issued different calls.
std::optional<Mismatch> first_mismatch(const FlightGroupView& group) {
  struct Seen {
    const FlightCall* call = nullptr;
    bool op = false;
    bool shape = false;
    bool all_done = true;
  };
  std::map<std::int64_t, Seen> numbers;
  for (const auto& [rank, member] : group.members) {
    for (const FlightCall& call : member.calls) {
      Seen& seen = numbers[call.seq];
      if (seen.call == nullptr) seen.call = &call;
      seen.op = seen.op || seen.call->op != call.op;
      seen.shape = seen.shape || seen.call->shape != call.shape;
      seen.all_done = seen.all_done && call.done;
    }
  }
  for (const auto& [seq, seen] : numbers) {
    // Different sizes that everybody got through did no harm.
    if (!seen.op && (!seen.shape || seen.all_done)) continue;
    return Mismatch{&group, seq, seen.op, seen.call->entry->created_ns.value_or(0)};
  }
  return std::nullopt;
}

// Whether `member` goes on as `peer` does some calls later: it left those calls out.
bool skipped(const FlightMember& member, const FlightMember& peer, std::int64_t seq) {
  for (std::int64_t shift = 1; shift <= kMaxSkipped; ++shift) {
    std::size_t same = 0;
    bool differs = false;
    for (auto call = member.calls.begin(); call != member.calls.end() && !differs; ++call) {
      if (call->seq < seq) continue;
      const FlightCall* other = peer.call(call->seq + shift);
      if (other == nullptr) break;
      differs = other->op != call->op || other->shape != call->shape;
      ++same;
    }
    if (!differs && same >= kShiftedCalls) return true;
  }
  return false;
}

bool all_skipped(const Mismatch& found, const std::vector<int>& odd) {
  const FlightMember* peer = nullptr;
  for (const auto& [rank, member] : found.group->members) {
    if (!std::binary_search(odd.begin(), odd.end(), rank) && member.call(found.seq) != nullptr)
      peer = &member;
  }
  return peer != nullptr && std::all_of(odd.begin(), odd.end(), [&](int rank) {
           return skipped(found.group->members.at(rank), *peer, found.seq);
         });
}

void name_odd(const Mismatch& found, const std::map<int, const FlightCall*>& calls,
              const std::vector<int>& odd, Verdict* verdict) {
  const auto call_of = [&](int rank) {
    return call_text(found.group->members.at(rank).dump(), *calls.at(rank));
  };
  if (odd.empty()) {
    blame({},
          "the members of " + found.group->label() + " issued different calls under number " +
              std::to_string(found.seq) + " and no majority tells which is right",
          verdict);
  } else {
    const int peer = std::find_if(calls.begin(), calls.end(), [&](const auto& entry) {
                       return !std::binary_search(odd.begin(), odd.end(), entry.first);
                     })->first;
    if (all_skipped(found, odd)) {
      verdict->conclusion = "skipped-by-rank";
      verdict->pattern = "flight/skipped";
    }
    blame(odd,
          ranks_text(odd) + " issued " + call_of(odd.front()) + " in " + found.group->label() +
              " where the others issued " + call_of(peer),
          verdict);
  }
}

Verdict mismatch_verdict(const Mismatch& found, const std::vector<FlightGroupView>& groups) {
  std::map<int, std::string> ops;
  std::map<int, std::size_t> shapes;
  std::map<int, const FlightCall*> calls;
  for (const auto& [rank, member] : found.group->members) {
    const FlightCall* call = member.call(found.seq);
    if (call == nullptr) continue;
    calls[rank] = call;
    ops[rank] = call->op;
    shapes[rank] = call->shape;
  }
  const std::vector<int> odd = found.by_op ? odd_ones(ops) : odd_ones(shapes);
  Verdict verdict;
  verdict.conclusion = found.by_op ? "op-mismatch" : "shape-mismatch";
  verdict.pattern = odd.empty() ? "flight/mismatch-tie" : "flight/mismatch-minority";
  name_odd(found, calls, odd, &verdict);
  const int shown = odd.empty() ? calls.begin()->first : odd.front();
  bind_call(*found.group, found.group->members.at(shown).dump(), *calls.at(shown), &verdict);
  for (const bool odd_first : {true, false}) {
    for (const auto& [rank, call] : calls) {
      if (std::binary_search(odd.begin(), odd.end(), rank) != odd_first) continue;
      add_evidence(*found.group, rank, call, "issued", odd_first || odd.empty(), &verdict);
    }
  }
  add_waits(groups, &verdict);
  return verdict;
}

}  // namespace

std::optional<Verdict> flight_mismatch(const std::vector<FlightGroupView>& groups) {
  std::optional<Mismatch> first;
  for (const FlightGroupView& group : groups) {
    const auto found = first_mismatch(group);
    if (found && (!first || found->created < first->created)) first = found;
  }
  if (!first) return std::nullopt;
  return mismatch_verdict(*first, groups);
}

}  // namespace firstfault
