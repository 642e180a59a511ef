#include "attribution/rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "attribution/unranked.hpp"

namespace firstfault {
namespace {

constexpr double kSameMoment = 2.0;      // seconds between equal faults that count as one
constexpr double kClearlyEarlier = 1.0;  // seconds on one host
constexpr int kClearlyMoreSpecific = 20;
constexpr double kLongBefore = 3600;  // a physical event this long before any other sign is another story

bool is_engine_hook(const Finding& finding) {
  switch (finding.signature->gives) {
    case Gives::kCollectiveTimeout:
    case Gives::kCollectiveStatus:
    case Gives::kCollectiveIssue:
    case Gives::kCollectiveAbsent:
    case Gives::kPeerLost:
    case Gives::kExit:
    case Gives::kSignalled:
      return true;
    default:
      return false;
  }
}

bool is_generic(const Finding& finding) { return !finding.signature->match.derived.empty(); }

bool is_own_cause(const Finding& finding) {
  return finding.counts() && !is_engine_hook(finding) && finding.signature->tier != Tier::kFact &&
         (finding.signature->role == Role::kCause || finding.signature->role == Role::kEither);
}

Scope scope_named(const std::string& name) {
  if (name == "host") return Scope::kHost;
  if (name == "launcher") return Scope::kLauncher;
  if (name == "external") return Scope::kExternal;
  if (name == "all") return Scope::kAll;
  return Scope::kRank;
}

void set_ranks(std::vector<int> ranks, const RankIndex& index, Initiator* initiator) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::size_t known = index.ranks().size();
  if (index.world_size()) known = std::max(known, static_cast<std::size_t>(*index.world_size()));
  if (ranks.size() > 1 && ranks.size() >= known) {
    initiator->scope = Scope::kAll;
    initiator->ranks.clear();
    return;
  }
  initiator->scope = ranks.empty() ? Scope::kUnknown : ranks.size() == 1 ? Scope::kRank : Scope::kRanks;
  initiator->ranks = std::move(ranks);
}

// When a failure line's story began: a timeout tells of a wait as long as it ran.
std::optional<Timestamp> began(const Finding& finding) {
  std::optional<Timestamp> time = finding.time;
  for (const char* name : {"ran_ms", "timeout_ms"}) {
    const auto duration = finding.captures.find(name);
    const auto milliseconds =
        duration == finding.captures.end() ? std::nullopt : parse_number(duration->second);
    if (!time || !milliseconds || *milliseconds < 0) continue;
    time->nanoseconds -= *milliseconds * 1000000;
    break;
  }
  return time;
}

std::optional<std::int64_t> step_of(const Finding& finding) {
  const auto step = finding.captures.find("step");
  return step == finding.captures.end() ? std::nullopt : parse_number(step->second);
}

// Where every line counts steps, the ranks at the lowest one: a NaN spreads to all of them with the next
// reduction.
std::vector<int> ranks_at_lowest_step(const std::vector<const Finding*>& equal) {
  std::optional<std::int64_t> lowest;
  for (const Finding* finding : equal) {
    const auto step = step_of(*finding);
    if (!step) return {};
    if (!lowest || *step < *lowest) lowest = step;
  }
  std::vector<int> ranks;
  for (const Finding* finding : equal) {
    if (step_of(*finding) == lowest) ranks.insert(ranks.end(), finding->ranks.begin(), finding->ranks.end());
  }
  return ranks;
}

// Ranks whose equal fault came at the same moment as the first one; all of them where the lines have no
// times.
std::vector<int> ranks_at_first(const std::vector<const Finding*>& equal) {
  if (auto ranks = ranks_at_lowest_step(equal); !ranks.empty()) return ranks;
  const Finding* first = equal.front();
  for (const Finding* finding : equal) {
    const auto gap = seconds_between(finding->time, first->time);
    if (gap && *gap < 0) first = finding;
  }
  std::vector<int> ranks;
  for (const Finding* finding : equal) {
    const auto gap = seconds_between(finding->time, first->time);
    if (!gap || *gap <= kSameMoment) ranks.insert(ranks.end(), finding->ranks.begin(), finding->ranks.end());
  }
  return ranks;
}

// The host where all of the ranks run, "" if they run on several or it is not known.
std::string common_host(const std::vector<int>& ranks, const RankIndex& index) {
  std::string host;
  for (const int rank : ranks) {
    const RankFacts* facts = index.facts(rank);
    if (facts == nullptr || facts->host.empty()) return {};
    if (!host.empty() && host_key(host) != host_key(facts->host)) return {};
    host = facts->host;
  }
  return host;
}

Verdict verdict_of(const Finding& best, const std::vector<const Finding*>& equal, const Findings& findings,
                   const RankIndex& index, std::string pattern, std::string why) {
  Verdict verdict;
  verdict.pattern = std::move(pattern);
  verdict.finding = &best;
  verdict.bindings = best.captures;
  Initiator& initiator = verdict.initiator;
  initiator.why = std::move(why);
  for (const Finding* finding : equal) {
    if (verdict.evidence.size() < 4) verdict.evidence.push_back(evidence_of(*finding, initiator.why));
  }
  const Scope scope = scope_named(best.signature->scope);
  if (scope == Scope::kExternal || scope == Scope::kLauncher || scope == Scope::kAll) {
    initiator.scope = scope;
    return verdict;
  }
  set_ranks(ranks_at_first(equal), index, &initiator);
  if (scope == Scope::kHost) {
    std::string host;
    for (const Finding* finding : equal) {  // a host that the text names, before the one that reports it
      if (const auto named = finding->captures.find("host");
          host.empty() && named != finding->captures.end()) {
        host = named->second;
      }
    }
    if (host.empty()) host = common_host(initiator.ranks, index);
    for (const Finding* finding : equal) {
      if (host.empty()) host = finding->host;
    }
    if (!host.empty()) initiator.hosts.push_back(host);
    initiator.scope = Scope::kHost;
    initiator.ranks.clear();
    return verdict;
  }
  if (initiator.scope != Scope::kUnknown) return verdict;
  if (auto guess = guess_ranks(equal, findings, index)) {
    verdict.pattern += "/" + guess->pattern;
    initiator.why = guess->why;
    set_ranks(guess->ranks, index, &initiator);
    if (guess->evidence) verdict.evidence.push_back(std::move(*guess->evidence));
    return verdict;
  }
  const bool of_a_host = best.launcher && best.signature->tier == Tier::kPhysical;
  if (!best.host.empty() && (of_a_host || index.hosts().size() > 1)) {
    initiator.scope = Scope::kHost;
    initiator.hosts.push_back(best.host);
  }
  return verdict;
}

// The order in which causes explain one rank: cause before either, physical before exception, specific before
// generic, early before late.
bool explains_better(const Finding& a, const Finding& b) {
  const int left = weight(a);
  const int right = weight(b);
  return left != right ? left > right : a.order < b.order;
}

// Equal faults: the same signature, and for exceptions that no signature knows the same type.
std::string fault_key(const Finding& finding) {
  std::string key = finding.signature->id;
  if (!is_generic(finding)) return key;
  const auto type = finding.captures.find("exception");
  return type == finding.captures.end() ? key : key + " " + type->second;
}

std::vector<const Finding*> equal_to(const Finding& wanted, const std::vector<const Finding*>& findings) {
  std::vector<const Finding*> equal;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(equal),
               [&](const Finding* finding) { return fault_key(*finding) == fault_key(wanted); });
  return equal;
}

