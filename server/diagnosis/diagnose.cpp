#include "diagnosis/diagnose.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <set>

#include "attribution/verdict.hpp"
#include "diagnosis/offer_edits.hpp"
#include "events/needs.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxSummary = 90;
constexpr std::size_t kMaxTimeline = 500;

std::string_view name_of(Role role) {
  switch (role) {
    case Role::kCause:
      return "cause";
    case Role::kConsequence:
      return "consequence";
    case Role::kEither:
      return "either";
    case Role::kContext:
      return "context";
  }
  return "context";
}

std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::kRank:
      return "rank";
    case Scope::kRanks:
      return "ranks";
    case Scope::kHost:
      return "host";
    case Scope::kLauncher:
      return "launcher";
    case Scope::kExternal:
      return "external";
    case Scope::kAll:
      return "all";
    case Scope::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string iso_time(const std::optional<Timestamp>& time) {
  if (!time) return {};
  char text[64];
  const std::int64_t seconds = time->nanoseconds / 1000000000;
  const int millis = static_cast<int>(time->nanoseconds % 1000000000 / 1000000);
  if (time->uptime) {
    std::snprintf(text, sizeof text, "+%lld.%03ds", static_cast<long long>(seconds), millis);
    return text;
  }
  const std::time_t point = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (gmtime_r(&point, &parts) == nullptr) return {};
  const char* const format = time->has_year   ? "%Y-%m-%dT%H:%M:%S"
                             : time->has_date ? "--%m-%dT%H:%M:%S"
                                              : "%H:%M:%S";
  const std::size_t length = std::strftime(text, sizeof text, format, &parts);
  std::string result(text, length);
  if (!time->whole_second) {
    std::snprintf(text, sizeof text, ".%03d", millis);
    result += text;
  }
  return result;
}

// Cuts at a character's border, so that no half of a UTF-8 sequence is left.
std::string shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string who(const Incident& incident) {
  if (!incident.initiator) return {};
  const Initiator& initiator = *incident.initiator;
  if (!initiator.ranks.empty()) {
    const std::string text = ranks_text(initiator.ranks);
    return text.size() <= 40 ? text : std::to_string(initiator.ranks.size()) + " ranks";
  }
  switch (initiator.scope) {
    case Scope::kHost:
      return initiator.hosts.empty() ? "a host" : "host " + initiator.hosts.front();
    case Scope::kLauncher:
      return "the launcher";
    case Scope::kExternal:
      return "stopped from outside";
    case Scope::kAll:
      return "all ranks alike";
    default:
      return "no rank can be told";
  }
}

std::string summary_of(const Incident& incident, const std::string& title) {
  const std::string subject = who(incident);
  if (subject.empty()) return shortened(title, kMaxSummary);
  const bool failed = incident.initiator && !incident.initiator->ranks.empty();
  return shortened(subject + (failed ? " failed first: " : ": ") + title, kMaxSummary);
}

class Builder {
 public:
  Builder(const EventLog& log, const Attribution& attribution, const Library& library,
          const std::vector<WorkspaceFile>& workspace)
      : log_(log),
        attribution_(attribution),
        library_(library),
        workspace_(workspace),
        seen_(seen_signatures(log.events)) {}

  Diagnosis build() {
    Diagnosis diagnosis;
    for (const ScannedSource& source : log_.sources) {
      if (!source.workspace) diagnosis.sources.push_back({source.path, source.bytes, source.lines});
    }
    const Job& job = attribution_.job;
    diagnosis.job = {job.world_size, job.ranks_seen, job.hosts, job.launcher, job.frameworks, job.attempts};
    for (const Incident& incident : attribution_.incidents) diagnosis.incidents.push_back(report(incident));
    add_timeline(&diagnosis);
    return diagnosis;
  }

 private:
  std::string path_of(int source) const {
    return source < 0 ? std::string() : log_.sources[static_cast<std::size_t>(source)].path;
  }

  const Signature* signature_of(const Incident& incident) const {
    return incident.signature < 0 ? nullptr
                                  : &library_.signatures()[static_cast<std::size_t>(incident.signature)];
  }

  std::string bound(const ConditionalText& text, const Captures& bindings) const {
    if (!needs_hold(text.needs, library_, seen_)) return {};
    return bind_text(text.text, bindings);
  }

