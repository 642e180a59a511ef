#include "attribution/flight_rule.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "attribution/flight_evidence.hpp"
#include "attribution/flight_groups.hpp"
#include "attribution/flight_mismatch.hpp"
#include "attribution/majority.hpp"

namespace firstfault {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

class FlightJudge {
 public:
  explicit FlightJudge(const EventLog& log) : log_(log), groups_(view_flight_groups(log)) {
    for (const FlightGroupView& group : groups_) {
      for (const auto& [rank, member] : group.members) waiting_ = waiting_ || member.waits;
      waiting_ = waiting_ || !group.peer_waits.empty();
    }
  }

  std::optional<Verdict> judge() {
    if (!waiting_) return std::nullopt;
    if (auto verdict = flight_mismatch(groups_)) return verdict;
    find_edges();
    if (auto verdict = sinks()) return verdict;
    if (auto verdict = blocked()) return verdict;
    return all_equal();
  }

 private:
  struct Edge {
    const FlightGroupView* group = nullptr;
    std::optional<std::int64_t> seq;  // none: a send or receive
    std::int64_t since = kNever;      // by the clocks of the hosts
  };

  // A member waits for those that never issued its call, and for those that hang in an earlier one.
  void find_edges() {
    for (const FlightGroupView& group : groups_) {
      std::map<std::int64_t, std::int64_t> waits;  // number, since when
      std::int64_t least = kNever;                 // where the last member stands
      for (const auto& [rank, member] : group.members) {
        least = std::min(least, member.waits ? *member.waits : member.enqueued);
        if (!member.waits) continue;
        const FlightCall* call = member.call(*member.waits);
        std::int64_t& since = waits.try_emplace(*member.waits, kNever).first->second;
        if (call != nullptr) since = std::min(since, call->entry->created_ns.value_or(kNever));
      }
      for (const auto& [rank, member] : group.members) {
        if (member.waits && (least < *member.waits || !group.missing.empty())) waiters_.insert(rank);
        const auto first = waits.upper_bound(member.waits ? *member.waits : member.enqueued);
        if (first != waits.end()) await(rank, {&group, first->first, first->second});
      }
      for (const int rank : group.missing) {
        if (!waits.empty()) await(rank, {&group, waits.rbegin()->first, waits.rbegin()->second});
      }
      for (const auto& [rank, peers] : group.peer_waits) {
        waiters_.insert(rank);
        for (const int peer : peers) await(peer, {&group, std::nullopt, kNever});
      }
    }
  }

  // Of several groups that wait for a rank the one that began first is told.
  void await(int rank, const Edge& edge) {
    const auto [known, added] = awaited_.try_emplace(rank, edge);
    if (!added && edge.since < known->second.since) known->second = edge;
  }

  bool left_dump(int rank) const {
    return std::any_of(log_.flights.begin(), log_.flights.end(),
                       [&](const FlightSource& flight) { return flight.dump.rank == rank; });
  }

  // Those that others wait for and that wait for nobody.
  std::optional<Verdict> sinks() const {
    std::vector<int> absent;
    std::vector<int> behind;
    const bool all_known =
        std::all_of(log_.flights.begin(), log_.flights.end(),
                    [](const FlightSource& flight) { return flight.dump.rank.has_value(); });
    for (const auto& [rank, edge] : awaited_) {
      if (waiters_.count(rank) != 0) continue;
      if (left_dump(rank)) {
        behind.push_back(rank);
      } else if (all_known) {
        absent.push_back(rank);
      }
    }
    if (!absent.empty()) return missing_verdict(absent, behind);
    if (behind.empty()) return std::nullopt;
    return behind_verdict(behind);
  }

  // The most members of any group that `ranks` are awaited in, of those that left a dump.
  std::size_t present_in_groups(const std::vector<int>& ranks) const {
    std::size_t most = 0;
    for (const int rank : ranks) most = std::max(most, awaited_.at(rank).group->members.size());
    return most;
  }

