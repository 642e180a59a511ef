// Reads a Python pickle (protocols 2 to 5) that holds plain data, and nothing else.
//
// A pickle is a program for a small machine that can import and call anything. This reader knows the opcodes
// that build numbers, texts, lists, tuples and dictionaries; the first other one (GLOBAL, REDUCE, BUILD, ...)
// is an error that names it and its place. Sizes, counts and depth are bounded, truncated input is an error.
// Stateless, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "flight/value_tree.hpp"

namespace firstfault {

// `name` is the file's, for messages. What follows the pickle's end is not looked at.
Result<ValueTree> read_pickle(std::string_view bytes, const std::string& name);

}  // namespace firstfault
