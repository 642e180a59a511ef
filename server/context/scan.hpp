// Small hand-written scanning helpers for line prefixes. They run on every line of a log: no allocation, no
// exceptions, no locale. A cursor that fails leaves its position where the caller can restore it by copying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace firstfault {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_alpha(char c) { return is_lower(c) || is_upper(c); }
inline bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
inline bool is_word(char c) { return is_alnum(c) || c == '_'; }
inline char to_lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }

// Whether `text` holds `lower` (given in lower case) at `pos`, in any case.
inline bool has_word(std::string_view text, std::size_t pos, std::string_view lower) {
  if (pos > text.size() || text.size() - pos < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (to_lower(text[pos + i]) != lower[i]) return false;
  }
  return true;
}

struct Cursor {
  std::string_view text;
  std::size_t pos = 0;

  char peek(std::size_t ahead = 0) const { return pos + ahead < text.size() ? text[pos + ahead] : '\0'; }
  bool at_end() const { return pos >= text.size(); }
  std::string_view rest() const { return text.substr(pos < text.size() ? pos : text.size()); }

  bool eat(char c) {
    if (peek() != c || at_end()) return false;
    ++pos;
    return true;
  }
  bool eat(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    pos += word.size();
    return true;
  }
  bool eat_word(std::string_view lower) {
    if (!has_word(text, pos, lower)) return false;
    pos += lower.size();
    return true;
  }
  std::size_t skip_spaces(std::size_t most = 64) {
    std::size_t count = 0;
    while (count < most && (peek() == ' ' || peek() == '\t')) {
      ++pos;
      ++count;
    }
    return count;
  }
  // A decimal number of at most `most` digits; how many it has is in *digits.
  bool number(std::int64_t* value, int most = 18, int* digits = nullptr) {
    std::int64_t result = 0;
    int count = 0;
    while (is_digit(peek())) {
      if (++count > most) return false;
      result = result * 10 + (text[pos] - '0');
      ++pos;
    }
    if (digits != nullptr) *digits = count;
    *value = result;
    return count > 0;
  }
  // Exactly `count` digits.
  bool fixed(int count, int* value) {
    int result = 0;
    for (int i = 0; i < count; ++i) {
      if (!is_digit(peek())) return false;
      result = result * 10 + (text[pos] - '0');
      ++pos;
    }
    *value = result;
    return true;
  }
};

// A rank that any job could have; larger numbers are something else.
inline constexpr std::int64_t kMaxRank = 1 << 20;

}  // namespace firstfault