// Of several ranks with different faults: the one whose fault nobody else has, where the others agree with
// each other.
const Finding* odd_one_out(const std::map<int, const Finding*>& by_rank) {
  std::map<std::string, std::vector<const Finding*>> groups;
  for (const auto& [rank, finding] : by_rank) groups[fault_key(*finding)].push_back(finding);
  if (groups.size() != 2 || by_rank.size() < 4) return nullptr;
  for (const auto& [key, members] : groups) {
    if (members.size() == 1) return members.front();
  }
  return nullptr;
}

const Finding* first_of(const std::map<int, const Finding*>& by_rank) {
  const Finding* best = nullptr;
  for (const auto& [rank, finding] : by_rank) {
    if (best == nullptr) {
      best = finding;
      continue;
    }
    const int gap = finding->signature->specificity - best->signature->specificity;
    const bool role_better =
        finding->signature->role == Role::kCause && best->signature->role == Role::kEither;
    const bool role_worse =
        finding->signature->role == Role::kEither && best->signature->role == Role::kCause;
    if (role_better || role_worse) {
      if (role_better) best = finding;
      continue;
    }
    if (gap >= kClearlyMoreSpecific || gap <= -kClearlyMoreSpecific) {
      if (gap > 0) best = finding;
      continue;
    }
    const auto later = seconds_between(best->time, finding->time);
    const bool earlier =
        later && std::abs(*later) > kClearlyEarlier ? *later > 0 : finding->order < best->order;
    if (earlier) best = finding;
  }
  return best;
}

}  // namespace

