#include <algorithm>

#include "lsp/hover.hpp"
#include "lsp/session.hpp"
#include "lsp/uri.hpp"

namespace firstfault::lsp {
namespace {

const FileSummary* file_of(const std::shared_ptr<const Summary>& summary, const std::string& path) {
  if (!summary) return nullptr;
  const auto found = summary->files.find(path);
  return found == summary->files.end() ? nullptr : &found->second;
}

bool touch(const Range& a, const Range& b) {
  return a.start.line <= b.end.line && b.start.line <= a.end.line;
}

// The client's own copies of our diagnostics on these lines.
Json resolved_by(const Json& diagnostics, const Range& range) {
  Json out = Json::array();
  for (const Json& diagnostic : diagnostics) {
    std::string error;
    const Field field(&diagnostic, "", &error);
    const bool ours = field["source"].string() == kSourceName;
    const int start = field["range"]["start"]["line"].integer();
    const int end = field["range"]["end"]["line"].integer();
    if (ours && error.empty() && start <= range.end.line && range.start.line <= end)
      out.push_back(diagnostic);
  }
  return out;
}

}  // namespace

UriOf Session::known_uris() const {
  UriOf uris;
  for (const auto& [uri, document] : documents_.all()) uris[document.name] = uri;
  return uris;
}

Json Session::diagnostics_of(const Document& document) const {
  if (document.kind == DocumentKind::kPython) {
    if (document.path.empty()) return Json::array();
    return source_diagnostics(offers_.on_file(document.path, document.text.text()), known_uris(), client_);
  }
  const auto found = knowledge_.find(document.uri);
  if (found == knowledge_.end()) return Json::array();
  const Knowledge& knowledge = found->second;
  std::vector<Finding> findings;
  const bool current = knowledge.generation == document.generation;
  if (const auto* file = current ? file_of(knowledge.summary, document.name) : nullptr)
    findings = file->findings;
  if (const auto* file = file_of(knowledge.selection, document.name)) {
    findings = merge_findings(std::move(findings), file->findings);
  }
  return log_diagnostics(findings, &document.text, known_uris(), client_);
}

void Session::publish(const Document& document) {
  if (client_.pull_diagnostics) return;
  Json diagnostics = diagnostics_of(document);
  // Of a document that is no log only news is told: most never have a diagnostic.
  bool& shown = knowledge_[document.uri].shown;
  if (!may_be_log(document) && diagnostics.empty() && !shown) return;
  shown = !diagnostics.empty();
  publish(document.uri, std::move(diagnostics), &document);
}

void Session::publish(const std::string& uri, Json diagnostics, const Document* document) {
  Json params = {{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
  if (document != nullptr && client_.diagnostic_versions) params["version"] = document->version;
  connection_->notify("textDocument/publishDiagnostics", std::move(params));
}

// Files that are diagnosed by path are not open, so no client pulls for them: their diagnostics are always
// pushed.
void Session::publish_closed_files(const Summary& summary) {
  const UriOf uris = known_uris();
  for (const auto& [path, file] : summary.files) {
    const std::string uri = uri_of(uris, path);
    if (uri.empty() || documents_.find(uri) != nullptr) continue;
    const bool had_some = published_closed_.contains(uri);
    if (file.findings.empty() && !had_some) continue;
    publish(uri, log_diagnostics(file.findings, nullptr, uris, client_), nullptr);
    if (file.findings.empty()) {
      published_closed_.erase(uri);
    } else {
      published_closed_.insert(uri);
    }
  }
}

// After a change of what is on offer: source files get or lose diagnostics.
void Session::show_everywhere() {
  ++offers_version_;
  if (client_.pull_diagnostics) {
    if (client_.refresh_diagnostics) connection_->call("workspace/diagnostic/refresh");
    return;
  }
  for (const auto& [uri, document] : documents_.all()) {
    if (document.kind == DocumentKind::kPython) publish(document);
  }
}

std::string Session::result_id(const Document& document) const {
  return std::to_string(document.generation) + "." + std::to_string(offers_version_);
}

void Session::pull(const PullParams& params, ReplyOnce reply) {
  const Document* document = documents_.find(params.uri);
  if (document == nullptr) return reply(Json{{"kind", "full"}, {"items", Json::array()}});
  Knowledge& knowledge = knowledge_[document->uri];
  if (may_be_log(*document) && knowledge.generation != document->generation) {
    // Whoever asks has waited for the typing to pause.
    if (knowledge.running_generation != document->generation) start_analysis(*document);
    knowledge.waiting.push_back(std::move(reply));
    return;
  }
  const std::string id = result_id(*document);
  if (params.previous_result == id) return reply(Json{{"kind", "unchanged"}, {"resultId", id}});
  reply(Json{{"kind", "full"}, {"resultId", id}, {"items", diagnostics_of(*document)}});
}

void Session::answer_waiting(const std::string& uri) {
  const Document* document = documents_.find(uri);
  if (document == nullptr) return;
  Knowledge& knowledge = knowledge_[uri];
  if (may_be_log(*document) && knowledge.generation != document->generation) return;
  for (ReplyOnce& reply : std::exchange(knowledge.waiting, {})) {
    reply(Json{{"kind", "full"}, {"resultId", result_id(*document)}, {"items", diagnostics_of(*document)}});
  }
}

void Session::hover(const HoverParams& params, ReplyOnce reply) {
  const Document* document = documents_.find(params.uri);
  if (document == nullptr || params.position.line >= static_cast<int>(document->text.line_count())) {
    return reply(nullptr);
  }
  const Knowledge& knowledge = knowledge_[document->uri];
  const auto line_number = static_cast<std::uint64_t>(params.position.line) + 1;
  const bool current = knowledge.generation == document->generation;
  const RecognisedLine* found = nullptr;
  RecognisedLine alone;
  for (const auto& summary : {current ? knowledge.summary : nullptr, knowledge.selection}) {
    const FileSummary* file = file_of(summary, document->name);
    if (file != nullptr && found == nullptr) found = recognised_at(file->lines, line_number);
  }
  if (found == nullptr && may_be_log(*document)) {
    const Signature* signature = engine_->explain_line(document->text.line(params.position.line));
    if (signature != nullptr && !signature->explain.what.empty()) {
      alone = {line_number, line_number, signature, "", fix_of(*signature, {})};
      found = &alone;
    }
  }
  if (found == nullptr) return reply(nullptr);
  const int last =
      std::min<int>(static_cast<int>(found->end_line), static_cast<int>(document->text.line_count())) - 1;
  const Range range{{static_cast<int>(found->line) - 1, 0}, {last, document->text.line_length(last)}};
  reply(Json{{"contents",
              {{"kind", client_.markdown_hover ? "markdown" : "plaintext"},
               {"value", client_.markdown_hover ? hover_markdown(*found) : hover_text(*found)}}},
             {"range", to_json(range)}});
}

std::vector<OfferedEdit> Session::offered_edits(const Document& document, const Range& range) {
  if (document.kind != DocumentKind::kPython) {
    return offers_.at_evidence(document.name, static_cast<std::uint64_t>(range.start.line) + 1,
                               static_cast<std::uint64_t>(range.end.line) + 1, &documents_);
  }
  if (document.path.empty()) return {};
  auto edits = offers_.on_file(document.path, document.text.text());
  std::erase_if(edits, [&](const OfferedEdit& edit) { return !touch(edit.range, range); });
  return edits;
}

void Session::code_actions(const CodeActionParams& params, ReplyOnce reply) {
  Json actions = Json::array();
  const Document* document = documents_.find(params.uri);
  if (document == nullptr || !params.wants_quickfix || !client_.code_action_literals) {
    return reply(std::move(actions));
  }
  const Json resolved = resolved_by(params.diagnostics, params.range);
  bool preferred = false;
  for (OfferedEdit& edit : offered_edits(*document, params.range)) {
    // One preferred fix at most: it is what the editor's "fix" key takes.
    edit.preferred = edit.preferred && !std::exchange(preferred, preferred || edit.preferred);
    actions.push_back(code_action(edit, documents_.find_path(edit.path), client_, resolved));
  }
  reply(std::move(actions));
}

}  // namespace firstfault::lsp