  Verdict missing_verdict(const std::vector<int>& absent, const std::vector<int>& behind) const {
    std::vector<int> suspects = absent;
    for (const int rank : behind) {
      const bool shares = std::any_of(groups_.begin(), groups_.end(), [&](const FlightGroupView& group) {
        return group.members.count(rank) != 0 && !group.missing.empty();
      });
      if (!shares) suspects.push_back(rank);
    }
    std::sort(suspects.begin(), suspects.end());
    const Edge& edge = awaited_.at(absent.front());
    Verdict verdict;
    verdict.strong = false;
    verdict.pattern = "flight/no-dump";
    verdict.conclusion = "peer-died";
    const std::string names = ranks_text(absent);
    // Most dumps are not here: that says something about the collection, not about the job.
    if (absent.size() > present_in_groups(absent)) {
      verdict.pattern = "flight/few-dumps";
      verdict.conclusion = "timeout-unattributed";
      blame({},
            "the dumps of " + names +
                " are not among the files: with them the rank that the others wait for can be "
                "named",
            &verdict);
    } else {
      blame(suspects,
            "there is no dump of " + names + ", which shares " + edge.group->label() +
                " with the ranks that wait: it had ended or could not write one",
            &verdict);
    }
    finish_wait(edge, behind, &verdict);
    return verdict;
  }

  // A member that finished what it issued and does not come is behind, one that hangs in an earlier call
  // lags.
  bool lags(int rank) const {
    const FlightGroupView& group = *awaited_.at(rank).group;
    const auto member = group.members.find(rank);
    return member != group.members.end() && member->second.waits.has_value();
  }

  bool went_on(int rank, const Edge& edge) const {
    std::int64_t since = -1;
    for (const auto& [other, member] : edge.group->members) {
      const FlightCall* call =
          member.waits && edge.seq == member.waits ? member.call(*member.waits) : nullptr;
      if (call != nullptr && call->entry->created_ns) since = std::max(since, *call->entry->created_ns);
    }
    for (const FlightSource& flight : log_.flights) {
      if (flight.dump.rank != rank || since < 0) continue;
      for (const FlightEntry& entry : flight.dump.entries) {
        if (entry.created_ns && *entry.created_ns > since) return true;
      }
    }
    return false;
  }

  std::optional<Verdict> behind_verdict(const std::vector<int>& suspects) const {
    const Edge& edge = awaited_.at(suspects.front());
    const std::size_t present = present_in_groups(suspects);
    const bool lagging = std::any_of(suspects.begin(), suspects.end(), [&](int rank) { return lags(rank); });
    if (suspects.size() * 2 >= present && present > 2) {
      if (lagging || suspects.size() * 2 == present) return std::nullopt;
      return ahead_verdict(suspects, edge);
    }
    Verdict verdict;
    verdict.pattern = lagging ? "flight/laggard" : "flight/behind";
    verdict.conclusion = "straggler";
    if (!lagging && edge.seq &&
        std::all_of(suspects.begin(), suspects.end(), [&](int rank) { return went_on(rank, edge); })) {
      verdict.conclusion = "skipped-by-rank";
    }
    blame(suspects,
          lagging ? ranks_text(suspects) + " issued the same work in " + edge.group->label() +
                        " and finished less of it than its peers"
                  : ranks_text(suspects) + " never issued " + awaited_text(*edge.group, edge.seq) +
                        " that its peers wait in",
          &verdict);
    finish_wait(edge, suspects, &verdict);
    return verdict;
  }

  // Nearly everybody is behind a few: those few left the common path.
  Verdict ahead_verdict(const std::vector<int>& behind, const Edge& edge) const {
    std::vector<int> ahead;
    for (const auto& [rank, member] : edge.group->members) {
      if (!std::binary_search(behind.begin(), behind.end(), rank)) ahead.push_back(rank);
    }
    Verdict verdict;
    verdict.pattern = "flight/ahead";
    verdict.conclusion = "op-mismatch";
    blame(ahead,
          ranks_text(ahead) + " issued " + awaited_text(*edge.group, edge.seq) +
              " that none of the others issued",
          &verdict);
    finish_wait(edge, ahead, &verdict);
    return verdict;
  }

