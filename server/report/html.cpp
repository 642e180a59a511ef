#include "report/forms.hpp"
#include "report/wording.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxQuotedLines = 40;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1c1f23; --back: #ffffff; --soft: #f3f4f6; --line: #d5d9de; --dim: #59616b;
  --bad: #b3261e; --place: #0b5cad; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --back: #16181c; --soft: #22262c; --line: #3a4048;
  --dim: #a0a8b2; --bad: #ff8a80; --place: #79b8ff; --good: #7ee787; } }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { color: var(--bad); font-size: 1.6rem; line-height: 1.25; }
h1.fine { color: var(--good); }
h2 { border-bottom: 1px solid var(--line); font-size: 1.2rem; margin-top: 2rem; padding-bottom: .25rem; }
h3 { font-size: 1rem; margin-bottom: .25rem; }
code, pre { font-family: ui-monospace, Consolas, monospace; font-size: .875em; }
code { color: var(--place); overflow-wrap: anywhere; }
pre { background: var(--soft); border-left: 3px solid var(--line); margin: .4rem 0 .8rem; overflow-x: auto;
  padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.added { border-left-color: var(--good); }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem 0; }
.dim { color: var(--dim); }
)";

std::string tag(std::string_view name, const std::string& safe, std::string_view attributes = "") {
  std::string text = "<" + std::string(name);
  if (!attributes.empty()) text += " " + std::string(attributes);
  return text + ">" + safe + "</" + std::string(name) + ">\n";
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : "<code>" + escape_html(text) + "</code>";
}

std::string definition(std::string_view term, std::string_view text) {
  return text.empty() ? std::string() : tag("dt", escape_html(term)) + tag("dd", escape_html(text));
}

std::string list(std::string_view kind, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string body;
  for (const std::string& item : items) body += tag("li", escape_html(item));
  return tag(kind, "\n" + body);
}

std::string titled_list(std::string_view title, const std::vector<std::string>& items) {
  return items.empty() ? std::string() : tag("h3", escape_html(title)) + list("ul", items);
}

std::string section(std::string_view title, const std::string& safe) {
  return safe.empty() ? std::string() : tag("section", "\n" + tag("h2", escape_html(title)) + safe);
}

std::string quote(std::string_view text) {
  std::string quoted;
  for (const std::string& line : quoted_lines(text, kMaxQuotedLines)) quoted += line + "\n";
  return quoted.empty() ? std::string() : tag("pre", escape_html(quoted));
}

std::string verdict(const IncidentReport& incident) {
  const std::string& why = incident.initiator ? incident.initiator->why : incident.cause.what;
  return tag("h1", escape_html(incident.cause.summary)) +
         tag("dl", "\n" + definition("Who", initiator_text(incident.initiator)) + definition("Why", why) +
                       definition("Do", first_step(incident)));
}

std::string evidence_section(const IncidentReport& incident) {
  std::string body;
  for (const EvidenceReport& evidence : incident.evidence) {
    std::string about = evidence.rank ? "rank " + std::to_string(*evidence.rank) + ", " : "";
    about += evidence.role;
    std::string line = code(place(evidence.path, evidence.line));
    line += " <span class=\"dim\">" + escape_html(about) + "</span>";
    if (!evidence.why.empty()) line += "<br>" + escape_html(evidence.why);
    body += tag("p", line) + quote(evidence.text);
  }
  return section("Evidence", body);
}

std::string collateral_section(const IncidentReport& incident) {
  if (incident.collateral.empty()) return {};
  std::string rows = tag("tr", tag("th", "Ranks", "scope=\"col\"") + tag("th", "Why", "scope=\"col\"") +
                                   tag("th", "Where", "scope=\"col\""));
  for (const CollateralGroup& group : grouped(incident.collateral)) {
    std::string where = code(group.first_place);
    if (group.places > 1) where += " and " + std::to_string(group.places - 1) + " more like it";
    rows += tag("tr", tag("td", escape_html(numbers_text(group.ranks))) + tag("td", escape_html(group.why)) +
                          tag("td", where));
  }
  return section("Collateral: failed because of it", tag("table", "\n" + rows));
}

std::string alternatives_section(const IncidentReport& incident) {
  std::string items;
  for (const AlternativeReport& alternative : incident.alternatives) {
    CauseReport cause;
    cause.confidence = alternative.confidence;
    std::string line = code(alternative.id);
    if (alternative.confidence) line += " (" + escape_html(confidence_text(cause)) + ")";
    if (!alternative.decide.empty()) line += ": " + escape_html(alternative.decide);
    items += tag("li", line);
  }
  return section("It could also be", items.empty() ? items : tag("ul", "\n" + items));
}

