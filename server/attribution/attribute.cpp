// The order of the rules, and what is said about every rank once the initiator is known.
#include <algorithm>
#include <cmath>
#include <set>

#include "attribution/clocks.hpp"
#include "attribution/collateral.hpp"
#include "attribution/flight_rule.hpp"
#include "attribution/incident.hpp"
#include "attribution/rules.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxAlternatives = 3;

// Ranks that the input can speak of: those with lines or launcher entries.
std::set<int> members(const EventLog& log, const RankIndex& index) {
  std::set<int> ranks;
  for (const auto& [rank, facts] : index.ranks()) ranks.insert(rank);
  for (const auto& [rank, activity] : log.ranks) ranks.insert(rank);
  // Ranks are numbered without holes, so a few missing numbers are ranks that never spoke. Many are other
  // nodes' logs.
  if (ranks.size() < 2) return ranks;
  const int end = std::max(index.world_size().value_or(0), *ranks.rbegin() + 1);
  const auto missing =
      static_cast<std::size_t>(end) - std::min<std::size_t>(ranks.size(), static_cast<std::size_t>(end));
  if (missing * 4 <= ranks.size()) {
    for (int rank = 0; rank < end; ++rank) ranks.insert(rank);
  }
  return ranks;
}

bool is_generic_exception(const Verdict& verdict) {
  return verdict.finding != nullptr && verdict.finding->signature->match.derived == "python-exception";
}

std::optional<Verdict> decide(const Findings& findings, const Clocks& clocks, const RankIndex& index,
                              const std::set<int>& known, std::optional<Verdict> flight) {
  if (auto verdict = physical_rule(findings, index)) return verdict;
  if (auto verdict = exception_rule(findings, index, false)) return verdict;
  if (flight && flight->strong) return flight;
  if (auto verdict = clocks.strong()) return verdict;
  auto killed = kill_rule(findings, index);
  auto generic = exception_rule(findings, index, true);
  if (generic && is_generic_exception(*generic)) {
    // Several ranks with exceptions that no signature knows, beside one that was killed: they are its
    // victims.
    if (!killed || generic->initiator.ranks.size() == 1) return generic;
  }
  if (killed) return killed;
  if (generic) return generic;
  if (flight) return flight;
  // The launcher was told to stop from outside, before anyone lost a peer.
  auto silent = clocks.silent(known);
  if (auto stopped = fallback_rule(findings, index, Tier::kKill)) {
    if (!silent || silent->initiator.ranks.size() != 1) return stopped;
  }
  auto exited = exit_rule(findings, index);
  if (silent &&
      !(exited && exited->pattern != "exit/code" && exited->initiator.ranks == silent->initiator.ranks)) {
    return silent;
  }
  auto fallback = fallback_rule(findings, index);
  const bool either = fallback && fallback->pattern != "consequence-only";
  if (either) return fallback;
  // An abort whose rank nobody names is how a rank ends after its watchdog gave up or its peer went.
  auto waiting = clocks.unattributed();
  const bool abort = exited && exited->conclusion == "abort";
  if (exited && !(abort && waiting) && !(exited->pattern == "exit/signal-unranked" && waiting)) return exited;
  return waiting ? waiting : fallback;
}

// What happened to a suspect that has no failure line of its own.
void explain_suspect(const Findings& findings, Verdict* verdict) {
  if (verdict->finding != nullptr || verdict->initiator.ranks.size() != 1 || verdict->conclusion.empty())
    return;
  const int rank = verdict->initiator.ranks.front();
  if (verdict->conclusion != "straggler" && verdict->conclusion != "peer-died") return;
  if (const Finding* own = own_finding(findings, rank)) {
    verdict->finding = own;
    verdict->evidence.insert(verdict->evidence.begin(), evidence_of(*own, "its own failure line"));
    for (const auto& [name, value] : own->captures) verdict->bindings.try_emplace(name, value);
    return;
  }
  if (findings.completed.count(rank) != 0) {
    verdict->conclusion = "uneven-inputs";
    return;
  }
  const auto exit = findings.exits.find(rank);
  if (exit == findings.exits.end() || exit->second.by_launcher || !exit->second.exit.signal) return;
  const int signal = *exit->second.exit.signal;
  if (signal == 15) return;
  verdict->conclusion = signal == 11  ? "segfault"
                        : signal == 7 ? "bus-error"
                        : signal == 4 ? "illegal-instruction"
                        : signal == 6 ? "abort"
                                      : "killed-unexplained";
  verdict->evidence.insert(verdict->evidence.begin(),
                           evidence_of(exit->second.exit, "how its process ended"));
}

