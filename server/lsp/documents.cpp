#include "lsp/documents.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "lsp/uri.hpp"

namespace firstfault::lsp {

DocumentKind kind_of(const std::string& language, const std::string& uri) {
  std::string id = language;
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 7> kPlain = {"",    "plaintext", "log",  "text",
                                                      "txt", "output",    "plain"};
  if (id == "training-log") return DocumentKind::kLog;
  if (id == "python" || (id.empty() && uri.ends_with(".py"))) return DocumentKind::kPython;
  const bool plain = std::find(kPlain.begin(), kPlain.end(), id) != kPlain.end();
  return plain ? DocumentKind::kMaybeLog : DocumentKind::kOther;
}

Document& Documents::open(const DidOpenParams& params) {
  Document& document = documents_[params.uri];
  document = Document{params.uri,
                      uri_to_path(params.uri).value_or(""),
                      uri_to_name(params.uri),
                      params.version,
                      kind_of(params.language, params.uri),
                      ++generations_,
                      TextBuffer(params.text)};
  return document;
}

Document* Documents::change(const DidChangeParams& params) {
  Document* document = find(params.uri);
  if (document == nullptr) return nullptr;
  for (const ContentChange& change : params.changes) {
    if (change.range) {
      document->text.replace(*change.range, change.text);
    } else {
      document->text.assign(change.text);
    }
  }
  document->version = params.version;
  document->generation = ++generations_;
  return document;
}

Document* Documents::find(const std::string& uri) {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

Document* Documents::find_path(const std::string& path) {
  for (auto& [uri, document] : documents_) {
    if (!path.empty() && document.path == path) return &document;
  }
  return nullptr;
}

}  // namespace firstfault::lsp
