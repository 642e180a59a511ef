// How to write a keyword into an argument list without disturbing it. Private to the module; pure functions
// over a syntax tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edit/syntax.hpp"

namespace firstfault {

// A replacement of bytes [start, end) of the source.
struct ByteEdit {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string text;
};

struct CallArguments {
  explicit CallArguments(TSNode call);

  TSNode list;                  // argument_list or generator_expression
  std::vector<TSNode> all;      // in source order; for a bare generator the generator itself
  bool bare_generator = false;  // f(x for x in y): has no parentheses of its own
};

std::optional<TSNode> keyword_value(const SyntaxTree& tree, const CallArguments& arguments,
                                    std::string_view keyword);

// The positional argument number `index` (from 0). None where there are fewer, or where *args makes it
// unknowable.
std::optional<TSNode> positional(const CallArguments& arguments, std::size_t index);

// `**name` or `*name` among the arguments; a null node where there is none.
TSNode first_of_type(const CallArguments& arguments, std::string_view type);

// The bytes that add `keyword=value`: at the end, before any **mapping, in the layout of the call (one line,
// one argument per line, trailing comma, comments).
std::vector<ByteEdit> insertion(const SyntaxTree& tree, const LineIndex& lines,
                                const CallArguments& arguments, const std::string& argument);

// Whether two pieces of Python text are the same value: equal text, or equal numbers.
bool same_value(std::string_view left, std::string_view right);

std::string apply_bytes(std::string_view source, std::vector<ByteEdit> edits);

}  // namespace firstfault
