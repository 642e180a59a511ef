#include <algorithm>

#include "report/report.hpp"
#include "report/visible.hpp"

namespace firstfault {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// How much of `text` at `at` would make renderers turn plain words into a link or a mention.
std::size_t autolink_at(std::string_view text, std::size_t at) {
  if (text[at] == '@') return 1;
  if (text.substr(at, 3) == "://") return 3;
  const bool www = at + 3 < text.size() && (text[at] | 0x20) == 'w' && (text[at + 1] | 0x20) == 'w' &&
                   (text[at + 2] | 0x20) == 'w' && text[at + 3] == '.';
  return www && (at == 0 || !is_word(text[at - 1])) ? 4 : 0;
}

// An underscore inside a word is no emphasis, and names with backslashes are hard to read.
bool inside_word(std::string_view text, std::size_t at) {
  return at > 0 && at + 1 < text.size() && is_word(text[at - 1]) && is_word(text[at + 1]);
}

// Text at the start of a line must not open a heading, a list, a quote or a block of code.
std::string escaped_start(std::string_view text, std::size_t* at) {
  *at = std::min(text.find_first_not_of(' '), text.size());
  std::size_t digits = *at;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits > *at && digits < text.size() && (text[digits] == '.' || text[digits] == ')')) {
    std::string start(text.substr(*at, digits - *at));
    start += '\\';
    start += text[digits];
    *at = digits + 1;
    return start;
  }
  if (*at < text.size() && (text[*at] == '-' || text[*at] == '+' || text[*at] == '=')) {
    return {'\\', text[(*at)++]};
  }
  return {};
}

}  // namespace

std::string escape_terminal(std::string_view text) { return visible(text); }

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char c : visible(text, Lines::kKeep)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string escape_markdown(std::string_view raw) {
  const std::string text = visible(raw);
  std::size_t at = 0;
  std::string result = escaped_start(text, &at);
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && autolink_at(text, end) > 0) end += autolink_at(text, end);
    if (end > at) {
      // A code span is the one thing in which no renderer looks for links and mentions.
      result += '`' + text.substr(at, end - at) + '`';
      at = end;
      continue;
    }
    const char c = text[at];
    if (c == '<' || c == '>' || c == '&' || c == '`') {
      result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : "&#96;";
    } else {
      const bool special = std::string_view("\\*[]#|~$").find(c) != std::string_view::npos;
      if (special || (c == '_' && !inside_word(text, at))) result += '\\';
      result += c;
    }
    ++at;
  }
  return result;
}

std::string markdown_prose(std::string_view text) {
  std::string out;
  // escape_markdown drops outer spaces, which the words beside a code span need.
  const auto add = [&out](std::string_view part) {
    if (part.empty()) return;
    const std::string safe = escape_markdown(part);
    if (part.front() == ' ' && !out.empty() && (safe.empty() || safe.front() != ' ')) out += ' ';
    out += safe;
    if (part.back() == ' ' && !out.empty() && out.back() != ' ') out += ' ';
  };
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) {
      add(text);
      break;
    }
    add(text.substr(0, open));
    if (close > open + 1) out += markdown_code(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string markdown_code(std::string_view raw) {
  const std::string text = visible(raw);
  if (text.empty()) return {};
  const std::string ticks(longest_run(text, '`') + 1, '`');
  // Without the padding a backquote at an end would join the delimiter, and one space at both ends would be
  // eaten.
  const bool pad = text.front() == '`' || text.back() == '`' || (text.front() == ' ' && text.back() == ' ');
  return ticks + (pad ? " " : "") + text + (pad ? " " : "") + ticks;
}

std::string markdown_fence(std::string_view raw, std::string_view language) {
  const std::string text = visible(raw, Lines::kKeep);
  const std::string ticks(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  std::string info;
  std::copy_if(language.begin(), language.end(), std::back_inserter(info),
               [](char c) { return is_word(c) || c == '-' || c == '+'; });
  return ticks + info + "\n" + text + (text.empty() || text.back() == '\n' ? "" : "\n") + ticks + "\n";
}

}  // namespace firstfault
