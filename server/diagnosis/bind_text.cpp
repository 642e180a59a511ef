#include "diagnosis/diagnose.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxBoundValue = 300;

// A value out of a log goes into sentences and commands: control characters and line breaks are taken out,
// quotes and shell characters are left to the door that shows it (a bound command is text to read, never run
// by us).
std::string clean(std::string_view value) {
  std::string text;
  for (const char c : value.substr(0, kMaxBoundValue)) {
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return text;
}

}  // namespace

std::string bind_text(const std::string& text, const Captures& bindings) {
  std::string bound;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{') {
      bound += text[at];
      if (text[at] == '}' && at + 1 < text.size() && text[at + 1] == '}') ++at;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == '{') {
      bound += '{';
      ++at;
      continue;
    }
    const auto end = text.find('}', at);
    if (end == std::string::npos) return {};
    const auto value = bindings.find(std::string_view(text).substr(at + 1, end - at - 1));
    if (value == bindings.end()) return {};
    bound += clean(value->second);
    at = end;
  }
  return bound;
}

}  // namespace firstfault
