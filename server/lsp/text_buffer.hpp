// The text of a document with an index of its lines. Positions are LSP's: lines from 0, characters in UTF-16
// code units; lines break at "\n", "\r\n" and lone "\r". Positions outside the text are moved to the nearest
// one inside. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "edit/python_edit.hpp"

namespace firstfault::lsp {

struct Range {
  Position start;
  Position end;
  bool operator==(const Range&) const = default;
};

class TextBuffer {
 public:
  TextBuffer() = default;
  explicit TextBuffer(std::string text) { assign(std::move(text)); }

  const std::string& text() const { return text_; }
  std::size_t line_count() const { return starts_.size(); }  // at least 1
  std::size_t line_start(int line) const;                    // byte offset; past the last line: the end
  std::string_view line(int line) const;                     // without its terminator
  int line_length(int line) const;                           // in UTF-16 code units
  std::size_t offset(Position position) const;

  void assign(std::string text);
  // Replaces a range. Costs the length of the tail, not a new index of the whole.
  void replace(const Range& range, std::string_view replacement);

 private:
  bool starts_line(std::size_t at) const;

  std::string text_;
  std::vector<std::size_t> starts_ = {0};
};

// Bytes of `text` (UTF-8) that make up its first `units` UTF-16 code units; a pair is never split.
std::size_t utf16_prefix(std::string_view text, int units);
int utf16_length(std::string_view text);

}  // namespace firstfault::lsp
