// The parts of LSP 3.17 that the server uses, decoded from a client's messages. Members it never reads are
// left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lsp/field.hpp"
#include "lsp/text_buffer.hpp"

namespace firstfault::lsp {

struct NoParams {};

// What the client can do, as far as it changes what the server sends.
struct ClientCapabilities {
  bool pull_diagnostics = false;
  bool refresh_diagnostics = false;
  bool related_information = false;
  bool diagnostic_versions = false;
  bool code_descriptions = false;
  bool markdown_hover = false;
  bool code_action_literals = false;
  bool preferred_actions = false;
  bool document_changes = false;
};

struct InitializeParams {
  std::optional<int> process_id;
  std::vector<std::string> folders;  // URIs
  ClientCapabilities capabilities;
};

struct DidOpenParams {
  std::string uri;
  std::string language;
  int version = 0;
  std::string text;
};

struct ContentChange {
  std::optional<Range> range;  // none: the whole text
  std::string text;
};

struct DidChangeParams {
  std::string uri;
  int version = 0;
  std::vector<ContentChange> changes;
};

struct DocumentParams {
  std::string uri;
};

struct HoverParams {
  std::string uri;
  Position position;
};

struct PullParams {
  std::string uri;
  std::string previous_result;
};

struct CodeActionParams {
  std::string uri;
  Range range;
  Json diagnostics;  // those of the request's context, to be handed back with the fix
  bool wants_quickfix = true;
};

struct FolderChangeParams {
  std::vector<std::string> added;  // URIs
  std::vector<std::string> removed;
};

// The argument of firstfault.diagnose.
struct DiagnoseParams {
  std::optional<std::string> uri;
  std::optional<Range> range;
  std::optional<std::string> text;
  std::optional<std::string> name;
  std::optional<std::string> workspace;
  bool markdown = false;
};

struct ExecuteCommandParams {
  DiagnoseParams diagnose;
  Json work_done_token;  // null: the client wants no progress
};

void decode(const Field& field, NoParams* out);
void decode(const Field& field, InitializeParams* out);
void decode(const Field& field, DidOpenParams* out);
void decode(const Field& field, DidChangeParams* out);
void decode(const Field& field, DocumentParams* out);
void decode(const Field& field, HoverParams* out);
void decode(const Field& field, PullParams* out);
void decode(const Field& field, CodeActionParams* out);
void decode(const Field& field, FolderChangeParams* out);
void decode(const Field& field, ExecuteCommandParams* out);

Json to_json(const Position& position);
Json to_json(const Range& range);

// The answer to initialize.
Json server_capabilities();

inline constexpr const char* kSourceName = "FirstFault";
inline constexpr const char* kDiagnoseCommand = "firstfault.diagnose";

}  // namespace firstfault::lsp
