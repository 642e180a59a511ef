// Python source as a tree-sitter tree, with the few questions that edits ask of it. Private to the module.
// A SyntaxTree owns its tree; nodes are valid while it lives. One thread at a time. Broken source still gives
// a tree (with error nodes); only running out of memory gives none.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edit/python_edit.hpp"

namespace firstfault {

class SyntaxTree {
 public:
  // `source` is not copied and must outlive the tree.
  explicit SyntaxTree(std::string_view source);

  explicit operator bool() const { return tree_ != nullptr; }
  TSNode root() const { return ts_tree_root_node(tree_.get()); }
  std::string_view source() const { return source_; }
  std::string_view text(TSNode node) const;
  std::size_t errors() const;  // how many ERROR and MISSING nodes there are

 private:
  struct Deleter {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::string_view source_;
  std::unique_ptr<TSTree, Deleter> tree_;
};

std::string_view type_of(TSNode node);
bool is_type(TSNode node, std::string_view type);
bool same_node(TSNode left, TSNode right);
TSNode field(TSNode node, std::string_view name);  // a null node where there is none
std::vector<TSNode> named_children(TSNode node);   // without comments
std::optional<std::string> string_value(const SyntaxTree& tree, TSNode node);  // of a plain string literal

// Byte offsets to LSP positions and back.
class LineIndex {
 public:
  explicit LineIndex(std::string_view source);
  Position position(std::size_t offset) const;
  std::size_t offset(Position position) const;  // clamped to the line and to the source
  std::size_t line_of(std::size_t offset) const;
  std::size_t line_start(std::size_t line) const { return starts_[line]; }
  std::size_t line_end(std::size_t line) const;  // before its terminator

 private:
  std::string_view source_;
  std::vector<std::size_t> starts_;
};

}  // namespace firstfault
