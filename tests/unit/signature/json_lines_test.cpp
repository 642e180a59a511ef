#include "signature/json_lines.hpp"

#include <doctest/doctest.h>

namespace firstfault {

constexpr std::string_view kJson = R"({
  "a": {"x": "}\"{",
    "y": [1, {"z": true},
      null]},
  "b/c": -1.5,
  "a": 2
})";

TEST_CASE("A JSON pointer leads to the line of its value") {
  CHECK(json_line(kJson, "") == 1);
  CHECK(json_line(kJson, "/a/x") == 2);
  CHECK(json_line(kJson, "/a/y/1/z") == 3);
  CHECK(json_line(kJson, "/a/y/2") == 4);
  CHECK(json_line(kJson, "/b~1c") == 5);
}

TEST_CASE("Of a key that stands twice the last counts, as for the parser") {
  CHECK(json_line(kJson, "/a") == 6);
  CHECK(duplicate_keys(kJson) == std::vector<std::string>{"/a"});
  CHECK(duplicate_keys(R"({"a": {"b": 1}, "b": 2})").empty());
}

TEST_CASE("A pointer to nothing leads to the closest enclosing value") {
  CHECK(json_line(kJson, "/a/y/7") == 3);
  CHECK(json_line(kJson, "/bb") == 1);
}

TEST_CASE("Broken and hostile texts end the walk") {
  CHECK(json_line("", "/a") == 1);
  CHECK(json_line("{\"a", "/a") == 1);
  CHECK(json_line("[,", "/0") == 1);
  CHECK(json_line(std::string(100000, '['), "/0/0") == 1);
  CHECK(json_line("{\"a\": }", "/a/b") == 1);
}

}  // namespace firstfault