void fill_initiator(const RankIndex& index, Initiator* initiator) {
  for (const int rank : initiator->ranks) {
    const RankFacts* facts = index.facts(rank);
    if (facts == nullptr) continue;
    if (facts->local_rank) initiator->local_ranks.push_back(*facts->local_rank);
    if (facts->pids.size() == 1) initiator->pids.push_back(facts->pids.front());
    if (!facts->bus.empty()) initiator->devices.push_back(facts->bus);
    if (!facts->host.empty() &&
        std::find(initiator->hosts.begin(), initiator->hosts.end(), facts->host) == initiator->hosts.end()) {
      initiator->hosts.push_back(facts->host);
    }
  }
}

void bind(const Verdict& verdict, const Findings& findings, const EventLog& log, Incident* incident) {
  Captures& bindings = incident->bindings;
  bindings = verdict.bindings;
  const Initiator& initiator = verdict.initiator;
  if (!initiator.ranks.empty()) bindings["ranks"] = ranks_text(initiator.ranks);
  if (initiator.ranks.size() == 1) bindings["rank"] = std::to_string(initiator.ranks.front());
  if (initiator.ranks.size() != 1) bindings.erase("rank");
  if (!initiator.hosts.empty()) bindings["host"] = initiator.hosts.front();
  if (!initiator.devices.empty()) bindings.try_emplace("bus", initiator.devices.front());
  const Finding* finding = verdict.finding;
  if (finding == nullptr) return;
  (void)findings;
  if (finding->record < 0) return;
  const Record& record = log.records[static_cast<std::size_t>(finding->record)];
  if (!record.exception_type.empty()) bindings.try_emplace("exception", record.exception_type);
  if (!record.message.empty()) bindings.try_emplace("message", record.message);
  if (const Frame* frame = user_frame(record)) {
    bindings.try_emplace("file", frame->file);
    bindings.try_emplace("line", std::to_string(frame->line));
    if (!frame->function.empty()) bindings.try_emplace("function", frame->function);
    if (!frame->code.empty()) bindings.try_emplace("code", frame->code);
  }
}

void add_alternatives(const Findings& findings, const Library& library, Incident* incident) {
  std::vector<const Finding*> others;
  for (const Finding& finding : findings.all) {
    if (finding.counts() && !finding.signature->cause.empty() &&
        finding.signature->role != Role::kConsequence && finding.signature->role != Role::kContext) {
      others.push_back(&finding);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Finding* a, const Finding* b) { return weight(*a) > weight(*b); });
  std::set<std::string> named = {incident->cause};
  for (const Finding* finding : others) {
    if (incident->alternatives.size() >= kMaxAlternatives) break;
    if (!named.insert(finding->signature->cause).second) continue;
    Alternative alternative;
    alternative.signature = finding->signature_index;
    alternative.cause = finding->signature->cause;
    const auto& explain = finding->signature->explain;
    alternative.decide = !explain.confirm.empty() ? explain.confirm.front() : explain.confused_with;
    incident->alternatives.push_back(std::move(alternative));
  }
  (void)library;
}

// How much the failure line itself says: part of the evidence pattern whose frequency is measured.
std::string band_of(const Verdict& verdict) {
  if (verdict.finding == nullptr) return {};
  const Signature& signature = *verdict.finding->signature;
  if (!signature.match.derived.empty() || signature.specificity < 30) return " (generic)";
  return signature.specificity < 70 ? " (family)" : " (specific)";
}

// torchelastic calls the first failure it noticed the root cause; where that is a victim the report says so.
void note_launcher_claim(const Findings& findings, const Verdict& verdict, Incident* incident) {
  const auto& initiators = verdict.initiator.ranks;
  if (initiators.empty()) return;
  for (const auto& [rank, exit] : findings.exits) {
    if (!exit.exit.launcher_root_cause || std::binary_search(initiators.begin(), initiators.end(), rank))
      continue;
    incident->evidence.push_back(evidence_of(exit.exit,
                                             "the launcher calls this the root cause: it is the first exit "
                                             "that its agent noticed, by whole seconds"));
    return;
  }
}

std::optional<Incident> judge(const EventLog& log, const Library& library, const RankIndex& index,
                              const Findings& findings, bool last) {
  const Clocks clocks(findings, index);
  const std::set<int> known = members(log, index);
  // Each attempt overwrites the dumps of the one before.
  auto verdict = decide(findings, clocks, index, known, last ? flight_rule(log) : std::nullopt);
  if (!verdict) return std::nullopt;
  explain_suspect(findings, &*verdict);
  Incident incident;
  incident.attempt = findings.attempt;
  incident.pattern = verdict->pattern + band_of(*verdict);
  if (verdict->finding != nullptr) {
    incident.signature = verdict->finding->signature_index;
  } else if (const Signature* derived = library.derived(verdict->conclusion)) {
    incident.signature = library.index_of(derived->id);
  }
  incident.cause = incident.signature >= 0
                       ? library.signatures()[static_cast<std::size_t>(incident.signature)].cause
                       : std::string("unknown");
  fill_initiator(index, &verdict->initiator);
  bind(*verdict, findings, log, &incident);
  incident.evidence = verdict->evidence;
  note_launcher_claim(findings, *verdict, &incident);
  incident.collateral = collateral_of(log, index, findings, clocks, *verdict);
  const bool has_ranks =
      !known.empty() || !verdict->initiator.ranks.empty() || verdict->initiator.scope == Scope::kHost ||
      verdict->initiator.scope == Scope::kLauncher || verdict->initiator.scope == Scope::kExternal;
  if (has_ranks) incident.initiator = verdict->initiator;
  add_alternatives(findings, library, &incident);
  return incident;
}

