#include "lsp/diagnostics.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "lsp/uri.hpp"

namespace firstfault::lsp {
namespace {

int to_index(std::uint64_t line) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  return static_cast<int>(std::clamp<std::uint64_t>(line, 1, kMost)) - 1;
}

// Whole lines: up to the end of the last one where its length is known, else up to the start of the next.
Range whole_lines(std::uint64_t first, std::uint64_t last, const TextBuffer* text) {
  if (text == nullptr) return {{to_index(first), 0}, {to_index(last) + 1, 0}};
  const int most = static_cast<int>(text->line_count()) - 1;
  const int start = std::min(to_index(first), most);
  const int end = std::min(to_index(last), most);
  return {{start, 0}, {end, text->line_length(end)}};
}

Json related(const std::string& uri, const Range& range, const std::string& message) {
  return Json::array({{{"location", {{"uri", uri}, {"range", to_json(range)}}}, {"message", message}}});
}

Json diagnostic(const Finding& finding, const TextBuffer* text, const UriOf& uris,
                const ClientCapabilities& client) {
  Json out = {{"range", to_json(whole_lines(finding.line, finding.end_line, text))},
              {"severity", static_cast<int>(finding.severity)},
              {"source", kSourceName},
              {"code", finding.code}};
  std::string message = finding.message;
  if (finding.initiator) {
    const std::string uri = uri_of(uris, finding.initiator->path);
    if (client.related_information && !uri.empty()) {
      // The lines of another file are of unknown length.
      const Range range = whole_lines(finding.initiator->line, finding.initiator->end_line, nullptr);
      out["relatedInformation"] = related(uri, range, finding.initiator_message);
    } else {
      message +=
          "\nIt began in line " + std::to_string(finding.initiator->line) + ": " + finding.initiator_message;
    }
  }
  out["message"] = std::move(message);
  if (client.code_descriptions && !finding.reference.empty()) {
    out["codeDescription"] = {{"href", finding.reference}};
  }
  return out;
}

}  // namespace

std::string uri_of(const UriOf& known, const std::string& path) {
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return path.starts_with('/') ? path_to_uri(path) : "";
}

Json log_diagnostics(const std::vector<Finding>& findings, const TextBuffer* text, const UriOf& uris,
                     const ClientCapabilities& client) {
  Json out = Json::array();
  for (const Finding& finding : findings) out.push_back(diagnostic(finding, text, uris, client));
  return out;
}

Json source_diagnostics(const std::vector<OfferedEdit>& edits, const UriOf& uris,
                        const ClientCapabilities& client) {
  Json out = Json::array();
  const OfferedEdit* previous = nullptr;
  for (const OfferedEdit& edit : edits) {
    const Offer& offer = *edit.offer;
    // Several ways to mend the same call are one problem.
    if (previous != nullptr && previous->range == edit.range && previous->offer->code == offer.code) {
      out.back()["message"] = out.back()["message"].get<std::string>() + "\nOr: " + edit.title;
      continue;
    }
    previous = &edit;
    std::string message = plain_line(offer.headline);
    Json item = {{"range", to_json(edit.range)},
                 {"severity", static_cast<int>(edit.preferred ? Severity::kWarning : Severity::kInformation)},
                 {"source", kSourceName},
                 {"code", offer.code}};
    if (!offer.evidence.empty()) {
      const Place& place = offer.evidence.front();
      message += " (diagnosed in " + base_name(place.path);
      if (place.line > 0) message += ":" + std::to_string(place.line);  // a dump has no lines
      message += ")";
      const std::string uri = uri_of(uris, place.path);
      if (client.related_information && !uri.empty()) {
        item["relatedInformation"] =
            related(uri, whole_lines(place.line, place.end_line, nullptr), "the log's evidence");
      }
    }
    item["message"] = message + "\nQuick fix: " + edit.title;
    out.push_back(std::move(item));
  }
  return out;
}

std::vector<Finding> merge_findings(std::vector<Finding> findings, const std::vector<Finding>& more) {
  std::set<std::uint64_t> lines;
  for (const Finding& finding : findings) lines.insert(finding.line);
  for (const Finding& finding : more) {
    if (!lines.contains(finding.line)) findings.push_back(finding);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  return findings;
}

}  // namespace firstfault::lsp
