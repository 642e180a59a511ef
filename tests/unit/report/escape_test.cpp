#include <doctest/doctest.h>

#include "report/report.hpp"
#include "report/visible.hpp"

using namespace firstfault;

TEST_CASE("control characters are spelled out on a terminal") {
  CHECK(escape_terminal("a\x1b[31mb\x07") == "a\\x1b[31mb\\x07");
  CHECK(escape_terminal("a\tb\nc\rd") == "a    b c\\x0dd");
  CHECK(escape_terminal(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(escape_terminal("\xc2\x9b"
                        "31m") == "\\x9b31m");
}

TEST_CASE("characters that reorder or hide text are made visible") {
  CHECK(escape_terminal("a\xe2\x80\xae"
                        "b") == "a<U+202E>b");
  CHECK(escape_terminal("\xe2\x81\xa6x\xe2\x81\xa9") == "<U+2066>x<U+2069>");
  CHECK(escape_terminal("\xef\xbb\xbfx\xe2\x80\x8b") == "<U+FEFF>x<U+200B>");
  CHECK(escape_terminal("grün 漢字 🎉") == "grün 漢字 🎉");
}

TEST_CASE("bad UTF-8 becomes the replacement character, byte by byte") {
  CHECK(escape_terminal("a\xff"
                        "b") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(escape_terminal("\xc0\xaf") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escape_terminal("\xed\xa0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escape_terminal("cut \xe2\x80") == "cut \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("HTML is escaped in text and in attributes") {
  CHECK(escape_html("<a href='x'>\"&\"</a>") == "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
  CHECK(escape_html("a\nb\x1b") == "a\nb\\x1b");
}

TEST_CASE("Markdown text cannot open a link, an image, emphasis, HTML or a heading") {
  CHECK(escape_markdown("[x](javascript:a)") == "\\[x\\](javascript:a)");
  CHECK(escape_markdown("![i](u)") == "!\\[i\\](u)");
  CHECK(escape_markdown("<img src=x>") == "&lt;img src=x&gt;");
  CHECK(escape_markdown("&lt;") == "&amp;lt;");
  CHECK(escape_markdown("# h") == "\\# h");
  CHECK(escape_markdown("**b** ~~s~~ a|b $m$") == "\\*\\*b\\*\\* \\~\\~s\\~\\~ a\\|b \\$m\\$");
  CHECK(escape_markdown("_e_ find_unused_parameters") == "\\_e\\_ find_unused_parameters");
  CHECK(escape_markdown("a\n\n# h") == "a  \\# h");
  CHECK(escape_markdown("`code`") == "&#96;code&#96;");
}

TEST_CASE("Markdown text cannot open a list at its start") {
  CHECK(escape_markdown("    - x") == "\\- x");
  CHECK(escape_markdown("1. x") == "1\\. x");
  CHECK(escape_markdown("12) x") == "12\\) x");
  CHECK(escape_markdown("1.5 GiB") == "1\\.5 GiB");
  CHECK(escape_markdown("a - b") == "a - b");
}

TEST_CASE("addresses and mentions in Markdown text are no links") {
  CHECK(escape_markdown("see https://e.x/y") == "see https`://`e.x/y");
  CHECK(escape_markdown("WWW.e.x awww.y") == "`WWW.`e.x awww.y");
  CHECK(escape_markdown("ping @team a@b.c @@") == "ping `@`team a`@`b.c `@@`");
}

TEST_CASE("a Markdown code span outruns the backquotes in it") {
  CHECK(markdown_code("a/b.log:12") == "`a/b.log:12`");
  CHECK(markdown_code("a`b") == "``a`b``");
  CHECK(markdown_code("``a``") == "``` ``a`` ```");
  CHECK(markdown_code(" a ") == "`  a  `");
  CHECK(markdown_code("a\nb") == "`a b`");
  CHECK(markdown_code("").empty());
}

TEST_CASE("a Markdown fence outruns the fences in it") {
  CHECK(markdown_fence("a\nb", "text") == "```text\na\nb\n```\n");
  CHECK(markdown_fence("```\nb\n", "") == "````\n```\nb\n````\n");
  CHECK(markdown_fence("a", "s`h\n") == "```sh\na\n```\n");
  CHECK(markdown_fence("") == "```\n```\n");
}

TEST_CASE("wide characters take two columns and combining marks none") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("e\xcc\x81") == 1);
  CHECK(clipped("abcdef", 6) == "abcdef");
  CHECK(clipped("abcdefg", 6) == "abcde…");
  CHECK(clipped("漢字漢字", 6) == "漢字…");
}

TEST_CASE("names between backquotes become code and everything else stays text") {
  CHECK(markdown_prose("set `ulimit -v` *now*") == "set `ulimit -v` \\*now\\*");
  CHECK(markdown_prose("no pair ` here") == escape_markdown("no pair ` here"));
  CHECK(markdown_prose("") == "");
}
