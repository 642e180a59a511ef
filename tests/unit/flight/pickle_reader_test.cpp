// Pickles written by hand: what plain data needs is read, everything that could act is refused.
#include "flight/pickle_reader.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace firstfault;

namespace {

using Kind = ValueTree::Kind;

// A literal that may hold NULs.
template <std::size_t size>
std::string bytes(const char (&literal)[size]) {
  return std::string(literal, size - 1);
}

std::string error_of(const std::string& pickle) {
  const auto values = read_pickle(pickle, "trace_0");
  return values ? "no error" : values.error().message;
}

ValueTree values_of(const std::string& pickle) {
  auto values = read_pickle(pickle, "trace_0");
  REQUIRE_MESSAGE(values.ok(), (values ? "" : values.error().message));
  return std::move(*values);
}

}  // namespace

TEST_CASE("a dictionary of protocol 2 is read with its texts, numbers and lists") {
  // {"version": "2.4", "n": [1, 258, -2, None, True, (7,)]}
  const ValueTree values =
      values_of(bytes("\x80\x02}q\x00(X\x07\x00\x00\x00versionq\x01X\x03\x00\x00\x00"
                      "2.4q\x02X\x01\x00\x00\x00nq\x03](K\x01M\x02\x01J\xfe\xff\xff\xffN\x88K\x07\x85"
                      "eu."));
  CHECK(values.at(values.find(values.root(), "version")).text == "2.4");
  const auto& list = values.at(values.find(values.root(), "n"));
  REQUIRE(list.items.size() == 6);
  CHECK(values.at(list.items[0]).integer == 1);
  CHECK(values.at(list.items[1]).integer == 258);
  CHECK(values.at(list.items[2]).integer == -2);
  CHECK(values.at(list.items[3]).kind == Kind::kNull);
  CHECK(values.at(list.items[4]).kind == Kind::kBool);
  CHECK(values.at(list.items[4]).integer == 1);
  CHECK(values.at(values.at(list.items[5]).items.at(0)).integer == 7);
}

TEST_CASE("a dictionary of protocol 4 is read with its frame and its memo") {
  const ValueTree values =
      values_of(bytes("\x80\x04\x95\x11\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
                      "a\x94\x8c\x01"
                      "b\x94\x8c\x01"
                      "c\x94h\x02u."));
  CHECK(values.at(values.find(values.root(), "a")).text == "b");
  CHECK(values.at(values.find(values.root(), "c")).text == "b");
}

TEST_CASE("long numbers keep their sign and are held at the limits of 64 bits") {
  const ValueTree values =
      values_of(bytes("\x80\x02]("
                      "\x8a\x08\x15\x81\xe9\x7d\xf4\x10\x22\x11\x8a\x00\x8a\x01\xff\x8a\x09\x00\x00\x00\x00"
                      "\x00\x00\x00\x80\x00"
                      "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff"
                      "e."));
  const auto& items = values.at(values.root()).items;
  REQUIRE(items.size() == 5);
  CHECK(values.at(items[0]).integer == 0x112210F47DE98115);
  CHECK(values.at(items[1]).integer == 0);
  CHECK(values.at(items[2]).integer == -1);
  CHECK(values.at(items[3]).integer == std::numeric_limits<std::int64_t>::max());
  CHECK(values.at(items[4]).integer == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("a float is read from its big-endian form") {
  const ValueTree values = values_of(bytes("\x80\x02G\x3f\xf8\x00\x00\x00\x00\x00\x00."));
  CHECK(values.at(values.root()).real == 1.5);
}

TEST_CASE("what could call something is refused by name and place") {
  CHECK(error_of(bytes("\x80\x02"
                       "cos\nsystem\nX\x02\x00\x00\x00id\x85R.")) ==
        "trace_0: byte 2 of the pickle has the opcode GLOBAL, which plain data does not need: it is refused; "
        "give "
        "the dump as PyTorch wrote it, or leave the file out");
  CHECK(error_of(bytes("\x80\x04\x8c\x02os\x8c\x06system\x93."))
            .find("byte 14 of the pickle has the opcode STACK_GLOBAL") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02NN\x52.")).find("opcode REDUCE") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02NNb.")).find("opcode BUILD") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02(i")).find("opcode INST") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02(o")).find("opcode OBJ") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02NN\x81.")).find("opcode NEWOBJ") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02\x82\x01.")).find("opcode EXT1") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02Pid\n.")).find("opcode PERSID") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02NQ.")).find("opcode BINPERSID") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02\xfe.")).find("opcode 0xfe") != std::string::npos);
}

