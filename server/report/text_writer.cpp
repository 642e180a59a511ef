#include "report/text_writer.hpp"

#include <algorithm>

#include "report/report.hpp"
#include "report/visible.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kQuoteWidths = 3;  // a quoted line may take this many lines of the terminal

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
    case Style::kHeading:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kFailure:
      return "\x1b[1;31m";
    case Style::kPlace:
      return "\x1b[36m";
    case Style::kCommand:
      return "\x1b[1;33m";
    case Style::kAdded:
      return "\x1b[32m";
  }
  return "";
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string TextWriter::styled(std::string_view text, Style style) const {
  const std::string_view code = color_ ? code_of(style) : "";
  if (code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

void TextWriter::blank() { text_ += '\n'; }

void TextWriter::heading(std::string_view text) {
  blank();
  text_ += styled(escape_terminal(text), Style::kHeading) + "\n";
}

void TextWriter::paragraph(std::size_t indent, std::string_view label, std::string_view text, Style style,
                           Style label_style) {
  const std::string shown = escape_terminal(label);
  const std::size_t hang = indent + display_width(shown);
  text_ += std::string(indent, ' ') + styled(shown, label_style);
  std::size_t column = hang;
  std::string line;
  for (const std::string& word : words_of(escape_terminal(text))) {
    const std::size_t width = display_width(word);
    if (!line.empty() && column + 1 + width > width_) {
      text_ += styled(line, style) + "\n" + std::string(hang, ' ');
      line.clear();
      column = hang;
    }
    column += width + (line.empty() ? 0 : 1);
    line += (line.empty() ? "" : " ") + word;
  }
  text_ += styled(line, style) + "\n";
}

void TextWriter::line(std::size_t indent, std::string_view text, Style style) {
  text_ += std::string(indent, ' ') + styled(escape_terminal(text), style) + "\n";
}

void TextWriter::line(std::size_t indent, std::string_view first, Style first_style, std::string_view second,
                      Style second_style) {
  text_ += std::string(indent, ' ') + styled(escape_terminal(first), first_style);
  if (!second.empty()) text_ += "  " + styled(escape_terminal(second), second_style);
  text_ += '\n';
}

void TextWriter::quote(std::size_t indent, std::string_view text) {
  text_ += std::string(indent, ' ') + styled("| ", Style::kDim) +
           clipped(escape_terminal(text), kQuoteWidths * width_) + "\n";
}

}  // namespace firstfault
