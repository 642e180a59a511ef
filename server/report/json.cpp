#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/forms.hpp"
#include "report/report.hpp"
#include "report/visible.hpp"

namespace firstfault {
namespace {

using nlohmann::json;

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }
json line_or_null(std::uint64_t line) { return line == 0 ? json(nullptr) : json(line); }

json cause_json(const CauseReport& cause) {
  return {{"id", cause.id},
          {"signature", text_or_null(cause.signature)},
          {"title", cause.title},
          {"layer", cause.layer},
          {"owner", cause.owner},
          {"confidence", or_null(cause.confidence)},
          {"confidenceBasis", cause.confidence_basis},
          {"summary", cause.summary},
          {"what", cause.what},
          {"mechanism", cause.mechanism},
          {"confusedWith", cause.confused_with},
          {"confirm", cause.confirm},
          {"refute", cause.refute}};
}

json initiator_json(const std::optional<InitiatorReport>& initiator) {
  if (!initiator) return nullptr;
  return {{"scope", initiator->scope}, {"ranks", or_null(initiator->ranks)},
          {"hosts", initiator->hosts}, {"localRanks", initiator->local_ranks},
          {"pids", initiator->pids},   {"devices", initiator->devices},
          {"why", initiator->why}};
}

json evidence_json(const EvidenceReport& evidence) {
  return {{"path", text_or_null(evidence.path)},
          {"line", line_or_null(evidence.line)},
          {"endLine", line_or_null(std::max(evidence.line, evidence.end_line))},
          {"text", evidence.text},
          {"role", evidence.role},
          {"rank", or_null(evidence.rank)},
          {"why", evidence.why}};
}

json collateral_json(const CollateralReport& collateral) {
  return {{"rank", collateral.rank},
          {"path", text_or_null(collateral.path)},
          {"line", line_or_null(collateral.line)},
          {"why", collateral.why}};
}

json position_json(const Position& position) {
  return {{"line", position.line}, {"character", position.character}};
}

json edit_json(const EditReport& edit) {
  json changes = json::array();
  for (const TextEdit& change : edit.changes) {
    changes.push_back({{"path", change.path},
                       {"start", position_json(change.start)},
                       {"end", position_json(change.end)},
                       {"newText", change.new_text}});
  }
  return {{"title", edit.title},
          {"applicability", edit.applicability},
          {"preferred", edit.preferred},
          {"changes", std::move(changes)}};
}

template <typename T, typename Convert>
json list(const std::vector<T>& values, Convert convert) {
  json result = json::array();
  for (const T& value : values) result.push_back(convert(value));
  return result;
}

json fix_json(const FixReport& fix) {
  return {{"summary", fix.summary},
          {"steps", fix.steps},
          {"edits", list(fix.edits, edit_json)},
          {"editsNotOffered", fix.edits_not_offered}};
}

json incident_json(const IncidentReport& incident) {
  const auto alternative_json = [](const AlternativeReport& alternative) -> json {
    return {{"id", alternative.id},
            {"confidence", or_null(alternative.confidence)},
            {"decide", alternative.decide}};
  };
  return {{"primary", incident.primary},
          {"attempt", incident.attempt},
          {"cause", cause_json(incident.cause)},
          {"initiator", initiator_json(incident.initiator)},
          {"evidence", list(incident.evidence, evidence_json)},
          {"collateral", list(incident.collateral, collateral_json)},
          {"alternatives", list(incident.alternatives, alternative_json)},
          {"fix", fix_json(incident.fix)},
          {"verify",
           {{"command", incident.verify.command},
            {"expect", incident.verify.expect},
            {"refutes", incident.verify.refutes},
            {"needsRoot", incident.verify.needs_root}}},
          {"prevent", incident.prevent},
          {"references", incident.references}};
}

json job_json(const JobReport& job) {
  return {
      {"worldSize", or_null(job.world_size)},   {"ranksSeen", job.ranks_seen},  {"hosts", job.hosts},
      {"launcher", text_or_null(job.launcher)}, {"frameworks", job.frameworks}, {"attempts", job.attempts}};
}

}  // namespace

json to_json(const Diagnosis& diagnosis) {
  const auto source_json = [](const SourceReport& source) -> json {
    return {{"path", source.path}, {"bytes", source.bytes}, {"lines", source.lines}};
  };
  const auto entry_json = [](const TimelineEntry& entry) -> json {
    return {{"rank", or_null(entry.rank)},
            {"time", text_or_null(entry.time)},
            {"path", text_or_null(entry.path)},
            {"line", line_or_null(entry.line)},
            {"role", entry.role},
            {"label", entry.label}};
  };
  return {{"schema", "firstfault.diagnosis/1"},
          {"sources", list(diagnosis.sources, source_json)},
          {"job", job_json(diagnosis.job)},
          {"incidents", list(diagnosis.incidents, incident_json)},
          {"timeline", list(diagnosis.timeline, entry_json)}};
}

std::string render_json(const Diagnosis& diagnosis) {
  return visible_json(to_json(diagnosis).dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace firstfault
