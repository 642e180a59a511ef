#include "attribution/unranked.hpp"

#include <algorithm>
#include <map>

namespace firstfault {
namespace {

bool names(const Finding& finding, int rank) {
  return std::find(finding.ranks.begin(), finding.ranks.end(), rank) != finding.ranks.end();
}

// A rank whose only lines are about what happened to its peers is a victim.
bool only_victim(const Findings& findings, int rank) {
  bool victim = false;
  for (const Finding& finding : findings.all) {
    if (!names(finding, rank) || finding.signature->gives == Gives::kExit) continue;
    if (finding.counts() && finding.signature->role == Role::kCause &&
        finding.signature->gives == Gives::kNothing) {
      return false;
    }
    victim = victim || finding.signature->role == Role::kConsequence;
  }
  return victim;
}

std::optional<RankGuess> by_same_cause(const Finding& fault, const Findings& findings) {
  RankGuess guess;
  for (const Finding& finding : findings.all) {
    if (!finding.counts() || finding.ranks.empty() || finding.signature->cause != fault.signature->cause)
      continue;
    if (!fault.host.empty() && !finding.host.empty() && host_key(fault.host) != host_key(finding.host))
      continue;
    if (finding.signature->role == Role::kContext) continue;
    guess.ranks.insert(guess.ranks.end(), finding.ranks.begin(), finding.ranks.end());
    if (!guess.evidence) guess.evidence = evidence_of(finding, "the same failure, with its rank");
  }
  if (guess.ranks.empty()) return std::nullopt;
  guess.pattern = "same-cause";
  guess.why = "another line of the same failure names the rank";
  return guess;
}

std::optional<RankGuess> by_whole_host(const std::vector<const Finding*>& equal, const RankIndex& index) {
  if (index.hosts().size() < 2) return std::nullopt;
  const std::string host = host_key(equal.front()->host);
  if (host.empty() || std::any_of(equal.begin(), equal.end(),
                                  [&](const Finding* finding) { return host_key(finding->host) != host; })) {
    return std::nullopt;
  }
  RankGuess guess;
  guess.ranks = index.ranks_on(host);
  // Tracebacks of several processes in one stream run into each other, so that not all are readable.
  if (guess.ranks.empty() || equal.size() < 2 || equal.size() * 2 < guess.ranks.size()) return std::nullopt;
  guess.pattern = "whole-host";
  guess.why = "every process of that host prints it";
  return guess;
}

// Signals that a native fault ends in; 0: an exit code.
bool fits(const Finding& fault, const ProcessExit& exit) {
  if (fault.record >= 0) return !exit.signal || *exit.signal == 6;
  return exit.signal.has_value();
}

std::optional<RankGuess> by_exit(const Finding& fault, const Findings& findings) {
  std::vector<const RankExit*> own;
  std::vector<const RankExit*> elsewhere;
  std::size_t ended = findings.signals_sent;
  for (const auto& [rank, exit] : findings.exits) {
    ++ended;
    if (exit.by_launcher || exit.exit.signal == 15 || exit.exit.exit_code == 0 || only_victim(findings, rank))
      continue;
    (exit.exit.source == fault.source ? own : elsewhere).push_back(&exit);
  }
  auto& candidates = own.empty() ? elsewhere : own;
  if (candidates.size() > 1) {
    std::erase_if(candidates, [&](const RankExit* exit) { return !fits(fault, exit->exit); });
  }
  if (candidates.size() != 1 || ended < 2) return std::nullopt;
  RankGuess guess;
  guess.ranks = {*candidates.front()->exit.rank};
  guess.pattern = "by-exit";
  guess.why = "the only process that ended by itself; the others were stopped or lost it";
  guess.evidence = evidence_of(candidates.front()->exit, guess.why);
  return guess;
}

}  // namespace

std::optional<RankGuess> guess_ranks(const std::vector<const Finding*>& equal, const Findings& findings,
                                     const RankIndex& index) {
  if (auto guess = by_same_cause(*equal.front(), findings)) return guess;
  if (auto guess = by_whole_host(equal, index)) return guess;
  return by_exit(*equal.front(), findings);
}

}  // namespace firstfault
