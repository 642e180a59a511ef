#include "text/line_decoder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace firstfault;

namespace {

struct Got {
  std::uint64_t number;
  std::uint64_t offset;
  std::string text;
  bool operator==(const Got&) const = default;
};

std::vector<Got> decode(std::string_view bytes, std::size_t chunk) {
  std::vector<Got> lines;
  LineDecoder decoder([&](const Line& line) {
    lines.push_back({line.number, line.offset, std::string(line.text)});
  });
  for (std::size_t i = 0; i < bytes.size(); i += chunk) decoder.feed(bytes.substr(i, chunk));
  decoder.finish();
  CHECK(decoder.bytes() == bytes.size());
  CHECK(decoder.lines() == lines.size());
  return lines;
}

// The lines of the whole text, after checking that no way of cutting it changes them.
std::vector<Got> decode(std::string_view bytes) {
  const std::vector<Got> whole = decode(bytes, bytes.size() + 1);
  for (const std::size_t chunk : {1, 2, 3, 5, 7, 64}) {
    CAPTURE(chunk);
    CHECK(decode(bytes, chunk) == whole);
  }
  return whole;
}

std::vector<std::string> texts(std::string_view bytes) {
  std::vector<std::string> result;
  for (const Got& line : decode(bytes)) result.push_back(line.text);
  return result;
}

std::string utf16(std::u16string_view text, bool big) {
  std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff);
    const char high = static_cast<char>(unit >> 8);
    bytes += big ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Lines end at LF, CRLF and a lone CR, and offsets count source bytes") {
  CHECK(decode("one\ntwo\r\nthree\rfour") ==
        std::vector<Got>{{1, 0, "one"}, {2, 4, "two"}, {3, 9, "three"}, {4, 15, "four"}});
  CHECK(decode("\n\r\n\r\r\n") == std::vector<Got>{{1, 0, ""}, {2, 1, ""}, {3, 3, ""}, {4, 4, ""}});
}

TEST_CASE("A terminated last line is followed by no empty one") {
  CHECK(texts("a\n") == Texts{"a"});
  CHECK(texts("a\r") == Texts{"a"});
  CHECK(texts("").empty());
}

TEST_CASE("A progress bar's repaints are lines of their own") {
  CHECK(texts("\r 10%|#  |\r 20%|## |\nnext") == Texts{"", " 10%|#  |", " 20%|## |", "next"});
}

TEST_CASE("Colors and other terminal sequences are removed") {
  CHECK(texts("\x1b[1;31mERROR\x1b[0m: bad\x1b[K\n") == Texts{"ERROR: bad"});
  CHECK(texts("\x1b]0;title\x07text\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n") == Texts{"text", "link"});
  CHECK(texts("\x1b]633;A\x07$ \x1b]633;B\x07ls\x1b]633;C\x07\n") == Texts{"$ ls"});
  CHECK(texts("\x1b=\x1b>\x1b(Bdone\x1b)0\x1b[?25h\n") == Texts{"done"});
  CHECK(texts("\x1bPq#0\x1b\\after \x1b[\x1b[32mgreen\n") == Texts{"after green"});
}

TEST_CASE("An unfinished sequence does not swallow the next line") {
  CHECK(texts("\x1b]0;never ends\nnext\n\x1b[31\nlast") == Texts{"", "next", "", "last"});
}

TEST_CASE("An OSC without an end gives the line back after a while") {
  const std::string long_text(2000, 'x');
  const auto lines = decode("\x1b]0;" + long_text + "\n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].text.size() > 1400);
}

TEST_CASE("Control characters become spaces and tabs stay") {
  CHECK(texts(std::string_view("a\0b\x01\tc\x7f\n", 8)) == Texts{"a b \tc "});
}

TEST_CASE("Bad UTF-8 bytes are kept") {
  CHECK(texts("caf\xc3\xa9 \xff\xfe\xc3 \x80\n") == Texts{"caf\xc3\xa9 \xff\xfe\xc3 \x80"});
}

TEST_CASE("A UTF-8 byte order mark is no text") {
  CHECK(decode("\xef\xbb\xbfhello\nx") == std::vector<Got>{{1, 3, "hello"}, {2, 9, "x"}});
  CHECK(texts("\xef\xbb") == Texts{"\xef\xbb"});
  CHECK(texts("\xff") == Texts{"\xff"});
}

TEST_CASE("UTF-16 of both byte orders becomes UTF-8") {
  for (const bool big : {false, true}) {
    CAPTURE(big);
    const std::u16string text = u"r\u00e4nk \u20ac \U0001F600\r\n\x1b[31mred\r\u00fcber\n";
    CHECK(decode(utf16(text, big)) == std::vector<Got>{{1, 2, "r\xc3\xa4nk \xe2\x82\xac \xf0\x9f\x98\x80"},
                                                       {2, 24, "red"},
                                                       {3, 42,
                                                        "\xc3\xbc"
                                                        "ber"}});
  }
}

TEST_CASE("Lone surrogates and half a unit become replacement characters") {
  CHECK(texts(utf16(std::u16string{u'a', 0xd800, u'b', 0xdc00, u'\n', 0xd800}, false)) ==
        Texts{"a\xef\xbf\xbd"
              "b\xef\xbf\xbd",
              "\xef\xbf\xbd"});
  CHECK(texts(utf16(u"a", false) + "b") == Texts{"a\xef\xbf\xbd"});
}

TEST_CASE("An overlong line is cut and the next one is whole") {
  const auto lines = decode(std::string(kMaxLineBytes + 5000, 'a') + "\nnext\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == std::string(kMaxLineBytes, 'a'));
  CHECK(lines[1] == Got{2, kMaxLineBytes + 5001, "next"});
}
