#include "edit/syntax.hpp"

#include <algorithm>
#include <utility>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace firstfault {
namespace {

// UTF-8 length by lead byte. A bad byte counts as one character, as editors show it.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4   ? 4
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                                                            : 1;
  if (at + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 1;
  }
  return length;
}

}  // namespace

SyntaxTree::SyntaxTree(std::string_view source) : source_(source) {
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
  if (!ts_parser_set_language(parser.get(), tree_sitter_python())) return;
  tree_.reset(ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                     static_cast<std::uint32_t>(source.size())));
}

std::string_view SyntaxTree::text(TSNode node) const {
  if (ts_node_is_null(node)) return {};
  const std::size_t start = std::min<std::size_t>(ts_node_start_byte(node), source_.size());
  const std::size_t end = std::min<std::size_t>(ts_node_end_byte(node), source_.size());
  return source_.substr(start, end - start);
}

std::size_t SyntaxTree::errors() const {
  std::size_t count = 0;
  std::vector<TSNode> open = {root()};
  while (!open.empty()) {
    const TSNode node = open.back();
    open.pop_back();
    if (is_type(node, "ERROR") || ts_node_is_missing(node)) ++count;
    if (!ts_node_has_error(node)) continue;
    for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) open.push_back(ts_node_child(node, i));
  }
  return count;
}

std::string_view type_of(TSNode node) {
  return ts_node_is_null(node) ? std::string_view() : std::string_view(ts_node_type(node));
}

bool is_type(TSNode node, std::string_view type) { return type_of(node) == type; }

bool same_node(TSNode left, TSNode right) { return ts_node_eq(left, right); }

TSNode field(TSNode node, std::string_view name) {
  return ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
}

std::vector<TSNode> named_children(TSNode node) {
  std::vector<TSNode> children;
  if (ts_node_is_null(node)) return children;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      if (ts_node_is_named(child) && !is_type(child, "comment")) children.push_back(child);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return children;
}

std::optional<std::string> string_value(const SyntaxTree& tree, TSNode node) {
  if (!is_type(node, "string")) return std::nullopt;
  std::string value;
  for (const TSNode part : named_children(node)) {
    if (is_type(part, "string_content")) {
      value += tree.text(part);
    } else if (is_type(part, "interpolation")) {
      return std::nullopt;
    }
  }
  if (value.find('\\') != std::string::npos) return std::nullopt;
  return value;
}

LineIndex::LineIndex(std::string_view source) : source_(source), starts_{0} {
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\n' || (source[at] == '\r' && (at + 1 == source.size() || source[at + 1] != '\n'))) {
      starts_.push_back(at + 1);
    }
  }
}

std::size_t LineIndex::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                                  starts_.begin()) -
         1;
}

std::size_t LineIndex::line_end(std::size_t line) const {
  std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : source_.size();
  const std::size_t start = starts_[line];
  if (end > start && source_[end - 1] == '\n') --end;
  if (end > start && source_[end - 1] == '\r') --end;
  return end;
}

Position LineIndex::position(std::size_t offset) const {
  const std::size_t line = line_of(offset);
  int units = 0;
  for (std::size_t at = starts_[line]; at < offset;) {
    const std::size_t length = character_length(source_, at);
    units += length == 4 ? 2 : 1;
    at += length;
  }
  return {static_cast<int>(line), units};
}

std::size_t LineIndex::offset(Position position) const {
  if (position.line < 0) return 0;
  const auto line = static_cast<std::size_t>(position.line);
  if (line >= starts_.size()) return source_.size();
  std::size_t at = starts_[line];
  const std::size_t end = line_end(line);
  for (int units = 0; units < position.character && at < end;) {
    const std::size_t length = character_length(source_, at);
    units += length == 4 ? 2 : 1;
    at += length;
  }
  return std::min(at, end);
}

}  // namespace firstfault
