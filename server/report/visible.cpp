#include "report/visible.hpp"

#include <cstdint>
#include <cstdio>

namespace firstfault {
namespace {

constexpr char32_t kBad = 0xFFFD;
constexpr std::string_view kBadText = "\xEF\xBF\xBD";

struct Decoded {
  char32_t point = kBad;
  std::size_t length = 1;
  bool valid = false;
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The character at `at`. Overlong forms, surrogates and points beyond U+10FFFF are bad bytes.
Decoded decode(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || at + length > text.size()) return {};
  if (length == 1) return {lead, 1, true};
  char32_t point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0) != 0x80) return {};
    point = (point << 6) | (byte & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kSmallest[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, length, true};
}

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point <= 0x9F); }

// Characters that reorder the text around them, break its line, or cannot be seen.
bool is_deceptive(char32_t point) {
  return (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0x061C ||
         (point >= 0x200B && point <= 0x200F && point != 0x200D) || point == 0x2028 || point == 0x2029 ||
         (point >= 0x2060 && point <= 0x2064) || point == 0xFEFF || (point >= 0xFFF9 && point <= 0xFFFB) ||
         (point >= 0xE0000 && point <= 0xE007F);
}

std::string spelled_out(const char* format, char32_t point) {
  char text[24];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(point));
  return text;
}

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kNarrow[] = {{0x0300, 0x036F}, {0x200D, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

std::size_t width_of(char32_t point) {
  for (const Range& range : kNarrow) {
    if (point >= range.first && point <= range.last) return 0;
  }
  for (const Range& range : kWide) {
    if (point >= range.first && point <= range.last) return 2;
  }
  return 1;
}

}  // namespace

std::string visible(std::string_view text, Lines lines) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded character = decode(text, at);
    if (!character.valid) {
      result += kBadText;
    } else if (character.point == '\n') {
      result += lines == Lines::kKeep ? '\n' : ' ';
    } else if (character.point == '\t') {
      result += "    ";
    } else if (is_control(character.point)) {
      result += spelled_out("\\x%02x", character.point);
    } else if (is_deceptive(character.point)) {
      result += spelled_out("<U+%04X>", character.point);
    } else {
      result += text.substr(at, character.length);
    }
    at += character.length;
  }
  return result;
}

std::string visible_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const Decoded character = decode(json, at);
    const char32_t point = character.point;
    if (point < 0x7F || (!is_control(point) && !is_deceptive(point))) {
      result += json.substr(at, character.length);
    } else if (point < 0x10000) {
      result += spelled_out("\\u%04x", point);
    } else {
      result += spelled_out("\\u%04x", 0xD800 + ((point - 0x10000) >> 10));
      result += spelled_out("\\u%04x", 0xDC00 + ((point - 0x10000) & 0x3FF));
    }
    at += character.length;
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded character = decode(text, at);
    width += width_of(character.point);
    at += character.length;
  }
  return width;
}

std::string clipped(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  std::size_t width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Decoded character = decode(text, at);
    if (width + width_of(character.point) + 1 > columns) break;
    width += width_of(character.point);
    at += character.length;
  }
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace firstfault