bool same_place(const Incident& a, const Incident& b) {
  if (!a.initiator || !b.initiator) return false;
  if (!a.initiator->hosts.empty() && !b.initiator->hosts.empty())
    return a.initiator->hosts == b.initiator->hosts;
  return !a.initiator->ranks.empty() && a.initiator->ranks == b.initiator->ranks;
}

// The same failure in an earlier attempt says something: in the same place the machine, elsewhere the data or
// the code.
void note_recurrence(std::vector<Incident>* incidents) {
  Incident& last = incidents->back();
  for (std::size_t at = 0; at + 1 < incidents->size(); ++at) {
    const Incident& earlier = (*incidents)[at];
    if (earlier.cause != last.cause || earlier.evidence.empty()) continue;
    Evidence evidence = earlier.evidence.front();
    evidence.role = Role::kContext;
    const std::string attempt = "attempt " + std::to_string(earlier.attempt);
    evidence.why =
        same_place(earlier, last)
            ? attempt + " failed the same way in the same place: suspect the machine"
            : attempt + " failed the same way elsewhere: suspect the data or the code, not one machine";
    last.evidence.push_back(std::move(evidence));
    return;
  }
}

// Times of another host were compared after correction: the reader must know.
void note_skew(const RankIndex& index, const ClockSkew& skew, Incident* incident) {
  for (const std::string& host : index.hosts()) {
    const ClockSkew::Offset* offset = skew.of(host);
    if (offset == nullptr || incident->evidence.empty()) continue;
    const auto shown = std::to_string(static_cast<long long>(std::llround(std::abs(offset->seconds))));
    std::string& why = incident->evidence.front().why;
    why += "; the clock of " + host + " is " + shown + " s " +
           (offset->seconds > 0 ? "ahead of " : "behind ") + offset->reference + " (both logged " +
           offset->shared + ")";
    break;
  }
}

Job describe_job(const EventLog& log, const Library& library, const RankIndex& index, int attempts) {
  Job job;
  job.world_size = index.world_size();
  for (const auto& [rank, facts] : index.ranks()) job.ranks_seen.push_back(rank);
  job.hosts = index.hosts();
  job.attempts = std::max(attempts, 1);
  for (const Event& event : log.events) {
    const Signature& signature = library.signatures()[static_cast<std::size_t>(event.signature)];
    if (job.launcher.empty() && signature.id.rfind("fact-launcher-", 0) == 0) {
      job.launcher = signature.id.substr(std::string_view("fact-launcher-").size());
    }
    if (signature.id.rfind("fact-framework-", 0) != 0) continue;
    std::string name = signature.id.substr(std::string_view("fact-framework-").size());
    if (const auto version = event.captures.find("version"); version != event.captures.end()) {
      name += " " + version->second;
    }
    const bool known = std::any_of(
        job.frameworks.begin(), job.frameworks.end(),
        [&](const std::string& framework) { return framework.rfind(name, 0) == 0 || framework == name; });
    if (!known && job.frameworks.size() < 16) job.frameworks.push_back(std::move(name));
  }
  return job;
}

}  // namespace

Attribution attribute(const EventLog& log, const Library& library) {
  Attribution attribution;
  const RankIndex index(log, library);
  const ClockSkew skew(log, library, index);
  std::vector<Findings> attempts = collect_findings(log, library, index, skew);
  if (attempts.empty() && !log.flights.empty()) attempts.emplace_back();
  for (const Findings& findings : attempts) {
    if (auto incident = judge(log, library, index, findings, &findings == &attempts.back()))
      attribution.incidents.push_back(std::move(*incident));
  }
  int last_attempt = 0;
  for (const Findings& findings : attempts) last_attempt = std::max(last_attempt, findings.attempt);
  attribution.job = describe_job(log, library, index, last_attempt + 1);
  if (attribution.incidents.empty()) return attribution;
  attribution.incidents.back().primary = true;
  note_recurrence(&attribution.incidents);
  for (Incident& incident : attribution.incidents) note_skew(index, skew, &incident);
  return attribution;
}

}  // namespace firstfault
