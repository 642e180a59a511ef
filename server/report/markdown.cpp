#include "report/forms.hpp"
#include "report/wording.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxQuotedLines = 40;

// Builds the document from parts that are already safe.
class MarkdownWriter {
 public:
  void heading(int level, std::string_view text) {
    gap();
    out_ += std::string(static_cast<std::size_t>(level), '#') + " " + escape_markdown(text) + "\n\n";
  }
  // `safe` has been through markdown_code or escape_markdown.
  void item(const std::string& safe) {
    if (!in_list_) gap();
    in_list_ = true;
    out_ += "- " + safe + "\n";
  }
  void numbered(std::size_t number, const std::string& safe) {
    if (!in_list_) gap();
    in_list_ = true;
    out_ += std::to_string(number) + ". " + safe + "\n";
  }
  void paragraph(const std::string& safe) {
    gap();
    out_ += safe + "\n\n";
  }
  void fence(std::string_view text, std::string_view language) {
    gap();
    out_ += markdown_fence(text, language) + "\n";
  }
  std::string take() {
    while (out_.size() > 1 && out_[out_.size() - 1] == '\n' && out_[out_.size() - 2] == '\n') out_.pop_back();
    return std::move(out_);
  }

 private:
  // Blocks are apart by one empty line.
  void gap() {
    if (in_list_) out_ += '\n';
    in_list_ = false;
  }

  std::string out_;
  bool in_list_ = false;
};

std::string labelled(std::string_view label, const std::string& safe) {
  return "**" + std::string(label) + "** " + safe;
}

void write_verdict(const IncidentReport& incident, MarkdownWriter* out) {
  out->heading(1, incident.cause.summary);
  out->item(labelled("Who:", escape_markdown(initiator_text(incident.initiator))));
  const std::string& why = incident.initiator ? incident.initiator->why : incident.cause.what;
  if (!why.empty()) out->item(labelled("Why:", markdown_prose(why)));
  const std::string step = first_step(incident);
  if (!step.empty()) out->item(labelled("Do:", markdown_prose(step)));
}

void write_evidence(const IncidentReport& incident, MarkdownWriter* out) {
  if (incident.evidence.empty()) return;
  out->heading(2, "Evidence");
  for (const EvidenceReport& evidence : incident.evidence) {
    std::string line = markdown_code(place(evidence.path, evidence.line));
    const auto add = [&line](const std::string& part) { line += (line.empty() ? "" : ", ") + part; };
    if (evidence.rank) add("rank " + std::to_string(*evidence.rank));
    if (!evidence.role.empty()) add(escape_markdown(evidence.role));
    if (!evidence.why.empty()) line += ": " + markdown_prose(evidence.why);
    out->paragraph(line);
    std::string text;
    for (const std::string& quoted : quoted_lines(evidence.text, kMaxQuotedLines)) text += quoted + "\n";
    if (!text.empty()) out->fence(text, "text");
  }
}

void write_collateral(const IncidentReport& incident, MarkdownWriter* out) {
  if (incident.collateral.empty()) return;
  out->heading(2, "Collateral: failed because of it");
  for (const CollateralGroup& group : grouped(incident.collateral)) {
    std::string line = labelled(ranks_label(group.ranks) + ":", markdown_prose(group.why));
    if (!group.first_place.empty()) line += " (" + markdown_code(group.first_place);
    if (group.places > 1) line += " and " + std::to_string(group.places - 1) + " more like it";
    if (!group.first_place.empty()) line += ")";
    out->item(line);
  }
}

void write_alternatives(const IncidentReport& incident, MarkdownWriter* out) {
  if (incident.alternatives.empty()) return;
  out->heading(2, "It could also be");
  for (const AlternativeReport& alternative : incident.alternatives) {
    CauseReport cause;
    cause.confidence = alternative.confidence;
    std::string line = markdown_code(alternative.id);
    if (alternative.confidence) line += " (" + confidence_text(cause) + ")";
    if (!alternative.decide.empty()) line += ": " + markdown_prose(alternative.decide);
    out->item(line);
  }
}

void write_edit(const EditReport& edit, MarkdownWriter* out) {
  out->paragraph(labelled(edit.preferred ? "Preferred edit:" : "Edit:", markdown_prose(edit.title)) + " (" +
                 applicability_text(edit.applicability) + ")");
  std::string diff;
  for (const TextEdit& change : edit.changes) {
    const ChangeText text = change_text(change);
    diff += "@@ " + text.place + " " + text.action + " @@\n";
    for (const std::string& line : text.added) diff += "+" + line + "\n";
  }
  if (!diff.empty()) out->fence(diff, "diff");
}