int weight(const Finding& finding) {
  int value = finding.signature->specificity;
  switch (finding.signature->tier) {
    case Tier::kPhysical:
      value += 120;
      break;
    case Tier::kException:
    case Tier::kClock:
      value += 80;
      break;
    case Tier::kKill:
      value += 60;
      break;
    case Tier::kSymptom:
    case Tier::kFact:
      break;
  }
  if (finding.signature->role == Role::kEither) value -= 60;
  if (finding.signature->role == Role::kConsequence) value -= 200;
  if (!finding.counts()) value -= 1000;
  return value;
}

const Finding* own_finding(const Findings& findings, int rank) {
  const Finding* best = nullptr;
  for (const Finding& finding : findings.all) {
    if (!is_own_cause(finding)) continue;
    if (std::find(finding.ranks.begin(), finding.ranks.end(), rank) == finding.ranks.end()) continue;
    if (best == nullptr || explains_better(finding, *best)) best = &finding;
  }
  return best;
}

std::optional<Verdict> physical_rule(const Findings& findings, const RankIndex& index) {
  std::vector<const Finding*> physical;
  std::optional<Timestamp> failure;
  for (const Finding& finding : findings.all) {
    if (finding.signature->tier == Tier::kPhysical && finding.signature->role == Role::kCause &&
        finding.counts()) {
      physical.push_back(&finding);
    } else if (finding.counts() && !failure) {
      failure = began(finding);
    }
  }
  std::erase_if(physical, [&](const Finding* finding) {
    const auto before = seconds_between(failure, finding->time);
    return before && *before > kLongBefore;
  });
  if (physical.empty()) return std::nullopt;
  const Finding* best = physical.front();
  for (const Finding* finding : physical) {
    const bool tied = !finding->ranks.empty() || !finding->signature->scope.empty();
    const bool best_tied = !best->ranks.empty() || !best->signature->scope.empty();
    const int gap = finding->signature->specificity - best->signature->specificity;
    if (gap > 0 || (gap == 0 && tied && !best_tied)) best = finding;
  }
  const auto equal = equal_to(*best, physical);
  return verdict_of(*best, equal, findings, index, best->ranks.empty() ? "physical/host" : "physical/rank",
                    best->signature->title + " lies before the failure");
}

