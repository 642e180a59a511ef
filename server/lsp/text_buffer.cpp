#include "lsp/text_buffer.hpp"

#include <algorithm>

namespace firstfault::lsp {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The bytes of the character at `at`; its UTF-16 length is 2 for four bytes, otherwise 1.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  std::size_t count = 1;
  while (count < wanted && at + count < text.size() && continues(text[at + count])) ++count;
  return count;
}

}  // namespace

std::size_t utf16_prefix(std::string_view text, int units) {
  std::size_t at = 0;
  while (at < text.size() && units > 0) {
    const std::size_t bytes = character_bytes(text, at);
    units -= bytes == 4 ? 2 : 1;
    if (units < 0) break;  // inside a pair
    at += bytes;
  }
  return at;
}

int utf16_length(std::string_view text) {
  int units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    units += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return units;
}

std::size_t TextBuffer::line_start(int line) const {
  if (line < 0) return 0;
  const auto index = static_cast<std::size_t>(line);
  return index < starts_.size() ? starts_[index] : text_.size();
}

std::string_view TextBuffer::line(int line) const {
  if (line < 0 || static_cast<std::size_t>(line) >= starts_.size()) return {};
  const std::size_t start = line_start(line);
  std::size_t end = line_start(line + 1);
  while (end > start && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(start, end - start);
}

int TextBuffer::line_length(int line) const { return utf16_length(this->line(line)); }

std::size_t TextBuffer::offset(Position position) const {
  if (position.line < 0) return 0;
  return line_start(position.line) + utf16_prefix(line(position.line), position.character);
}

// Whether a line starts at `at` depends on the two bytes around it alone, which makes local updates possible.
bool TextBuffer::starts_line(std::size_t at) const {
  if (at == 0) return true;
  const char before = text_[at - 1];
  return before == '\n' || (before == '\r' && (at == text_.size() || text_[at] != '\n'));
}

void TextBuffer::assign(std::string text) {
  text_ = std::move(text);
  starts_ = {0};
  for (std::size_t at = text_.find_first_of("\r\n"); at != std::string::npos;
       at = text_.find_first_of("\r\n", at + 1)) {
    if (starts_line(at + 1)) starts_.push_back(at + 1);
  }
}

void TextBuffer::replace(const Range& range, std::string_view replacement) {
  const std::size_t from = offset(range.start);
  const std::size_t to = std::max(from, offset(range.end));
  const auto tail = std::upper_bound(starts_.begin(), starts_.end(), to);
  const auto head = std::lower_bound(starts_.begin(), tail, std::max<std::size_t>(from, 1));
  text_.replace(from, to - from, replacement);

  const std::size_t new_end = from + replacement.size();
  std::vector<std::size_t> fresh;
  for (std::size_t at = std::max<std::size_t>(from, 1); at <= new_end; ++at) {
    if (starts_line(at)) fresh.push_back(at);
  }
  for (auto start = tail; start != starts_.end(); ++start) *start = *start - to + new_end;
  const auto position = starts_.erase(head, tail);
  starts_.insert(position, fresh.begin(), fresh.end());
}

}  // namespace firstfault::lsp
