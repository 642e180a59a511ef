#include "report/forms.hpp"
#include "report/text_writer.hpp"
#include "report/wording.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxEvidence = 12;
constexpr std::size_t kMaxQuotedLines = 12;

void write_verdict(const IncidentReport& incident, TextWriter* out) {
  out->paragraph(0, "", incident.cause.summary, Style::kFailure);
  const std::string& why = incident.initiator ? incident.initiator->why : incident.cause.what;
  out->paragraph(2, "Who  ", initiator_text(incident.initiator), Style::kPlain, Style::kBold);
  if (!why.empty()) out->paragraph(2, "Why  ", why, Style::kPlain, Style::kBold);
  const std::string step = first_step(incident);
  if (!step.empty()) out->paragraph(2, "Do   ", step, Style::kPlain, Style::kBold);
}

void write_one_evidence(const EvidenceReport& evidence, TextWriter* out) {
  std::string about = evidence.role;
  if (evidence.rank) about = "rank " + std::to_string(*evidence.rank) + (about.empty() ? "" : ", ") + about;
  const std::string where = place(evidence.path, evidence.line);
  if (where.empty()) {
    out->line(2, about, Style::kDim);
  } else {
    out->line(2, where, Style::kPlace, about, Style::kDim);
  }
  for (const std::string& line : quoted_lines(evidence.text, kMaxQuotedLines)) out->quote(4, line);
  if (!evidence.why.empty()) out->paragraph(4, "", evidence.why);
}

void write_evidence(const IncidentReport& incident, TextWriter* out) {
  if (incident.evidence.empty()) return;
  out->heading("Evidence");
  for (std::size_t i = 0; i < incident.evidence.size() && i < kMaxEvidence; ++i) {
    write_one_evidence(incident.evidence[i], out);
  }
  if (incident.evidence.size() > kMaxEvidence) {
    out->paragraph(2, "",
                   "and " + std::to_string(incident.evidence.size() - kMaxEvidence) +
                       " more (--format json shows them all)",
                   Style::kDim);
  }
}

void write_collateral(const IncidentReport& incident, TextWriter* out) {
  if (incident.collateral.empty()) return;
  out->heading("Collateral: failed because of it");
  for (const CollateralGroup& group : grouped(incident.collateral)) {
    out->paragraph(2, ranks_label(group.ranks) + "  ", group.why, Style::kPlain, Style::kBold);
    if (group.first_place.empty()) continue;
    out->line(4, group.first_place, Style::kPlace,
              group.places > 1 ? "and " + std::to_string(group.places - 1) + " more like it" : "",
              Style::kDim);
  }
}

void write_alternatives(const IncidentReport& incident, TextWriter* out) {
  if (incident.alternatives.empty()) return;
  out->heading("It could also be");
  for (const AlternativeReport& alternative : incident.alternatives) {
    std::string label = alternative.id;
    if (alternative.confidence) {
      CauseReport cause;
      cause.confidence = alternative.confidence;
      label += " (" + confidence_text(cause) + ")";
    }
    out->line(2, label, Style::kBold);
    if (!alternative.decide.empty()) out->paragraph(4, "What decides: ", alternative.decide);
  }
}

void write_edit(const EditReport& edit, TextWriter* out) {
  out->paragraph(2, edit.preferred ? "Preferred edit: " : "Edit: ",
                 edit.title + " - " + applicability_text(edit.applicability), Style::kPlain, Style::kBold);
  for (const TextEdit& change : edit.changes) {
    const ChangeText text = change_text(change);
    out->line(4, text.place, Style::kPlace, text.action, Style::kDim);
    for (const std::string& line : text.added) out->line(4, "+ " + line, Style::kAdded);
  }
}

void write_fix(const IncidentReport& incident, TextWriter* out) {
  const FixReport& fix = incident.fix;
  if (fix.summary.empty() && fix.steps.empty() && fix.edits.empty() && fix.edits_not_offered.empty()) return;
  out->heading("Fix");
  if (!fix.summary.empty() && (fix.steps.empty() || fix.summary != fix.steps.front())) {
    out->paragraph(2, "", fix.summary);
  }
  for (std::size_t i = 0; i < fix.steps.size(); ++i) {
    out->item(2, std::to_string(i + 1) + ". ", fix.steps[i]);
  }
  for (const EditReport& edit : fix.edits) write_edit(edit, out);
  for (const std::string& why : fix.edits_not_offered) out->paragraph(2, "No edit: ", why);
}

