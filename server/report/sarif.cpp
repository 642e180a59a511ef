#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/forms.hpp"
#include "report/visible.hpp"
#include "report/wording.hpp"

namespace firstfault {
namespace {

using nlohmann::json;

// A path as a URI reference: relative paths stay relative, absolute ones become file URIs.
std::string uri_of(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = !path.empty() && path.front() == '/' ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        std::string_view("-._~/").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri;
}

json message(std::string_view text) { return {{"text", std::string(text)}}; }

json physical(std::string_view path, std::uint64_t line, std::uint64_t end_line, std::string_view snippet) {
  json location = {{"artifactLocation", {{"uri", uri_of(path)}}}};
  if (line > 0) {
    location["region"] = {{"startLine", line}, {"endLine", std::max(line, end_line)}};
    if (!snippet.empty()) location["region"]["snippet"] = message(snippet);
  }
  return location;
}

std::string rule_id(const CauseReport& cause) {
  if (!cause.signature.empty()) return cause.signature;
  return cause.id.empty() ? "unknown" : cause.id;
}

json rule_of(const IncidentReport& incident) {
  const CauseReport& cause = incident.cause;
  json rule = {{"id", rule_id(cause)},
               {"shortDescription", message(cause.title.empty() ? rule_id(cause) : cause.title)},
               {"defaultConfiguration", {{"level", "error"}}},
               {"properties", {{"cause", cause.id}, {"layer", cause.layer}, {"owner", cause.owner}}}};
  if (!cause.what.empty()) rule["fullDescription"] = message(cause.what);
  const std::string& help = cause.mechanism.empty() ? cause.what : cause.mechanism;
  if (!help.empty()) rule["help"] = {{"text", help}, {"markdown", escape_markdown(help)}};
  for (const std::string& address : incident.references) {
    if (address.rfind("https://", 0) != 0 || address.find_first_of(" \"<>\\^`{|}") != std::string::npos)
      continue;
    rule["helpUri"] = address;
    break;
  }
  return rule;
}

json location_of(const EvidenceReport& evidence) {
  json location = json::object();
  if (!evidence.path.empty()) {
    location["physicalLocation"] = physical(evidence.path, evidence.line, evidence.end_line, evidence.text);
  }
  location["message"] = message(evidence.why.empty() ? evidence.role : evidence.why);
  location["properties"] = {{"role", evidence.role}};
  if (evidence.rank) location["properties"]["rank"] = *evidence.rank;
  return location;
}

json related_of(const CollateralReport& collateral, std::size_t id) {
  json location = {{"id", id},
                   {"message", message("rank " + std::to_string(collateral.rank) + ": " + collateral.why)},
                   {"properties", {{"rank", collateral.rank}}}};
  if (!collateral.path.empty()) {
    location["physicalLocation"] = physical(collateral.path, collateral.line, collateral.line, "");
  }
  return location;
}

json replacement_of(const TextEdit& change) {
  return {{"deletedRegion",
           {{"startLine", change.start.line + 1},
            {"startColumn", change.start.character + 1},
            {"endLine", change.end.line + 1},
            {"endColumn", change.end.character + 1}}},
          {"insertedContent", message(change.new_text)}};
}

// A fix of one file per artifactChange. An edit without changes is no SARIF fix.
json fixes_of(const FixReport& fix) {
  json fixes = json::array();
  for (const EditReport& edit : fix.edits) {
    std::map<std::string, json> files;
    for (const TextEdit& change : edit.changes) files[change.path].push_back(replacement_of(change));
    json changes = json::array();
    for (auto& [path, replacements] : files) {
      changes.push_back(
          {{"artifactLocation", {{"uri", uri_of(path)}}}, {"replacements", std::move(replacements)}});
    }
    if (changes.empty()) continue;
    json entry = {{"description", message(edit.title)},
                  {"artifactChanges", std::move(changes)},
                  {"properties", {{"applicability", edit.applicability}, {"preferred", edit.preferred}}}};
    if (std::find(fixes.begin(), fixes.end(), entry) == fixes.end()) fixes.push_back(std::move(entry));
  }
  return fixes;
}

json result_of(const IncidentReport& incident, std::size_t rule_index) {
  json result = {{"ruleId", rule_id(incident.cause)},
                 {"ruleIndex", rule_index},
                 {"level", "error"},
                 {"kind", "fail"},
                 {"message", message(incident.cause.summary)},
                 {"locations", json::array()},
                 {"properties",
                  {{"cause", incident.cause.id},
                   {"primary", incident.primary},
                   {"attempt", incident.attempt},
                   {"initiator", initiator_text(incident.initiator)}}}};
  for (const EvidenceReport& evidence : incident.evidence)
    result["locations"].push_back(location_of(evidence));
  if (incident.cause.confidence) result["properties"]["confidence"] = *incident.cause.confidence;
  json related = json::array();
  for (const CollateralReport& collateral : incident.collateral) {
    related.push_back(related_of(collateral, related.size() + 1));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  if (json fixes = fixes_of(incident.fix); !fixes.empty()) result["fixes"] = std::move(fixes);
  return result;
}

}  // namespace

std::string render_sarif(const Diagnosis& diagnosis) {
  json rules = json::array();
  json results = json::array();
  std::map<std::string, std::size_t> indexes;
  for (const IncidentReport& incident : diagnosis.incidents) {
    const auto [known, added] = indexes.emplace(rule_id(incident.cause), rules.size());
    if (added) rules.push_back(rule_of(incident));
    results.push_back(result_of(incident, known->second));
  }
  json artifacts = json::array();
  for (const SourceReport& source : diagnosis.sources) {
    json artifact = {{"location", {{"uri", uri_of(source.path)}}}, {"length", source.bytes}};
    if (std::find(artifacts.begin(), artifacts.end(), artifact) == artifacts.end())
      artifacts.push_back(artifact);
  }
  json run = {{"tool", {{"driver", {{"name", "FirstFault"}, {"rules", std::move(rules)}}}}},
              {"columnKind", "utf16CodeUnits"},
              {"artifacts", std::move(artifacts)},
              {"results", std::move(results)}};
  const json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", json::array({std::move(run)})}};
  return visible_json(log.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace firstfault
