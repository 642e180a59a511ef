#include "attribution/clocks.hpp"

#include <algorithm>
#include <map>

namespace firstfault {
namespace {

std::string capture(const Captures& captures, std::string_view name) {
  const auto found = captures.find(name);
  return found == captures.end() ? std::string() : found->second;
}

std::optional<std::int64_t> number(const Captures& captures, std::string_view name) {
  return parse_number(capture(captures, name));
}

// The members of a set of values that differ from a strict majority: at least two agree, and more than half.
template <typename Value>
std::vector<int> minority(const std::map<int, Value>& by_rank) {
  std::map<Value, std::vector<int>> groups;
  for (const auto& [rank, value] : by_rank) groups[value].push_back(rank);
  if (groups.size() < 2) return {};
  const auto largest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (largest->second.size() < 2 || largest->second.size() * 2 <= by_rank.size()) return {};
  std::vector<int> odd;
  for (const auto& [value, ranks] : groups) {
    if (value != largest->first) odd.insert(odd.end(), ranks.begin(), ranks.end());
  }
  std::sort(odd.begin(), odd.end());
  return odd;
}

template <typename Value>
bool differs(const std::map<int, Value>& by_rank) {
  return std::any_of(by_rank.begin(), by_rank.end(),
                     [&](const auto& entry) { return entry.second != by_rank.begin()->second; });
}

template <typename Value>
Value most_common(const std::map<int, Value>& by_rank) {
  std::map<Value, std::size_t> counts;
  for (const auto& [rank, value] : by_rank) ++counts[value];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

Initiator ranks_initiator(std::vector<int> ranks, std::string why) {
  Initiator initiator;
  initiator.scope = ranks.empty() ? Scope::kUnknown : ranks.size() == 1 ? Scope::kRank : Scope::kRanks;
  initiator.ranks = std::move(ranks);
  initiator.why = std::move(why);
  return initiator;
}

std::string describe(const Clocks::Wait& wait) {
  std::string text = wait.op.empty() ? "a collective" : wait.op;
  if (wait.seq) text += " " + std::to_string(*wait.seq);
  if (!wait.shape.empty()) text += " of " + wait.shape;
  return text;
}

}  // namespace

Clocks::Clocks(const Findings& findings, const RankIndex& index) : index_(index) {
  for (const Finding& finding : findings.all) {
    if (finding.counts()) read(finding);
  }
}

void Clocks::read(const Finding& finding) {
  const Gives gives = finding.signature->gives;
  if (gives == Gives::kPeerLost) lost_.push_back(&finding);
  if (gives == Gives::kCollectiveAbsent) absences_.push_back(&finding);
  if (gives == Gives::kCollectiveIssue) {
    const auto add = [&](std::optional<int> rank, const std::string& suffix) {
      if (!rank) return;
      Wait wait;
      wait.finding = &finding;
      wait.rank = *rank;
      wait.op = capture(finding.captures, suffix + "op");
      wait.shape = capture(finding.captures, suffix + "shape");
      wait.seq = number(finding.captures, suffix + "seq");
      if (!wait.op.empty() || !wait.shape.empty()) issued_.push_back(std::move(wait));
    };
    const auto own = number(finding.captures, "rank");
    const auto other = number(finding.captures, "other_rank");
    add(own                     ? std::optional<int>(static_cast<int>(*own))
        : finding.ranks.empty() ? std::nullopt
                                : std::optional<int>(finding.ranks.front()),
        "");
    add(other ? std::optional<int>(static_cast<int>(*other)) : std::nullopt, "other_");
    return;
  }
  if (gives != Gives::kCollectiveTimeout && gives != Gives::kCollectiveStatus) return;
  if (finding.ranks.size() != 1) return;
  const int rank = finding.ranks.front();
  const std::string& group = finding.group;
  const auto seq = number(finding.captures, "seq");
  auto place = std::find_if(waits_.begin(), waits_.end(), [&](const Wait& wait) {
    return wait.rank == rank && (group.empty() || wait.group.empty() || wait.group == group) &&
           (!seq || !wait.seq || *seq == *wait.seq);
  });
  if (place == waits_.end()) {
    waits_.push_back({});
    place = waits_.end() - 1;
    place->rank = rank;
    place->finding = &finding;
  }
  const auto keep = [](std::string* to, std::string value) {
    if (to->empty()) *to = std::move(value);
  };
  keep(&place->group, group);
  keep(&place->op, capture(finding.captures, "op"));
  keep(&place->shape, capture(finding.captures, "numel_in"));
  keep(&place->shape, capture(finding.captures, "shape"));
  if (!place->seq) place->seq = seq;
  if (!place->enqueued) place->enqueued = number(finding.captures, "last_enqueued");
  if (!place->completed) place->completed = number(finding.captures, "last_completed");
  if (gives == Gives::kCollectiveTimeout && place->finding->signature->gives != Gives::kCollectiveTimeout) {
    place->finding = &finding;
  }
}

const Clocks::Wait* Clocks::wait_of(int rank) const {
  for (const Wait& wait : waits_) {
    if (wait.rank == rank) return &wait;
  }
  for (const Wait& wait : issued_) {
    if (wait.rank == rank) return &wait;
  }
  return nullptr;
}

std::optional<Verdict> Clocks::strong() const {
  if (auto verdict = fingerprints()) return verdict;
  if (auto verdict = mismatch()) return verdict;
  if (auto verdict = behind()) return verdict;
  return absent();
}

// "Rank 2 failed to pass monitoredBarrier": the named ranks, but not those that did the naming (who wait for
// rank 0 because rank 0 waits for others name rank 0).
std::optional<Verdict> Clocks::absent() const {
  std::set<int> named;
  std::set<int> naming;
  for (const Finding* finding : absences_) {
    std::vector<int> ranks = parse_rank_list(capture(finding->captures, "ranks"));
    if (const auto peer = number(finding->captures, "peer_rank")) ranks.push_back(static_cast<int>(*peer));
    if (ranks.empty() && finding->captures.count("rank") != 0) ranks = finding->ranks;
    named.insert(ranks.begin(), ranks.end());
    if (const auto reporter = number(finding->captures, "reporter"))
      naming.insert(static_cast<int>(*reporter));
  }
  std::vector<int> suspects;
  for (const int rank : named) {
    const bool waits =
        std::any_of(waits_.begin(), waits_.end(), [&](const Wait& wait) { return wait.rank == rank; });
    if (naming.count(rank) == 0 && !waits) suspects.push_back(rank);
  }
  if (suspects.empty()) suspects.assign(named.begin(), named.end());
  if (suspects.empty() || absences_.empty()) return std::nullopt;
  if (index_.world_size() && static_cast<int>(suspects.size()) >= *index_.world_size()) return std::nullopt;
  Verdict verdict;
  verdict.pattern = "clock/named-absent";
  verdict.conclusion = "straggler";
  verdict.initiator = ranks_initiator(
      suspects, ranks_text(suspects) + " did not join the collective that the others wait in");
  for (const Finding* finding : absences_) {
    if (verdict.evidence.size() < 4)
      verdict.evidence.push_back(evidence_of(*finding, "names the rank that is missing"));
    // A line that is one framework's alone explains itself.
    if (verdict.finding == nullptr && !finding->signature->fix.summary.text.empty())
      verdict.finding = finding;
  }
  return verdict;
}

// ProcessGroupWrapper: every rank prints what it is about to run; the odd one out is the suspect.
std::optional<Verdict> Clocks::fingerprints() const {
  std::map<int, std::string> ops;
  std::map<int, std::string> shapes;
  std::map<int, std::string> whole;
  for (const Wait& wait : issued_) {
    ops.try_emplace(wait.rank, wait.op);
    shapes.try_emplace(wait.rank, wait.shape);
    whole.try_emplace(wait.rank,
                      wait.op + " " + wait.shape + (wait.seq ? " #" + std::to_string(*wait.seq) : ""));
  }
  if (whole.size() < 2 || (!differs(ops) && !differs(shapes))) return std::nullopt;
  const bool by_op = differs(ops);
  const std::vector<int> odd = by_op ? minority(ops) : minority(shapes);
  Verdict verdict;
  verdict.pattern = odd.empty() ? "clock/fingerprint-tie" : "clock/fingerprint-minority";
  verdict.conclusion = by_op ? "op-mismatch" : "shape-mismatch";
  if (odd.empty()) {
    verdict.initiator =
        ranks_initiator({}, "the ranks disagree about the collective and no majority tells which is right");
  } else {
    verdict.initiator =
        ranks_initiator(odd, ranks_text(odd) + " issued " + whole[odd.front()] + ", the others " +
                                 std::find_if(whole.begin(), whole.end(), [&](const auto& entry) {
                                   return !std::binary_search(odd.begin(), odd.end(), entry.first);
                                 })->second);
  }
  std::set<int> shown;
  for (const Wait& wait : issued_) {
    if (verdict.evidence.size() >= 6 || !shown.insert(wait.rank).second) continue;
    verdict.evidence.push_back(
        evidence_of(*wait.finding, "rank " + std::to_string(wait.rank) + " runs " + describe(wait)));
    verdict.evidence.back().rank = wait.rank;
  }
  return verdict;
}

// Watchdog timeouts at the same number of the same group with different operations or sizes.
std::optional<Verdict> Clocks::mismatch() const {
  std::map<std::string, std::map<int, const Wait*>> groups;
  for (const Wait& wait : waits_) {
    if (!wait.op.empty()) groups[wait.group].try_emplace(wait.rank, &wait);
  }
  for (const auto& [group, members] : groups) {
    // Only what waits at one number can be compared: members of other groups, where the log names no groups,
    // count numbers of their own.
    std::map<int, std::int64_t> seqs;
    for (const auto& [rank, wait] : members) seqs[rank] = wait->seq.value_or(-1);
    const std::int64_t number_of_most = most_common(seqs);
    std::map<int, std::string> ops;
    std::map<int, std::string> shapes;
    for (const auto& [rank, wait] : members) {
      if (seqs[rank] != number_of_most) continue;
      ops[rank] = wait->op;
      shapes[rank] = wait->shape;
    }
    if (ops.size() < 2 || ops.size() * 2 < members.size()) continue;
    const bool by_op = differs(ops);
    if (!by_op && !differs(shapes)) continue;
    const std::vector<int> odd = by_op ? minority(ops) : minority(shapes);
    Verdict verdict;
    verdict.pattern = odd.empty() ? "clock/mismatch-tie" : "clock/mismatch-minority";
    verdict.conclusion = by_op ? "op-mismatch" : "shape-mismatch";
    const Wait* first = members.begin()->second;
    verdict.initiator =
        odd.empty()
            ? ranks_initiator({},
                              "the ranks wait in different collectives and no majority tells which is right")
            : ranks_initiator(odd, ranks_text(odd) + " waits in " + describe(*members.at(odd.front())) +
                                       ", the others in another one");
    for (const int rank : odd) first = members.at(rank);
    if (first->seq) verdict.bindings["seq"] = std::to_string(*first->seq);
    verdict.bindings["op"] = first->op;
    for (const auto& [rank, wait] : members) {
      if (verdict.evidence.size() < 6) {
        verdict.evidence.push_back(
            evidence_of(*wait->finding, "rank " + std::to_string(rank) + " waits in " + describe(*wait)));
      }
    }
    return verdict;
  }
  return std::nullopt;
}

// A member whose last enqueued work is below what its peers wait in never issued it.
std::optional<Verdict> Clocks::behind() const {
  std::map<std::string, std::map<int, const Wait*>> groups;
  for (const Wait& wait : waits_) groups[wait.group].try_emplace(wait.rank, &wait);
  for (const auto& [group, members] : groups) {
    // Where a member waits, and how far it has issued. Without a group's name only members that say how far
    // they have issued are of one group for certain: numbers alone may be those of different groups.
    std::map<int, std::int64_t> waits_at;
    std::map<int, std::int64_t> issued;
    for (const auto& [rank, wait] : members) {
      if (group.empty() && !wait->enqueued) continue;
      if (!wait->enqueued && !wait->seq) continue;
      issued[rank] = std::max(wait->enqueued.value_or(-1), wait->seq.value_or(-1));
      waits_at[rank] = wait->seq ? *wait->seq : wait->completed ? *wait->completed + 1 : *wait->enqueued;
    }
    if (waits_at.size() < 2 || !(differs(waits_at) || differs(issued))) continue;
    const std::int64_t awaited = most_common(waits_at);
    std::vector<int> suspects;
    for (const auto& [rank, number] : issued) {
      if (number < awaited) suspects.push_back(rank);
    }
    bool laggard = false;
    if (suspects.empty()) {
      laggard = true;
      for (const auto& [rank, number] : waits_at) {
        const auto& completed = members.at(rank)->completed;
        if (number < awaited && completed && *completed < awaited - 1) suspects.push_back(rank);
      }
    }
    if (suspects.size() * 2 >= waits_at.size()) suspects.clear();
    if (suspects.empty()) continue;
    Verdict verdict;
    verdict.pattern = laggard ? "clock/laggard" : "clock/behind";
    verdict.conclusion = "straggler";
    verdict.initiator = ranks_initiator(
        suspects, laggard
                      ? ranks_text(suspects) + " issued the same work and finished less of it than its peers"
                      : ranks_text(suspects) + " never issued the work that its peers wait in");
    verdict.bindings["seq"] = std::to_string(awaited);
    for (const int rank : suspects) {
      const Wait* wait = members.at(rank);
      verdict.evidence.push_back(
          evidence_of(*wait->finding, "rank " + std::to_string(rank) + " stands behind its peers"));
    }
    for (const auto& [rank, wait] : members) {
      if (verdict.evidence.size() >= 6 || std::binary_search(suspects.begin(), suspects.end(), rank))
        continue;
      verdict.evidence.push_back(
          evidence_of(*wait->finding, "rank " + std::to_string(rank) + " waits in " + describe(*wait)));
    }
    return verdict;
  }
  return std::nullopt;
}

// The host that runs exactly the silent ranks, "" where there is none.
std::string Clocks::silent_host(const std::vector<int>& suspects, const std::set<int>& victims) const {
  const RankFacts* first = index_.facts(suspects.front());
  if (suspects.size() < 2 || first == nullptr || first->host.empty()) return {};
  for (const int rank : index_.ranks_on(first->host)) {
    if (victims.count(rank) != 0) return {};
  }
  for (const int rank : suspects) {
    const RankFacts* facts = index_.facts(rank);
    if (facts == nullptr || host_key(facts->host) != host_key(first->host)) return {};
  }
  return first->host;
}

std::optional<Verdict> Clocks::silent(const std::set<int>& speaking_members) const {
  std::set<int> victims;
  bool waited = false;
  for (const Wait& wait : waits_) {
    victims.insert(wait.rank);
    waited = true;
  }
  std::map<int, const Finding*> lines;
  for (const Finding* finding : lost_) {
    for (const int rank : finding->ranks) {
      victims.insert(rank);
      lines.try_emplace(rank, finding);
    }
  }
  for (const Wait& wait : waits_) lines.try_emplace(wait.rank, wait.finding);
  std::vector<int> suspects;
  for (const int rank : speaking_members) {
    if (victims.count(rank) == 0) suspects.push_back(rank);
  }
  if (suspects.empty() || victims.empty()) return std::nullopt;
  // One absence says something; many absences say that the log is not whole, unless they are all of one host.
  const std::string host = silent_host(suspects, victims);
  const bool few = suspects.size() == 1 ? (speaking_members.size() >= 3 || victims.size() == 1) : false;
  if (!few && host.empty()) return std::nullopt;
  Verdict verdict;
  verdict.strong = false;
  verdict.pattern = waited ? "clock/silent-while-others-wait" : "peer-lost/silent";
  verdict.conclusion = waited ? "straggler" : "peer-died";
  verdict.initiator = ranks_initiator(
      suspects, waited ? ranks_text(suspects) + " reports no wait while every other rank does"
                       : ranks_text(suspects) +
                             " left no failure line of its own and every other rank lost its connection");
  for (const auto& [rank, finding] : lines) {
    if (verdict.evidence.size() < 5) {
      verdict.evidence.push_back(
          evidence_of(*finding, waited ? "rank " + std::to_string(rank) + " waits"
                                       : "rank " + std::to_string(rank) + " lost a peer"));
    }
  }
  if (!host.empty()) verdict.initiator.hosts.push_back(host);
  for (const Wait& wait : waits_) {
    if (wait.seq) verdict.bindings.try_emplace("seq", std::to_string(*wait.seq));
    if (!wait.op.empty()) verdict.bindings.try_emplace("op", wait.op);
  }
  return verdict;
}

std::optional<Verdict> Clocks::unattributed() const {
  if (waits_.empty() && lost_.empty() && absences_.empty()) return std::nullopt;
  Verdict verdict;
  verdict.strong = false;
  const bool waited = !waits_.empty() || !absences_.empty();
  verdict.pattern = waited ? "clock/all-equal" : "peer-lost/unattributed";
  verdict.conclusion = waited ? "timeout-unattributed" : "peer-died";
  verdict.initiator =
      ranks_initiator({}, waited ? "every rank that speaks waits alike: the log does not tell who was missing"
                                 : "ranks lost their peers and the log does not tell who went first");
  for (const Wait& wait : waits_) {
    if (verdict.evidence.size() < 5) {
      verdict.evidence.push_back(
          evidence_of(*wait.finding, "rank " + std::to_string(wait.rank) + " waits in " + describe(wait)));
    }
  }
  for (const Finding* finding : lost_) {
    if (verdict.evidence.size() < 5) verdict.evidence.push_back(evidence_of(*finding, "lost a peer"));
  }
  return verdict;
}

}  // namespace firstfault
