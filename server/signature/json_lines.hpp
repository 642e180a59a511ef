// Where in a JSON text a value stands, so that a message can name its line. Used only once a problem was
// found: loading a sound file never pays for it. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

// The 1-based line of the value at a JSON pointer ("/match/patterns/0"). Where the text has no such value,
// the line of the closest enclosing one. `json` must be well-formed; otherwise the answer is the last line
// that could be followed.
int json_line(std::string_view json, std::string_view pointer);

// The 1-based line of a byte.
int line_of_byte(std::string_view text, std::size_t byte);

// Pointers of keys that stand twice in one object (the parser keeps the last of them without a word).
std::vector<std::string> duplicate_keys(std::string_view json);

// A key as one step of a JSON pointer: "~" and "/" escaped.
std::string pointer_step(std::string_view key);

}  // namespace firstfault