std::optional<Verdict> exception_rule(const Findings& findings, const RankIndex& index, bool generic) {
  std::map<int, const Finding*> by_rank;
  std::vector<const Finding*> causes;
  const Finding* unranked = nullptr;
  for (const Finding& finding : findings.all) {
    if (!is_own_cause(finding) || finding.signature->role != Role::kCause) continue;
    if (is_generic(finding) && !generic) continue;
    causes.push_back(&finding);
    if (finding.ranks.empty() && (unranked == nullptr || explains_better(finding, *unranked)))
      unranked = &finding;
    for (const int rank : finding.ranks) {
      const Finding*& best = by_rank[rank];
      if (best == nullptr || explains_better(finding, *best)) best = &finding;
    }
  }
  if (causes.empty()) return std::nullopt;
  if (!by_rank.empty()) {
    const Finding* ranked = nullptr;
    std::string pattern = "own-exception/first";
    std::string why = "its own failure line is the first that no progress followed";
    if (by_rank.size() == 1) {
      ranked = by_rank.begin()->second;
      pattern = "own-exception/only";
      why = "it alone reports a failure of its own";
    } else if ((ranked = odd_one_out(by_rank)) != nullptr) {
      pattern = "own-exception/odd-one-out";
      why = "its failure is its own, while the others share another one";
    } else {
      ranked = first_of(by_rank);
    }
    if (unranked == nullptr || weight(*unranked) <= weight(*ranked) + kClearlyMoreSpecific) {
      std::vector<const Finding*> equal;
      for (const auto& [rank, finding] : by_rank) {
        if (fault_key(*finding) == fault_key(*ranked)) equal.push_back(finding);
      }
      if (equal.size() > 1 && pattern == "own-exception/first") {
        pattern = "own-exception/shared";
        why = "these ranks report the same failure of their own";
      }
      return verdict_of(*ranked, equal, findings, index, pattern, why);
    }
  }
  return verdict_of(*unranked, equal_to(*unranked, causes), findings, index, "own-exception/unranked",
                    "no line says which rank printed it");
}