  void finish_wait(const Edge& edge, const std::vector<int>& suspects, Verdict* verdict) const {
    bool bound = false;
    for (const auto& [rank, member] : edge.group->members) {
      const FlightCall* call = edge.seq ? member.call(*edge.seq) : nullptr;
      if (call == nullptr || bound) continue;
      bind_call(*edge.group, member.dump(), *call, verdict);
      bound = true;
    }
    if (!bound && edge.seq) verdict->bindings["seq"] = std::to_string(*edge.seq);
    for (const int rank : suspects) {
      const auto member = edge.group->members.find(rank);
      if (member == edge.group->members.end()) continue;
      const auto& waits = member->second.waits;
      add_evidence(*edge.group, rank, waits ? member->second.call(*waits) : member->second.last(),
                   waits ? "has not finished" : "last issued", true, verdict);
    }
    for (const auto& [rank, member] : edge.group->members) {
      if (!member.waits || std::find(suspects.begin(), suspects.end(), rank) != suspects.end()) continue;
      add_evidence(*edge.group, rank, member.call(*member.waits), "waits in", false, verdict);
    }
    add_waits(groups_, verdict);
  }

  // Everybody waits in the same call: some kernels run, those of a few never began.
  std::optional<Verdict> blocked() const {
    for (const FlightGroupView& group : groups_) {
      std::map<int, bool> started;
      std::optional<std::int64_t> seq;
      for (const auto& [rank, member] : group.members) {
        const FlightCall* call = member.waits ? member.call(*member.waits) : nullptr;
        if (call == nullptr) continue;
        seq = call->seq;
        started[rank] = call->started;
      }
      const std::vector<int> odd = odd_ones(started);
      if (odd.empty() || started.at(odd.front())) continue;
      Verdict verdict;
      verdict.pattern = "flight/laggard";
      verdict.conclusion = "straggler";
      const Edge edge{&group, seq, kNever};
      blame(odd,
            "the device of " + ranks_text(odd) + " never began " + awaited_text(*edge.group, edge.seq) +
                ", which runs on its peers",
            &verdict);
      finish_wait(edge, odd, &verdict);
      return verdict;
    }
    return std::nullopt;
  }

  // Said only where the dumps are all there is: a log says more.
  std::optional<Verdict> all_equal() const {
    const bool alone = std::all_of(log_.sources.begin(), log_.sources.end(), [](const ScannedSource& source) {
      return source.workspace || source.lines == 0;
    });
    if (!alone) return std::nullopt;
    const FlightGroupView* view = nullptr;
    std::optional<std::int64_t> seq;
    for (const FlightGroupView& group : groups_) {
      for (const auto& [rank, member] : group.members) {
        const FlightCall* call = member.waits ? member.call(*member.waits) : nullptr;
        if (call == nullptr || view != nullptr) continue;
        view = &group;
        seq = member.waits;
      }
    }
    if (view == nullptr) return std::nullopt;
    Verdict verdict;
    verdict.strong = false;
    verdict.pattern = "flight/all-equal";
    verdict.conclusion = "timeout-unattributed";
    blame({},
          "every rank that left a dump waits alike in " + awaited_text(*view, seq) +
              ": the dumps do not tell who held it up",
          &verdict);
    finish_wait({view, seq, kNever}, {}, &verdict);
    return verdict;
  }

  const EventLog& log_;
  std::vector<FlightGroupView> groups_;
  bool waiting_ = false;
  std::set<int> waiters_;
  std::map<int, Edge> awaited_;
};

}  // namespace

std::optional<Verdict> flight_rule(const EventLog& log) {
  if (log.flights.empty()) return std::nullopt;
  return FlightJudge(log).judge();
}

}  // namespace firstfault
