#include "attribution/collateral.hpp"

#include <algorithm>
#include <array>

namespace firstfault {
namespace {

constexpr int kMaxListedWorld = 16384;

std::string wait_text(const Clocks::Wait& wait, const std::string& culprit) {
  std::string text = "waited in " + (wait.op.empty() ? std::string("a collective") : wait.op);
  if (wait.seq) text += " " + std::to_string(*wait.seq);
  return text + (culprit.empty() ? "" : " with " + culprit);
}

const Finding* line_of(const Findings& findings, int rank) {
  const Finding* best = nullptr;
  for (const Finding& finding : findings.all) {
    if (std::find(finding.ranks.begin(), finding.ranks.end(), rank) == finding.ranks.end()) continue;
    if (finding.signature->gives == Gives::kExit) continue;
    if (best == nullptr ||
        (finding.signature->gives == Gives::kPeerLost && best->signature->gives != Gives::kPeerLost)) {
      best = &finding;
    }
  }
  return best;
}

Collateral collateral(const EventLog& log, const Findings& findings, const Clocks& clocks, int rank,
                      const std::string& culprit) {
  Collateral entry;
  entry.rank = rank;
  const std::string after = culprit.empty() ? "" : " after " + culprit + " failed";
  const Finding* line = line_of(findings, rank);
  if (const auto* wait = clocks.wait_of(rank)) {
    entry.source = wait->finding->source;
    entry.line = wait->finding->line;
    entry.why = wait_text(*wait, culprit);
    return entry;
  }
  if (line != nullptr) {
    entry.source = line->source;
    entry.line = line->line;
    entry.why = line->signature->gives == Gives::kPeerLost ? "lost its connection to a peer" + after
                                                           : line->signature->title + after;
    return entry;
  }
  const auto exit = findings.exits.find(rank);
  if (exit != findings.exits.end()) {
    entry.source = exit->second.exit.source;
    entry.line = exit->second.exit.line;
    entry.why = exit->second.by_launcher ? "stopped by the launcher" + after : "ended" + after;
    return entry;
  }
  const auto activity = log.ranks.find(rank);
  if (activity != log.ranks.end()) {
    entry.source = activity->second.source;
    entry.line = activity->second.last_line;
  }
  entry.why = findings.signalled.count(rank) != 0 ? "stopped by the launcher" + after
                                                  : "reports no failure of its own; ended with the job";
  return entry;
}

}  // namespace

std::vector<Collateral> collateral_of(const EventLog& log, const RankIndex& index, const Findings& findings,
                                      const Clocks& clocks, const Verdict& verdict) {
  std::vector<int> ranks;
  for (const auto& [rank, facts] : index.ranks()) ranks.push_back(rank);
  const bool known = !verdict.initiator.ranks.empty() || verdict.initiator.scope == Scope::kHost;
  if (known && index.world_size() && *index.world_size() <= kMaxListedWorld) {
    for (int rank = 0; rank < *index.world_size(); ++rank) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::string culprit;
  if (!verdict.initiator.ranks.empty()) culprit = ranks_text(verdict.initiator.ranks);
  if (culprit.empty() && verdict.initiator.scope == Scope::kHost && !verdict.initiator.hosts.empty()) {
    culprit = verdict.initiator.hosts.front();
  }
  std::vector<Collateral> all;
  for (const int rank : ranks) {
    const auto& initiators = verdict.initiator.ranks;
    if (std::find(initiators.begin(), initiators.end(), rank) != initiators.end()) continue;
    const auto own = std::find_if(verdict.collateral.begin(), verdict.collateral.end(),
                                  [&](const Collateral& seen) { return seen.rank == rank; });
    if (own != verdict.collateral.end() && clocks.wait_of(rank) == nullptr) {
      all.push_back(*own);
      continue;
    }
    Collateral entry = collateral(log, findings, clocks, rank, culprit);
    if (!known && clocks.wait_of(rank) == nullptr && line_of(findings, rank) == nullptr) continue;
    all.push_back(std::move(entry));
  }
  return all;
}

const Frame* user_frame(const Record& record) {
  static constexpr std::array<std::string_view, 9> kLibraries = {
      "site-packages/", "dist-packages/",     "/lib/python", "<frozen",         "<string>",
      "/torch/",        "torch/distributed/", "importlib/",  "multiprocessing/"};
  for (auto frame = record.frames.rbegin(); frame != record.frames.rend(); ++frame) {
    const bool library = std::any_of(kLibraries.begin(), kLibraries.end(), [&](std::string_view part) {
      return frame->file.find(part) != std::string::npos;
    });
    if (!library) return &*frame;
  }
  return nullptr;
}

}  // namespace firstfault
