#include "lsp/protocol.hpp"

namespace firstfault::lsp {
namespace {

void decode(const Field& field, Position* out) {
  out->line = field["line"].unsigned_integer();
  out->character = field["character"].unsigned_integer();
}

void decode(const Field& field, Range* out) {
  decode(field["start"], &out->start);
  decode(field["end"], &out->end);
}

std::string document_uri(const Field& field) { return field["textDocument"]["uri"].string(); }

std::vector<std::string> folder_uris(const Field& field) {
  std::vector<std::string> uris;
  for (const Field& folder : field.items_or_none()) uris.push_back(folder["uri"].string());
  return uris;
}

bool lists(const Field& field, const char* wanted) {
  for (const Field& item : field.items_or_none()) {
    if (item.raw() == Json(wanted)) return true;
  }
  return false;
}

std::optional<std::string> optional_string(const Field& field) {
  return field.present() ? std::optional(field.string()) : std::nullopt;
}

void decode(const Field& field, ClientCapabilities* out) {
  const Field document = field["textDocument"];
  const Field workspace = field["workspace"];
  const Field publish = document["publishDiagnostics"];
  out->pull_diagnostics = document["diagnostic"].present();
  out->refresh_diagnostics = workspace["diagnostics"]["refreshSupport"].flag();
  out->related_information = publish["relatedInformation"].flag();
  out->diagnostic_versions = publish["versionSupport"].flag();
  out->code_descriptions = publish["codeDescriptionSupport"].flag();
  out->markdown_hover = lists(document["hover"]["contentFormat"], "markdown");
  out->code_action_literals = document["codeAction"]["codeActionLiteralSupport"].present();
  out->preferred_actions = document["codeAction"]["isPreferredSupport"].flag();
  out->document_changes = workspace["workspaceEdit"]["documentChanges"].flag();
}

void decode(const Field& field, DiagnoseParams* out) {
  if (!field.present()) return field.fail("expected an object with uri or text");
  out->uri = optional_string(field["uri"]);
  out->text = optional_string(field["text"]);
  out->name = optional_string(field["name"]);
  out->workspace = optional_string(field["workspace"]);
  if (field["range"].present()) decode(field["range"], &out->range.emplace());
  const std::string format = field["format"].string_or("json");
  out->markdown = format == "markdown";
  if (!out->markdown && format != "json") field["format"].fail("expected \"json\" or \"markdown\"");
  if (out->uri.has_value() == out->text.has_value()) field.fail("give either uri or text");
  if (out->range && !out->uri) field["range"].fail("a range goes with the uri of an open document");
}

}  // namespace

void decode(const Field&, NoParams*) {}

void decode(const Field& field, InitializeParams* out) {
  if (field["processId"].present()) out->process_id = field["processId"].integer();
  decode(field["capabilities"], &out->capabilities);
  out->folders = folder_uris(field["workspaceFolders"]);
  if (out->folders.empty() && field["rootUri"].present()) out->folders = {field["rootUri"].string()};
}

void decode(const Field& field, DidOpenParams* out) {
  const Field document = field["textDocument"];
  out->uri = document["uri"].string();
  out->language = document["languageId"].string_or("");
  out->version = document["version"].integer();
  out->text = document["text"].string();
}

void decode(const Field& field, DidChangeParams* out) {
  out->uri = document_uri(field);
  out->version = field["textDocument"]["version"].integer();
  for (const Field& item : field["contentChanges"].items()) {
    ContentChange& change = out->changes.emplace_back();
    if (item["range"].present()) decode(item["range"], &change.range.emplace());
    change.text = item["text"].string();
  }
}

void decode(const Field& field, DocumentParams* out) { out->uri = document_uri(field); }

void decode(const Field& field, HoverParams* out) {
  out->uri = document_uri(field);
  decode(field["position"], &out->position);
}

void decode(const Field& field, PullParams* out) {
  out->uri = document_uri(field);
  out->previous_result = field["previousResultId"].string_or("");
}

void decode(const Field& field, CodeActionParams* out) {
  out->uri = document_uri(field);
  decode(field["range"], &out->range);
  const Field context = field["context"];
  out->diagnostics = context["diagnostics"].is_array() ? context["diagnostics"].raw() : Json::array();
  if (context["only"].is_array()) out->wants_quickfix = lists(context["only"], "quickfix");
}

void decode(const Field& field, FolderChangeParams* out) {
  out->added = folder_uris(field["event"]["added"]);
  out->removed = folder_uris(field["event"]["removed"]);
}

void decode(const Field& field, ExecuteCommandParams* out) {
  const std::string command = field["command"].string();
  if (command != kDiagnoseCommand) {
    return field["command"].fail("unknown command; this server has " + std::string(kDiagnoseCommand));
  }
  const auto arguments = field["arguments"].items_or_none();
  if (arguments.size() != 1)
    return field["arguments"].fail("expected an array of one object with uri or text");
  decode(arguments.front(), &out->diagnose);
  out->work_done_token = field["workDoneToken"].raw();
}

Json to_json(const Position& position) {
  return {{"line", position.line}, {"character", position.character}};
}

Json to_json(const Range& range) { return {{"start", to_json(range.start)}, {"end", to_json(range.end)}}; }

Json server_capabilities() {
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"hoverProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"executeCommandProvider", {{"commands", {kDiagnoseCommand}}, {"workDoneProgress", true}}},
      {"diagnosticProvider",
       {{"identifier", "firstfault"}, {"interFileDependencies", true}, {"workspaceDiagnostics", false}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
  };
}

}  // namespace firstfault::lsp