void write_fix(const FixReport& fix, MarkdownWriter* out) {
  if (fix.summary.empty() && fix.steps.empty() && fix.edits.empty() && fix.edits_not_offered.empty()) return;
  out->heading(2, "Fix");
  if (!fix.summary.empty() && (fix.steps.empty() || fix.summary != fix.steps.front())) {
    out->paragraph(markdown_prose(fix.summary));
  }
  for (std::size_t i = 0; i < fix.steps.size(); ++i) out->numbered(i + 1, markdown_prose(fix.steps[i]));
  for (const EditReport& edit : fix.edits) write_edit(edit, out);
  if (!fix.edits_not_offered.empty()) out->paragraph("No edit:");
  for (const std::string& why : fix.edits_not_offered) out->item(markdown_prose(why));
}

void write_verify(const VerifyReport& verify, MarkdownWriter* out) {
  if (verify.command.empty() && verify.expect.empty() && verify.refutes.empty()) return;
  out->heading(2, verify.needs_root ? "Verify (needs root)" : "Verify");
  if (!verify.command.empty()) out->fence(verify.command, "sh");
  if (!verify.expect.empty()) out->item(labelled("Expect:", markdown_prose(verify.expect)));
  if (!verify.refutes.empty()) out->item(labelled("Refuted by:", markdown_prose(verify.refutes)));
}

// Addresses come from signature files. Only plain https ones become links; anything else is shown as text.
std::string reference(const std::string& address) {
  const bool plain = address.rfind("https://", 0) == 0 &&
                     address.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/"
                         "?#@!$&'*+,;=%") == std::string::npos;
  return plain ? "<" + address + ">" : escape_markdown(address);
}

void write_list(std::string_view title, const std::vector<std::string>& items, MarkdownWriter* out) {
  if (items.empty()) return;
  out->heading(3, title);
  for (const std::string& item : items) out->item(markdown_prose(item));
}

void write_details(const IncidentReport& incident, MarkdownWriter* out) {
  const CauseReport& cause = incident.cause;
  out->heading(2, "Details");
  out->item(labelled("Cause:", markdown_code(cause.id)) +
            (cause.signature.empty() ? "" : " (signature " + markdown_code(cause.signature) + ")"));
  out->item(labelled("Layer:", escape_markdown(cause.layer)) +
            (cause.owner.empty() ? "" : ", for the " + escape_markdown(cause.owner)));
  out->item(labelled("Confidence:", escape_markdown(confidence_text(cause))));
  if (!cause.what.empty()) out->item(labelled("What:", markdown_prose(cause.what)));
  if (!cause.mechanism.empty()) out->item(labelled("Mechanism:", markdown_prose(cause.mechanism)));
  if (!cause.confused_with.empty())
    out->item(labelled("Confused with:", markdown_prose(cause.confused_with)));
  write_list("Confirmed by", cause.confirm, out);
  write_list("Refuted by", cause.refute, out);
  write_list("Prevent it", incident.prevent, out);
  if (incident.references.empty()) return;
  out->heading(3, "References");
  for (const std::string& address : incident.references) out->item(reference(address));
}

void write_short(const IncidentReport& incident, MarkdownWriter* out) {
  std::string line =
      labelled("Attempt " + std::to_string(incident.attempt) + ":", escape_markdown(incident.cause.summary));
  if (!incident.evidence.empty()) {
    const EvidenceReport& evidence = incident.evidence.front();
    const std::string where = markdown_code(place(evidence.path, evidence.line));
    if (!where.empty()) line += " (" + where + ")";
  }
  const std::string step = first_step(incident);
  if (!step.empty()) line += " — " + markdown_prose(step);
  out->item(line);
}

void write_job(const Diagnosis& diagnosis, MarkdownWriter* out) {
  out->heading(2, "Job");
  const std::string job = job_text(diagnosis.job);
  if (!job.empty()) out->paragraph(escape_markdown(job));
  for (const SourceReport& source : diagnosis.sources) {
    out->item(markdown_code(source.path) + ": " + counted(source.lines, "line", "lines"));
  }
}

}  // namespace

std::string render_markdown(const Diagnosis& diagnosis, const RenderOptions& options) {
  MarkdownWriter out;
  const auto incidents = by_importance(diagnosis);
  if (incidents.empty()) {
    out.heading(1, no_failure_text(diagnosis));
  } else {
    const IncidentReport& incident = *incidents.front();
    write_verdict(incident, &out);
    write_evidence(incident, &out);
    write_collateral(incident, &out);
    write_alternatives(incident, &out);
    write_fix(incident.fix, &out);
    write_verify(incident.verify, &out);
    if (options.details) write_details(incident, &out);
  }
  if (incidents.size() > 1) out.heading(2, "Other incidents");
  for (std::size_t i = 1; i < incidents.size(); ++i) write_short(*incidents[i], &out);
  write_job(diagnosis, &out);
  return out.take();
}

}  // namespace firstfault
