#include "lsp/text_buffer.hpp"

#include <doctest/doctest.h>

#include <random>

namespace firstfault::lsp {
namespace {

TEST_CASE("Lines break at LF, CRLF and lone CR") {
  const TextBuffer text("a\nb\r\nc\rd\r\r\n\ne");
  REQUIRE(text.line_count() == 7);
  CHECK(text.line(0) == "a");
  CHECK(text.line(1) == "b");
  CHECK(text.line(2) == "c");
  CHECK(text.line(3) == "d");
  CHECK(text.line(4) == "");
  CHECK(text.line(5) == "");
  CHECK(text.line(6) == "e");
  CHECK(TextBuffer("").line_count() == 1);
  CHECK(TextBuffer("a\r").line_count() == 2);
}

TEST_CASE("Characters are counted in UTF-16 code units") {
  const TextBuffer text("x\r\na\xF0\x9F\x94\xA5z\xC3\xA9!\r\n");  // a, an emoji of two units, z, e acute, !
  CHECK(text.line_length(1) == 6);
  CHECK(text.offset({1, 1}) == 4);
  CHECK(text.offset({1, 3}) == 8);
  CHECK(text.offset({1, 4}) == 9);
  CHECK(text.offset({1, 5}) == 11);
  // Inside the pair: its start. Past the line: its end, before the terminator.
  CHECK(text.offset({1, 2}) == 4);
  CHECK(text.offset({1, 99}) == 12);
  CHECK(text.offset({0, 99}) == 1);
  CHECK(text.offset({2147483647, 0}) == text.text().size());
}

TEST_CASE("Edits are applied to text with emoji and CRLF") {
  TextBuffer text("\xF0\x9F\x94\xA5\xF0\x9F\x94\xA5 loss\r\nnan\r\n");
  text.replace({{0, 2}, {0, 4}}, "ok");
  CHECK(text.text() == "\xF0\x9F\x94\xA5ok loss\r\nnan\r\n");
  text.replace({{0, 9}, {1, 0}}, " is ");
  CHECK(text.text() == "\xF0\x9F\x94\xA5ok loss is nan\r\n");
  CHECK(text.line_count() == 2);
  text.replace({{1, 0}, {1, 0}}, "\xC3\xA9\ntail");
  CHECK(text.line(2) == "tail");
  text.replace({{0, 0}, {9, 9}}, "");
  CHECK(text.text().empty());
  CHECK(text.line_count() == 1);
}

TEST_CASE("A range that ends before it begins inserts at its start") {
  TextBuffer text("abc\ndef");
  text.replace({{1, 2}, {0, 1}}, "X");
  CHECK(text.text() == "abc\ndeXf");
}

TEST_CASE("The line index after any edits is that of the text as a whole") {
  std::mt19937 random(20240601);
  const std::string pieces[] = {"\r", "\n", "\r\n", "a", "bc", "\xF0\x9F\x94\xA5", "\xC3\xA9", "\r\r\n\n"};
  const auto some_text = [&] {
    std::string text;
    for (unsigned count = random() % 6; count > 0; --count) text += pieces[random() % std::size(pieces)];
    return text;
  };
  TextBuffer text(some_text());
  for (int round = 0; round < 20'000; ++round) {
    const auto position = [&] {
      return Position{static_cast<int>(random() % (text.line_count() + 1)), static_cast<int>(random() % 5)};
    };
    text.replace({position(), position()}, some_text());
    if (text.text().size() > 60) text.assign(some_text());
    const TextBuffer whole(text.text());
    REQUIRE(text.line_count() == whole.line_count());
    for (int line = 0; line < static_cast<int>(whole.line_count()); ++line) {
      REQUIRE(text.line_start(line) == whole.line_start(line));
    }
  }
}

}  // namespace
}  // namespace firstfault::lsp
