#include <algorithm>

#include "diagnosis/diagnose.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxBoundValue = 300;

// A value out of a log goes into sentences: control characters and line breaks are taken out; what else means
// something to a report form is escaped at that form's door.
std::string clean(std::string_view value) {
  std::string text;
  for (const char c : value.substr(0, kMaxBoundValue)) {
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return text;
}

// Where in a command a placeholder stands, as a POSIX shell reads it.
class ShellPlace {
 public:
  void pass(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (quote_ == '\0') {
      escaped_ = c == '\\';
      if (c == '\'' || c == '"' || c == '`') quote_ = c;
    } else if (c == quote_) {
      quote_ = '\0';
    } else {
      escaped_ = c == '\\' && quote_ != '\'';
    }
  }
  bool is_plain() const { return quote_ == '\0' && !escaped_; }

 private:
  char quote_ = '\0';
  bool escaped_ = false;
};

// Whether a shell takes the value as one word that means nothing but itself.
bool is_plain_word(std::string_view value) {
  if (value.empty() || value.front() == '-' || value.front() == '%' || value.front() == '=') return false;
  return std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:@%+=,-").find(c) != std::string_view::npos;
  });
}

std::string single_quoted(std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Replaces each {name}. `literal` is called with every other character, `value` with what is bound and
// answers what to put there. False where a name is not bound or `value` refuses.
template <typename Literal, typename Value>
bool bind(std::string_view text, const Captures& bindings, Literal literal, Value value) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool doubled = at + 1 < text.size() && text[at + 1] == text[at];
    if (text[at] != '{' || doubled) {
      literal(text[at]);
      if (doubled && (text[at] == '{' || text[at] == '}')) ++at;
      continue;
    }
    const auto end = text.find('}', at);
    if (end == std::string_view::npos) return false;
    const auto found = bindings.find(text.substr(at + 1, end - at - 1));
    if (found == bindings.end() || !value(found->second)) return false;
    at = end;
  }
  return true;
}

}  // namespace

std::string bind_text(const std::string& text, const Captures& bindings) {
  std::string bound;
  const bool complete = bind(
      text, bindings, [&](char c) { bound += c; },
      [&](const std::string& value) {
        bound += clean(value);
        return true;
      });
  return complete ? bound : std::string();
}

std::string bind_command(const std::string& command, const Captures& bindings) {
  const bool has_document = command.find("<<") != std::string::npos;  // its lines obey no quotes
  std::string bound;
  ShellPlace place;
  const bool complete = bind(
      command, bindings,
      [&](char c) {
        bound += c;
        place.pass(c);
      },
      [&](const std::string& value) {
        if (value.size() > kMaxBoundValue) return false;  // half a name names something else
        if (is_plain_word(value)) {
          bound += value;
          return true;
        }
        const bool control = std::any_of(value.begin(), value.end(), [](char c) {
          return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        });
        if (value.empty() || value.front() == '-' || control || has_document || !place.is_plain())
          return false;
        bound += single_quoted(value);
        return true;
      });
  return complete ? bound : std::string();
}

}  // namespace firstfault