  IncidentReport report(const Incident& incident) const {
    IncidentReport report;
    report.primary = incident.primary;
    report.attempt = incident.attempt;
    report.cause = cause(incident);
    report.initiator = initiator(incident);
    for (const Evidence& evidence : incident.evidence) {
      report.evidence.push_back({path_of(evidence.source), evidence.line, evidence.end_line, evidence.text,
                                 std::string(name_of(evidence.role)), evidence.rank, evidence.why});
    }
    for (const Collateral& collateral : incident.collateral) {
      report.collateral.push_back(
          {collateral.rank, path_of(collateral.source), collateral.line, collateral.why});
    }
    for (const Alternative& alternative : incident.alternatives) {
      report.alternatives.push_back({alternative.cause, std::nullopt, alternative.decide});
    }
    const Signature* signature = signature_of(incident);
    if (signature == nullptr) return report;
    add_fix(*signature, incident, &report);
    report.prevent = signature->prevent;
    report.references = signature->references;
    return report;
  }

  CauseReport cause(const Incident& incident) const {
    CauseReport cause;
    cause.id = incident.cause;
    const CauseInfo* info = library_.cause(incident.cause);
    cause.layer = info != nullptr ? info->layer : "unknown";
    cause.title = info != nullptr ? info->means : incident.cause;
    cause.owner = "researcher";
    if (const Signature* signature = signature_of(incident)) {
      cause.signature = signature->id;
      cause.title = signature->title;
      cause.owner = signature->owner;
      cause.what = signature->explain.what;
      cause.mechanism = signature->explain.mechanism;
      cause.confused_with = signature->explain.confused_with;
      cause.confirm = signature->explain.confirm;
      cause.refute = signature->explain.refute;
    }
    cause.summary = summary_of(incident, cause.title);
    const Frequency* frequency = library_.frequency(incident.pattern);
    if (frequency != nullptr && frequency->total > 0) {
      // The rule of succession: a frequency out of few incidents is no certainty.
      cause.confidence = (frequency->right + 1.0) / (frequency->total + 2.0);
      cause.confidence_basis = "right in " + std::to_string(frequency->right) + " of " +
                               std::to_string(frequency->total) +
                               " known incidents with this kind of evidence (" + incident.pattern + ")";
    } else {
      cause.confidence_basis = "not measured for this kind of evidence (" + incident.pattern + ")";
    }
    return cause;
  }

  std::optional<InitiatorReport> initiator(const Incident& incident) const {
    if (!incident.initiator) return std::nullopt;
    const Initiator& from = *incident.initiator;
    InitiatorReport report;
    report.scope = std::string(name_of(from.scope));
    if (!from.ranks.empty()) report.ranks = from.ranks;
    report.hosts = from.hosts;
    report.local_ranks = from.local_ranks;
    report.pids = from.pids;
    report.devices = from.devices;
    report.why = from.why;
    return report;
  }

  void add_fix(const Signature& signature, const Incident& incident, IncidentReport* report) const {
    report->fix.summary = bound(signature.fix.summary, incident.bindings);
    for (const ConditionalText& step : signature.fix.steps) {
      if (auto text = bound(step, incident.bindings); !text.empty())
        report->fix.steps.push_back(std::move(text));
    }
    if (report->fix.summary.empty() && !report->fix.steps.empty())
      report->fix.summary = report->fix.steps.front();
    offer_edits(signature, library_, seen_, workspace_, &report->fix);
    if (needs_hold(signature.verify.command.needs, library_, seen_)) {
      report->verify.command = bind_command(signature.verify.command.text, incident.bindings);
    }
    report->verify.expect = signature.verify.expect;
    report->verify.refutes = signature.verify.refutes;
    report->verify.needs_root = signature.verify.needs_root;
  }

  void add_timeline(Diagnosis* diagnosis) const {
    if (attribution_.incidents.empty()) return;
    std::set<std::pair<int, int>> shown;
    for (const Event& event : log_.events) {
      const Signature& signature = library_.signatures()[static_cast<std::size_t>(event.signature)];
      if (signature.role == Role::kContext || diagnosis->timeline.size() >= kMaxTimeline) continue;
      if (!shown.insert({event.signature, event.context.rank.value_or(-1)}).second) continue;
      diagnosis->timeline.push_back({event.context.rank, iso_time(event.context.time), path_of(event.source),
                                     event.line, std::string(name_of(signature.role)), signature.title});
    }
  }

  const EventLog& log_;
  const Attribution& attribution_;
  const Library& library_;
  const std::vector<WorkspaceFile>& workspace_;
  std::set<int> seen_;
};

}  // namespace

Diagnosis diagnose(const EventLog& log, const Attribution& attribution, const Library& library,
                   const std::vector<WorkspaceFile>& workspace) {
  return Builder(log, attribution, library, workspace).build();
}

}  // namespace firstfault