std::string edit_text(const EditReport& edit) {
  std::string body = tag("p", "<strong>" + std::string(edit.preferred ? "Preferred edit:" : "Edit:") +
                                  "</strong> " + escape_html(edit.title) + " (" +
                                  escape_html(applicability_text(edit.applicability)) + ")");
  for (const TextEdit& change : edit.changes) {
    const ChangeText text = change_text(change);
    body += tag("p", code(text.place) + " " + escape_html(text.action));
    std::string added;
    for (const std::string& line : text.added) added += "+ " + line + "\n";
    if (!added.empty()) body += tag("pre", escape_html(added), "class=\"added\"");
  }
  return body;
}

std::string fix_section(const FixReport& fix) {
  std::string body;
  if (!fix.summary.empty() && (fix.steps.empty() || fix.summary != fix.steps.front())) {
    body += tag("p", escape_html(fix.summary));
  }
  body += list("ol", fix.steps);
  for (const EditReport& edit : fix.edits) body += edit_text(edit);
  body += titled_list("No edit", fix.edits_not_offered);
  return section("Fix", body);
}

std::string verify_section(const VerifyReport& verify) {
  std::string body = quote(verify.command);
  const std::string terms = definition("Expect", verify.expect) + definition("Refuted by", verify.refutes);
  if (!terms.empty()) body += tag("dl", "\n" + terms);
  return section(verify.needs_root ? "Verify (needs root)" : "Verify", body);
}

std::string references(const std::vector<std::string>& addresses) {
  std::string items;
  for (const std::string& address : addresses) {
    const std::string shown = escape_html(address);
    // The address is escaped; its scheme decides whether it can do anything but open a page.
    const bool web = address.rfind("https://", 0) == 0;
    items += tag("li", web ? "<a rel=\"noreferrer\" href=\"" + shown + "\">" + shown + "</a>" : shown);
  }
  return items.empty() ? items : tag("h3", "References") + tag("ul", "\n" + items);
}

std::string details_section(const IncidentReport& incident) {
  const CauseReport& cause = incident.cause;
  std::string terms =
      definition("Cause", cause.id + (cause.signature.empty() ? "" : " (signature " + cause.signature + ")"));
  terms += definition("Layer", cause.layer + (cause.owner.empty() ? "" : ", for the " + cause.owner));
  terms += definition("Confidence", confidence_text(cause));
  terms += definition("What", cause.what) + definition("Mechanism", cause.mechanism);
  terms += definition("Confused with", cause.confused_with);
  return section("Details", tag("dl", "\n" + terms) + titled_list("Confirmed by", cause.confirm) +
                                titled_list("Refuted by", cause.refute) +
                                titled_list("Prevent it", incident.prevent) +
                                references(incident.references));
}

std::string others_section(const std::vector<const IncidentReport*>& incidents) {
  std::string rows;
  for (std::size_t i = 1; i < incidents.size(); ++i) {
    const IncidentReport& incident = *incidents[i];
    std::string where;
    if (!incident.evidence.empty()) {
      where = code(place(incident.evidence.front().path, incident.evidence.front().line));
    }
    rows += tag("tr", tag("th", "attempt " + std::to_string(incident.attempt), "scope=\"row\"") +
                          tag("td", escape_html(incident.cause.summary)) + tag("td", where) +
                          tag("td", escape_html(first_step(incident))));
  }
  return section("Other incidents", rows.empty() ? rows : tag("table", "\n" + rows));
}

std::string job_section(const Diagnosis& diagnosis) {
  const std::string job = job_text(diagnosis.job);
  std::string body = job.empty() ? std::string() : tag("p", escape_html(job));
  std::string items;
  for (const SourceReport& source : diagnosis.sources) {
    items += tag("li", code(source.path) + " " + counted(source.lines, "line", "lines"));
  }
  if (!items.empty()) body += tag("ul", "\n" + items);
  return section("Job", body);
}

}  // namespace

std::string render_html(const Diagnosis& diagnosis, const RenderOptions& options) {
  const auto incidents = by_importance(diagnosis);
  std::string body;
  std::string title = no_failure_text(diagnosis);
  if (incidents.empty()) {
    body += tag("h1", escape_html(title), "class=\"fine\"");
  } else {
    const IncidentReport& incident = *incidents.front();
    title = incident.cause.summary;
    body += verdict(incident) + evidence_section(incident) + collateral_section(incident);
    body += alternatives_section(incident) + fix_section(incident.fix) + verify_section(incident.verify);
    if (options.details) body += details_section(incident);
    body += others_section(incidents);
  }
  body += job_section(diagnosis);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         tag("title", "FirstFault: " + escape_html(title)) + tag("style", std::string(kStyle)) +
         "</head>\n<body>\n" + tag("main", "\n" + body) + "</body>\n</html>\n";
}

}  // namespace firstfault