TEST_CASE("every opcode but those of plain data is refused") {
  const std::string plain = bytes(
      "\x95.(qr\x94hjN\x88\x89KMJ\x8aG\x8c"
      "CUXBT\x8d\x8e}])t\x85\x86\x87"
      "aesu");
  for (int code = 0; code < 256; ++code) {
    const char opcode = static_cast<char>(code);
    const std::string message = error_of(bytes("\x80\x02") + opcode + std::string(16, '\0'));
    const bool refused =
        message.find("has the opcode") != std::string::npos && message.find("byte 2 ") != std::string::npos;
    CHECK_MESSAGE(refused == (plain.find(opcode) == std::string::npos), "opcode ", code, ": ", message);
  }
}

TEST_CASE("a pickle that is cut anywhere is an error that says where") {
  const std::string whole = bytes(
      "\x80\x04\x95\x3a\x00\x00\x00\x00\x00\x00\x00}\x94(X\x01\x00\x00\x00"
      "aK\x01\x8c\x01"
      "bM\x02\x01\x8c\x01"
      "cJ\x01\x00\x00\x00"
      "\x8c\x01"
      "d\x8a\x01\x05\x8c\x01"
      "eG\x3f\xf8\x00\x00\x00\x00\x00\x00\x8c\x01"
      "f](NNe\x8c\x01gN\x85u.");
  REQUIRE(read_pickle(whole, "trace_0").ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = error_of(whole.substr(0, size));
    CHECK_MESSAGE(message.find("truncated (" + std::to_string(size) + " bytes)") != std::string::npos, size,
                  ": ", message);
  }
}

TEST_CASE("lengths beyond the file are an error before anything is allocated") {
  CHECK(error_of(bytes("\x80\x02X\xff\xff\xff\xff"
                       "abc"))
            .find("truncated") != std::string::npos);
  CHECK(error_of(bytes("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
                       "abc"))
            .find("truncated") != std::string::npos);
  CHECK(error_of(bytes("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.")).find("truncated") !=
        std::string::npos);
}

TEST_CASE("deep nesting is refused, by marks and by tuples in tuples") {
  CHECK(error_of(bytes("\x80\x02") + std::string(100000, '(') + ".").find("nests deeper") !=
        std::string::npos);
  CHECK(error_of(bytes("\x80\x02N") + std::string(100000, '\x85') + ".").find("nests deeper") !=
        std::string::npos);
  std::string lists = bytes("\x80\x02") + std::string(500, ']') + std::string(499, 'a') + ".";
  CHECK(error_of(lists).find("nests deeper") != std::string::npos);
}

TEST_CASE("too many values are refused") {
  CHECK(error_of(bytes("\x80\x02]") + "(" + std::string(1'100'000, 'N') + "e.").find("more values") !=
        std::string::npos);
  CHECK(error_of(bytes("\x80\x02]") + "(" + std::string(900'000, '}') + "e.") == "no error");
}

TEST_CASE("a list that holds itself is read without end or leak") {
  CHECK(error_of(bytes("\x80\x02]q\x00h\x00"
                       "a.")) == "no error");
}

TEST_CASE("malformed programs are errors") {
  CHECK(error_of(bytes("\x80\x02"
                       "e."))
            .find("a mark that was never set") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02N(NNe.")).find("no list") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02(NNe.")).find("no list") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02](NNu.")).find("no dictionary") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02}(Nu.")).find("a key without a value") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02](a.")).find("more values than there are") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02N](Na.")).find("more values than there are") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02\x87.")).find("more values than there are") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02h\x05.")).find("never remembered") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02q\x05.")).find("not there") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02.")).find("open values") != std::string::npos);
  CHECK(error_of(bytes("\x80\x02NN.")).find("open values") != std::string::npos);
  CHECK(error_of(bytes("\x80\x01}.")).find("protocol 2 to 5") != std::string::npos);
  CHECK(error_of(bytes("\x80\x06}.")).find("protocol 2 to 5") != std::string::npos);
  CHECK(error_of("text").find("protocol 2 to 5") != std::string::npos);
}
