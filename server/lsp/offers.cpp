#include "lsp/offers.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "lsp/uri.hpp"

namespace firstfault::lsp {
namespace {

constexpr std::streamoff kMaxSourceBytes = 8 * 1024 * 1024;

std::string target_of(const Offer& offer) { return offer.workspace + "/" + offer.path; }

bool same_offer(const Offer& a, const Offer& b) {
  const auto same_place = [](const Place& x, const Place& y) { return x.path == y.path && x.line == y.line; };
  return a.recipe == b.recipe && a.path == b.path && a.workspace == b.workspace &&
         std::equal(a.evidence.begin(), a.evidence.end(), b.evidence.begin(), b.evidence.end(), same_place);
}

// A source file that no editor holds. nullopt: it is gone, or too large to be source code.
std::optional<std::string> read_source(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream || stream.tellg() > kMaxSourceBytes) return std::nullopt;
  stream.seekg(0);
  return std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

bool before(const Position& a, const Position& b) {
  return a.line != b.line ? a.line < b.line : a.character < b.character;
}

void add_edits(const Offer& offer, const std::string& text, std::vector<OfferedEdit>* out) {
  const auto outcome = apply_recipe(*offer.recipe, offer.path, text);
  if (!outcome) return;  // the source does not parse just now
  for (const CallEdit& call : outcome->edits) {
    if (call.changes.empty()) continue;
    OfferedEdit edit{&offer,          target_of(offer),       offer.title,
                     offer.preferred, {call.call, call.call}, call.changes};
    if (outcome->edits.size() > 1) {
      edit.title += " (" + base_name(offer.path) + ":" + std::to_string(call.call.line + 1) + ")";
    }
    if (!call.note.empty()) edit.title += ": " + call.note;
    for (const TextEdit& change : call.changes) {
      if (before(edit.range.end, change.end)) edit.range.end = change.end;
    }
    const bool known = std::any_of(out->begin(), out->end(), [&](const OfferedEdit& other) {
      return other.path == edit.path && other.range == edit.range && other.title == edit.title;
    });
    if (!known) out->push_back(std::move(edit));
  }
}

}  // namespace

bool Offers::remember(const std::string& source, std::vector<Offer> offers) {
  std::vector<Offer>& known = by_source_[source];
  const bool changed = !std::equal(known.begin(), known.end(), offers.begin(), offers.end(), same_offer);
  known = std::move(offers);
  return changed;
}

std::vector<OfferedEdit> Offers::on_file(const std::string& path, const std::string& text) const {
  std::vector<OfferedEdit> edits;
  for (const auto& [source, offers] : by_source_) {
    for (const Offer& offer : offers) {
      if (target_of(offer) == path) add_edits(offer, text, &edits);
    }
  }
  return edits;
}

std::vector<OfferedEdit> Offers::at_evidence(const std::string& log_path, std::uint64_t first,
                                             std::uint64_t last, Documents* documents) const {
  std::vector<OfferedEdit> edits;
  for (const auto& [source, offers] : by_source_) {
    for (const Offer& offer : offers) {
      const bool at_lines =
          std::any_of(offer.evidence.begin(), offer.evidence.end(), [&](const Place& place) {
            return place.path == log_path && place.line <= last && first <= place.end_line;
          });
      if (!at_lines) continue;
      const Document* open = documents->find_path(target_of(offer));
      const auto text = open != nullptr ? std::optional(open->text.text()) : read_source(target_of(offer));
      if (text) add_edits(offer, *text, &edits);
    }
  }
  return edits;
}

Json code_action(const OfferedEdit& edit, const Document* open, const ClientCapabilities& client,
                 const Json& diagnostics) {
  const std::string uri = open != nullptr ? open->uri : path_to_uri(edit.path);
  Json edits = Json::array();
  for (const TextEdit& change : edit.changes) {
    edits.push_back({{"range", to_json(Range{change.start, change.end})}, {"newText", change.new_text}});
  }
  Json workspace_edit;
  if (client.document_changes) {
    const Json version = open != nullptr ? Json(open->version) : Json(nullptr);
    workspace_edit["documentChanges"] =
        Json::array({{{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(edits)}}});
  } else {
    workspace_edit["changes"][uri] = std::move(edits);
  }
  Json action = {{"title", edit.title}, {"kind", "quickfix"}, {"edit", std::move(workspace_edit)}};
  if (client.preferred_actions && edit.preferred) action["isPreferred"] = true;
  if (!diagnostics.empty()) action["diagnostics"] = diagnostics;
  return action;
}

}  // namespace firstfault::lsp
