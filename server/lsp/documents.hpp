// The documents that the client holds open. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "lsp/protocol.hpp"
#include "lsp/text_buffer.hpp"

namespace firstfault::lsp {

enum class DocumentKind {
  kLog,       // a log by its language id
  kMaybeLog,  // plain text: its content decides
  kPython,
  kOther,
};

DocumentKind kind_of(const std::string& language, const std::string& uri);

struct Document {
  std::string uri;
  std::string path;  // "" where the URI is no file
  std::string name;  // what evidence cites
  int version = 0;
  DocumentKind kind = DocumentKind::kOther;
  // Never the same for two texts, in one document or in several: what tells a late result from a current one.
  std::uint64_t generation = 0;
  TextBuffer text;
};

class Documents {
 public:
  Document& open(const DidOpenParams& params);      // replaces one that is open already
  Document* change(const DidChangeParams& params);  // nullptr: it is not open
  void close(const std::string& uri) { documents_.erase(uri); }

  Document* find(const std::string& uri);
  Document* find_path(const std::string& path);
  const std::map<std::string, Document>& all() const { return documents_; }

 private:
  std::map<std::string, Document> documents_;
  std::uint64_t generations_ = 0;
};

}  // namespace firstfault::lsp
