// Lines of a terminal report: wrapped, indented, coloured if asked. Escapes everything it is given, so that
// no caller can forget to. Single-threaded; never fails.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

enum class Style { kPlain, kBold, kDim, kFailure, kHeading, kPlace, kCommand, kAdded };

class TextWriter {
 public:
  TextWriter(int width, bool color)
      : width_(width < 40 ? 40 : static_cast<std::size_t>(width)), color_(color) {}

  void blank();
  void heading(std::string_view text);
  // Words wrapped at the width, further lines below the first word. A word that is too long stays whole: it
  // is most often a path or a part of a command. `label` stands before the text and is not wrapped.
  void paragraph(std::size_t indent, std::string_view label, std::string_view text,
                 Style style = Style::kPlain, Style label_style = Style::kPlain);
  void item(std::size_t indent, std::string_view bullet, std::string_view text) {
    paragraph(indent, bullet, text);
  }
  // A line that is never wrapped: a command, a place, a quoted line.
  void line(std::size_t indent, std::string_view text, Style style);
  // Two parts of one such line.
  void line(std::size_t indent, std::string_view first, Style first_style, std::string_view second,
            Style second_style);
  // A quoted line of a log or a source file, cut where it is much longer than the width.
  void quote(std::size_t indent, std::string_view text);

  std::string take() { return std::move(text_); }

 private:
  std::string styled(std::string_view text, Style style) const;

  std::size_t width_;
  bool color_;
  std::string text_;
};

}  // namespace firstfault