void write_verify(const VerifyReport& verify, TextWriter* out) {
  if (verify.command.empty() && verify.expect.empty() && verify.refutes.empty()) return;
  out->heading(verify.needs_root ? "Verify (needs root)" : "Verify");
  for (const std::string& line : quoted_lines(verify.command, kMaxQuotedLines)) {
    out->line(4, line, Style::kCommand);
  }
  if (!verify.expect.empty()) out->paragraph(2, "Expect: ", verify.expect);
  if (!verify.refutes.empty()) out->paragraph(2, "Refuted by: ", verify.refutes);
}

void write_list(std::string_view title, const std::vector<std::string>& items, TextWriter* out) {
  if (items.empty()) return;
  out->line(2, title, Style::kBold);
  for (const std::string& item : items) out->item(4, "- ", item);
}

void write_details(const IncidentReport& incident, TextWriter* out) {
  const CauseReport& cause = incident.cause;
  out->heading("Details");
  std::string id = cause.id;
  if (!cause.signature.empty()) id += " (signature " + cause.signature + ")";
  out->paragraph(2, "Cause: ", id, Style::kPlain, Style::kBold);
  out->paragraph(2, "Layer: ", cause.layer + (cause.owner.empty() ? "" : ", for the " + cause.owner),
                 Style::kPlain, Style::kBold);
  out->paragraph(2, "Confidence: ", confidence_text(cause), Style::kPlain, Style::kBold);
  if (!cause.what.empty()) out->paragraph(2, "What: ", cause.what, Style::kPlain, Style::kBold);
  if (!cause.mechanism.empty())
    out->paragraph(2, "Mechanism: ", cause.mechanism, Style::kPlain, Style::kBold);
  if (!cause.confused_with.empty()) {
    out->paragraph(2, "Confused with: ", cause.confused_with, Style::kPlain, Style::kBold);
  }
  write_list("Confirmed by", cause.confirm, out);
  write_list("Refuted by", cause.refute, out);
  write_list("Prevent it", incident.prevent, out);
  write_list("References", incident.references, out);
}

void write_incident(const IncidentReport& incident, const RenderOptions& options, TextWriter* out) {
  write_verdict(incident, out);
  write_evidence(incident, out);
  write_collateral(incident, out);
  write_alternatives(incident, out);
  write_fix(incident, out);
  write_verify(incident.verify, out);
  if (options.details) write_details(incident, out);
}

void write_short(const IncidentReport& incident, TextWriter* out) {
  out->paragraph(2, "attempt " + std::to_string(incident.attempt) + "  ", incident.cause.summary,
                 Style::kPlain, Style::kBold);
  if (!incident.evidence.empty()) {
    const EvidenceReport& evidence = incident.evidence.front();
    const std::string where = place(evidence.path, evidence.line);
    if (!where.empty()) out->line(4, where, Style::kPlace);
    for (const std::string& line : quoted_lines(evidence.text, 1)) out->quote(4, line);
  }
  const std::string step = first_step(incident);
  if (!step.empty()) out->paragraph(4, "Do: ", step);
}

void write_job(const Diagnosis& diagnosis, TextWriter* out) {
  const std::string job = job_text(diagnosis.job);
  const bool failed = !diagnosis.incidents.empty();
  if (failed && (!job.empty() || !diagnosis.sources.empty())) out->heading("Job");
  if (!job.empty()) out->paragraph(2, "", job);
  constexpr std::size_t kMaxSources = 20;
  for (std::size_t i = 0; i < diagnosis.sources.size() && i < kMaxSources; ++i) {
    const SourceReport& source = diagnosis.sources[i];
    out->line(2, source.path, Style::kPlace, counted(source.lines, "line", "lines"), Style::kDim);
  }
  if (diagnosis.sources.size() > kMaxSources) {
    out->paragraph(2, "",
                   "and " + counted(diagnosis.sources.size() - kMaxSources, "source", "sources") + " more");
  }
}

}  // namespace

std::string render_text(const Diagnosis& diagnosis, const RenderOptions& options) {
  TextWriter out(options.width, options.color);
  const auto incidents = by_importance(diagnosis);
  if (incidents.empty()) {
    out.paragraph(0, "", no_failure_text(diagnosis), Style::kBold);
  } else {
    write_incident(*incidents.front(), options, &out);
  }
  if (incidents.size() > 1) out.heading("Other incidents");
  for (std::size_t i = 1; i < incidents.size(); ++i) write_short(*incidents[i], &out);
  write_job(diagnosis, &out);
  return out.take();
}

}  // namespace firstfault
