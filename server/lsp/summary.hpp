// An analysis boiled down to what an editor shows: findings and recognised lines per file, and the edits on
// offer. Free of LSP. Plain data, made on a worker thread and shared read-only afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lsp/engine.hpp"

namespace firstfault::lsp {

enum class Severity { kError = 1, kWarning = 2, kInformation = 3 };  // as LSP numbers them

// Lines of a source, counted from 1.
struct Place {
  std::string path;
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
};

// Something to show at lines of a file. The message is plain text; its first line is short and says it all.
struct Finding {
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
  Severity severity = Severity::kInformation;
  std::string message;
  std::string code;                // the signature's id, or the cause's where there is no signature
  std::string reference;           // an https address that says more, or ""
  std::optional<Place> initiator;  // for what followed: where the failure began
  std::string initiator_message;
};

// What a hover says of a line.
struct RecognisedLine {
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
  const Signature* signature = nullptr;
  std::string headline;  // the incident that this line is evidence of, or ""
  std::string fix;
};

struct FileSummary {
  std::vector<Finding> findings;      // by line
  std::vector<RecognisedLine> lines;  // by line
};

// An edit of a workspace file that a diagnosis offers. It is made anew on the file's current text each time.
struct Offer {
  std::string workspace;  // absolute path of the folder
  std::string path;       // relative to it
  const EditRecipe* recipe = nullptr;
  std::string title;
  bool preferred = false;
  std::string headline;  // what went wrong, in a few words
  std::string code;
  std::vector<Place> evidence;  // of the incident, the initiating lines first
};

struct Summary {
  std::map<std::string, FileSummary> files;  // by the path that evidence cites
  std::vector<Offer> offers;
};

// At most this many findings are kept of a file, errors before warnings before the rest.
inline constexpr std::size_t kMaxFindings = 1000;

Summary summarise(const Analysis& analysis, const Engine& engine, const std::string& workspace);

// The fix that a signature's text tells for these captures, "" where it needs to know more.
std::string fix_of(const Signature& signature, const Captures& captures);

// Text of a log on one line without control characters, cut at `limit` bytes on a character's boundary.
std::string plain_line(std::string_view text, std::size_t limit = 2000);

}  // namespace firstfault::lsp
