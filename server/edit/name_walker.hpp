// Fills Names in one walk over a syntax tree. Private to the module; single-threaded; never fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "edit/names.hpp"

namespace firstfault {

class NameWalker {
 public:
  NameWalker(const SyntaxTree& tree, Names* names) : tree_(tree), names_(names) {}

  void walk() { visit(tree_.root(), add_scope(-1, false), 0); }

 private:
  void visit(TSNode node, int scope, int depth);
  void visit_children(TSNode node, int scope, int depth);
  void visit_import(TSNode node, int scope);
  void visit_import_from(TSNode node, int scope);
  void visit_function(TSNode node, int scope, int depth);
  void visit_class(TSNode node, int scope, int depth);
  void visit_assignment(TSNode node, int scope);
  void note_references(TSNode node, int scope);
  void refer(TSNode node, int scope, std::string where, std::optional<TSNode> call = std::nullopt);

  int add_scope(int parent, bool is_class);
  void add(std::string_view name, Binding binding, int scope);
  void bind(TSNode name, TSNode value, int scope);
  void bind_unknown(TSNode target, int scope);

  const SyntaxTree& tree_;
  Names* names_;
};

}  // namespace firstfault
