#include "edit/arguments.hpp"

#include <algorithm>
#include <charconv>

namespace firstfault {
namespace {

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\f") == std::string_view::npos; }

// The comma after the last argument, if there is one.
std::optional<std::size_t> trailing_comma(TSNode list, TSNode last) {
  for (std::uint32_t i = ts_node_child_count(list); i-- > 0;) {
    const TSNode child = ts_node_child(list, i);
    if (ts_node_start_byte(child) < ts_node_end_byte(last)) break;
    if (is_type(child, ",")) return ts_node_start_byte(child);
  }
  return std::nullopt;
}

bool starts_its_line(std::string_view source, const LineIndex& lines, std::size_t offset) {
  const std::size_t start = lines.line_start(lines.line_of(offset));
  return is_blank(source.substr(start, offset - start));
}

std::string newline_at(std::string_view source, const LineIndex& lines, std::size_t line) {
  return lines.line_end(line) < source.size() && source[lines.line_end(line)] == '\r' ? "\r\n" : "\n";
}

std::string indentation_at(std::string_view source, const LineIndex& lines, std::size_t offset) {
  const std::size_t start = lines.line_start(lines.line_of(offset));
  return std::string(source.substr(start, offset - start));
}

// Every argument begins on a line of its own; only the first may stand beside the parenthesis.
bool one_per_line(const SyntaxTree& tree, const LineIndex& lines, const CallArguments& arguments) {
  for (std::size_t i = 0; i < arguments.all.size(); ++i) {
    const bool own = starts_its_line(tree.source(), lines, ts_node_start_byte(arguments.all[i]));
    if (!own && (i > 0 || arguments.all.size() == 1)) return false;
  }
  return true;
}

std::vector<ByteEdit> before_mapping(const SyntaxTree& tree, const LineIndex& lines, TSNode mapping,
                                     const std::string& argument) {
  const std::size_t at = ts_node_start_byte(mapping);
  if (!starts_its_line(tree.source(), lines, at)) return {{at, at, argument + ", "}};
  // The line before ends as this one does, and it is there: the call began on it or above.
  const std::size_t line = lines.line_of(at);
  const std::string newline = newline_at(tree.source(), lines, line == 0 ? 0 : line - 1);
  return {{at, at, argument + "," + newline + indentation_at(tree.source(), lines, at)}};
}

std::vector<ByteEdit> on_own_line(const SyntaxTree& tree, const LineIndex& lines,
                                  const CallArguments& arguments, std::optional<std::size_t> comma,
                                  const std::string& argument) {
  const std::string_view source = tree.source();
  const TSNode last = arguments.all.back();
  const std::size_t end = ts_node_end_byte(last);
  const std::size_t line = lines.line_of(end);
  const std::size_t after = comma ? *comma + 1 : end;
  const std::string newline = newline_at(source, lines, lines.line_of(ts_node_start_byte(arguments.list)));
  const std::string added = newline + indentation_at(source, lines, ts_node_start_byte(last)) + argument;
  const std::string_view rest = source.substr(after, lines.line_end(line) - after);
  const std::size_t close = ts_node_end_byte(arguments.list) - 1;
  if (close < lines.line_end(line) || is_blank(rest)) {
    // The closing parenthesis stands on this line, or nothing but blanks follow.
    return {{after, after, comma ? added + "," : "," + added}};
  }
  const std::size_t at = lines.line_end(line);  // behind the comment
  if (comma) return {{at, at, added + ","}};
  return {{end, end, ","}, {at, at, added}};
}

std::optional<double> number(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || stop != end || error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

CallArguments::CallArguments(TSNode call) : list(field(call, "arguments")) {
  bare_generator = is_type(list, "generator_expression");
  all = bare_generator ? std::vector<TSNode>{list} : named_children(list);
}

std::optional<TSNode> keyword_value(const SyntaxTree& tree, const CallArguments& arguments,
                                    std::string_view keyword) {
  for (const TSNode argument : arguments.all) {
    if (!is_type(argument, "keyword_argument") || tree.text(field(argument, "name")) != keyword) continue;
    return field(argument, "value");
  }
  return std::nullopt;
}

std::optional<TSNode> positional(const CallArguments& arguments, std::size_t index) {
  for (std::size_t i = 0; i < arguments.all.size(); ++i) {
    const std::string_view type = type_of(arguments.all[i]);
    if (type == "keyword_argument" || type == "list_splat" || type == "dictionary_splat") break;
    if (i == index) return arguments.all[i];
  }
  return std::nullopt;
}

TSNode first_of_type(const CallArguments& arguments, std::string_view type) {
  const auto found = std::find_if(arguments.all.begin(), arguments.all.end(),
                                  [&](TSNode argument) { return is_type(argument, type); });
  return found == arguments.all.end() ? TSNode{} : *found;
}

std::vector<ByteEdit> insertion(const SyntaxTree& tree, const LineIndex& lines,
                                const CallArguments& arguments, const std::string& argument) {
  const std::size_t open = ts_node_start_byte(arguments.list);
  if (arguments.bare_generator) {
    const std::size_t end = ts_node_end_byte(arguments.list);
    return {{open, open, "("}, {end, end, ", " + argument + ")"}};
  }
  if (arguments.all.empty()) return {{open + 1, open + 1, argument}};
  const TSNode mapping = first_of_type(arguments, "dictionary_splat");
  if (!ts_node_is_null(mapping)) return before_mapping(tree, lines, mapping, argument);
  const TSNode last = arguments.all.back();
  const std::size_t end = ts_node_end_byte(last);
  const auto comma = trailing_comma(arguments.list, last);
  const bool comma_beside = !comma || lines.line_of(*comma) == lines.line_of(end);
  if (comma_beside && one_per_line(tree, lines, arguments)) {
    return on_own_line(tree, lines, arguments, comma, argument);
  }
  if (comma) return {{*comma + 1, *comma + 1, " " + argument + ","}};
  return {{end, end, ", " + argument}};
}

bool same_value(std::string_view left, std::string_view right) {
  if (left == right) return true;
  const auto first = number(left);
  const auto second = number(right);
  return first && second && *first == *second;
}

std::string apply_bytes(std::string_view source, std::vector<ByteEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const ByteEdit& left, const ByteEdit& right) { return left.start < right.start; });
  std::string result;
  std::size_t at = 0;
  for (const ByteEdit& edit : edits) {
    if (edit.start < at || edit.end > source.size()) continue;  // overlapping: the first one stands
    result += source.substr(at, edit.start - at);
    result += edit.text;
    at = edit.end;
  }
  result += source.substr(at);
  return result;
}

}  // namespace firstfault