namespace {

std::string conclusion_of_signal(int signal) {
  switch (signal) {
    case 9:
      return "killed-unexplained";
    case 11:
      return "segfault";
    case 7:
      return "bus-error";
    case 4:
      return "illegal-instruction";
    case 6:
      return "abort";
    default:
      return "terminated-by-signal";
  }
}

Verdict exit_verdict(const std::vector<const RankExit*>& exits, const RankIndex& index, std::string pattern,
                     std::string conclusion, std::string why) {
  Verdict verdict;
  verdict.pattern = std::move(pattern);
  verdict.conclusion = std::move(conclusion);
  std::vector<int> ranks;
  for (const RankExit* exit : exits) {
    ranks.push_back(*exit->exit.rank);
    if (verdict.evidence.size() < 4) verdict.evidence.push_back(evidence_of(exit->exit, why));
  }
  set_ranks(ranks, index, &verdict.initiator);
  verdict.initiator.why = std::move(why);
  const ProcessExit& first = exits.front()->exit;
  if (first.signal) verdict.bindings["signal"] = std::to_string(*first.signal);
  if (first.exit_code) verdict.bindings["exitcode"] = std::to_string(*first.exit_code);
  if (first.pid) verdict.bindings["pid"] = std::to_string(*first.pid);
  return verdict;
}

std::optional<Verdict> unknown_exit(const Findings& findings, const RankIndex& index,
                                    const std::set<int>& signals) {
  for (const ProcessExit& exit : findings.unknown_exits) {
    if (!exit.signal || signals.count(*exit.signal) == 0) continue;
    Verdict verdict;
    verdict.pattern = "exit/signal-unranked";
    verdict.conclusion = conclusion_of_signal(*exit.signal);
    verdict.initiator.scope = Scope::kUnknown;
    verdict.initiator.why = "the launcher reports the signal and no line says which rank it was";
    verdict.evidence.push_back(evidence_of(exit, verdict.initiator.why));
    verdict.evidence.back().text = exit.message.empty() ? verdict.evidence.back().text : exit.message;
    verdict.bindings["signal"] = std::to_string(*exit.signal);
    const auto on_host = index.ranks_on(exit.host);
    if (on_host.size() == 1) {
      verdict.initiator.scope = Scope::kRank;
      verdict.initiator.ranks = on_host;
    }
    return verdict;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> kill_rule(const Findings& findings, const RankIndex& index) {
  std::map<int, std::vector<const RankExit*>> by_signal;
  for (const auto& [rank, exit] : findings.exits) {
    if (!exit.by_launcher && exit.exit.signal) by_signal[*exit.exit.signal].push_back(&exit);
  }
  for (const int signal : {11, 7, 4, 8, 9}) {
    const auto found = by_signal.find(signal);
    if (found == by_signal.end()) continue;
    return exit_verdict(
        found->second, index, "exit/signal", conclusion_of_signal(signal),
        "its process ended by signal " + std::to_string(signal) + ", which the launcher did not send");
  }
  return unknown_exit(findings, index, {11, 7, 4, 8, 9});
}

std::optional<Verdict> exit_rule(const Findings& findings, const RankIndex& index) {
  std::vector<const RankExit*> aborted;
  std::vector<const RankExit*> terminated;
  std::vector<const RankExit*> coded;
  const auto has_consequence = [&](int rank) {
    return std::any_of(findings.all.begin(), findings.all.end(), [&](const Finding& finding) {
      return finding.signature->gives != Gives::kExit && finding.signature->gives != Gives::kSignalled &&
             std::find(finding.ranks.begin(), finding.ranks.end(), rank) != finding.ranks.end();
    });
  };
  for (const auto& [rank, exit] : findings.exits) {
    if (exit.by_launcher) continue;
    if (exit.exit.signal == 6 && !has_consequence(rank)) aborted.push_back(&exit);
    if (exit.exit.signal == 15 || exit.exit.signal == 2 || exit.exit.signal == 1) terminated.push_back(&exit);
    if (!exit.exit.signal && exit.exit.exit_code != 0 && !has_consequence(rank)) coded.push_back(&exit);
  }
  if (!aborted.empty()) {
    return exit_verdict(aborted, index, "exit/abort", "abort",
                        "its process aborted and printed no other failure");
  }
  if (!terminated.empty() && (terminated.size() == 1 || !findings.signalled.empty())) {
    return exit_verdict(terminated, index, "exit/sigterm", "terminated-by-signal",
                        "its process was ended by a signal that the launcher did not send");
  }
  if (!coded.empty() && coded.size() * 2 <= std::max<std::size_t>(2, index.ranks().size())) {
    return exit_verdict(coded, index, "exit/code", "nonzero-exit",
                        "its process ended by itself and said nothing");
  }
  return unknown_exit(findings, index, {6, 15, 2, 1});
}

std::optional<Verdict> fallback_rule(const Findings& findings, const RankIndex& index,
                                     std::optional<Tier> tier) {
  std::vector<const Finding*> either;
  const Finding* consequence = nullptr;
  for (const Finding& finding : findings.all) {
    if (tier && finding.signature->tier != *tier) continue;
    if (is_own_cause(finding)) {
      either.push_back(&finding);
    } else if (finding.counts() && finding.signature->role == Role::kConsequence) {
      if (consequence == nullptr || explains_better(finding, *consequence)) consequence = &finding;
    }
  }
  if (!either.empty()) {
    const Finding* best =
        *std::min_element(either.begin(), either.end(),
                          [](const Finding* a, const Finding* b) { return explains_better(*a, *b); });
    return verdict_of(*best, equal_to(*best, either), findings, index, "either",
                      "nothing in the log explains it");
  }
  if (consequence == nullptr) return std::nullopt;
  Verdict verdict;
  verdict.pattern = "consequence-only";
  verdict.conclusion = "unknown";
  verdict.finding = consequence->signature->cause.empty() || !consequence->signature->match.derived.empty()
                        ? nullptr
                        : consequence;
  verdict.strong = false;
  verdict.initiator.scope = Scope::kUnknown;
  verdict.initiator.why = "the log holds only lines that follow a failure";
  verdict.evidence.push_back(evidence_of(*consequence, verdict.initiator.why));
  verdict.bindings = consequence->captures;
  return verdict;
}

}  // namespace firstfault
