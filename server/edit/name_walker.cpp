// The walk that fills Names: one visit of every node, in source order.
#include "edit/name_walker.hpp"

namespace firstfault {
namespace {

constexpr int kMaxDepth = 1000;  // deeper nesting is no program that a person wrote

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, text.find_first_of("\r\n")));
  constexpr std::size_t kMax = 60;
  return line.size() > kMax ? line.substr(0, kMax) + "..." : line;
}

}  // namespace

void NameWalker::visit_children(TSNode node, int scope, int depth) {
  for (const TSNode child : named_children(node)) visit(child, scope, depth + 1);
}

void NameWalker::visit(TSNode node, int scope, int depth) {
  if (depth > kMaxDepth) return;
  const std::string_view type = type_of(node);
  // Nothing inside a string is touched, the expressions of an f-string included; annotations call nothing.
  if (type == "string" || type == "concatenated_string" || type == "type") return;
  if (type == "import_statement") return visit_import(node, scope);
  if (type == "import_from_statement") return visit_import_from(node, scope);
  if (type == "function_definition" || type == "lambda") return visit_function(node, scope, depth);
  if (type == "class_definition") return visit_class(node, scope, depth);
  if (type == "assignment") visit_assignment(node, scope);
  if (type == "named_expression") bind(field(node, "name"), field(node, "value"), scope);
  if (type == "augmented_assignment" || type == "for_statement" || type == "for_in_clause") {
    bind_unknown(field(node, "left"), scope);
  }
  if (type == "as_pattern_target") bind_unknown(node, scope);
  if (type == "call") names_->calls_.push_back({node, scope});
  note_references(node, scope);
  visit_children(node, scope, depth);
}

int NameWalker::add_scope(int parent, bool is_class) {
  names_->scopes_.emplace_back();
  names_->scopes_.back().parent = parent;
  names_->scopes_.back().is_class = is_class;
  return static_cast<int>(names_->scopes_.size()) - 1;
}

void NameWalker::add(std::string_view name, Binding binding, int scope) {
  if (name.empty()) return;
  names_->scopes_[static_cast<std::size_t>(scope)].bindings[std::string(name)].push_back(std::move(binding));
}

void NameWalker::bind(TSNode name, TSNode value, int scope) {
  if (is_type(name, "identifier")) add(tree_.text(name), {{}, value}, scope);
}

// Every name in a target whose value cannot be told.
void NameWalker::bind_unknown(TSNode target, int scope) {
  if (is_type(target, "identifier")) return add(tree_.text(target), {}, scope);
  if (is_type(target, "attribute") || is_type(target, "subscript") || ts_node_is_null(target)) return;
  for (const TSNode child : named_children(target)) bind_unknown(child, scope);
}

void NameWalker::visit_import(TSNode node, int scope) {
  for (const TSNode child : named_children(node)) {
    if (is_type(child, "aliased_import")) {
      add(tree_.text(field(child, "alias")), {std::string(tree_.text(field(child, "name"))), {}}, scope);
    } else {
      const std::string_view name = tree_.text(child);
      const std::string_view first = name.substr(0, name.find('.'));
      add(first, {std::string(first), {}}, scope);
    }
  }
}

void NameWalker::visit_import_from(TSNode node, int scope) {
  const TSNode module = field(node, "module_name");
  const std::string prefix(tree_.text(module));
  for (const TSNode child : named_children(node)) {
    if (same_node(child, module)) continue;
    if (is_type(child, "wildcard_import")) {
      names_->star_imports_.push_back({prefix, ts_node_start_point(node).row + std::size_t{1}});
    } else if (is_type(child, "aliased_import")) {
      add(tree_.text(field(child, "alias")),
          {prefix + "." + std::string(tree_.text(field(child, "name"))), {}}, scope);
    } else {
      add(tree_.text(child), {prefix + "." + std::string(tree_.text(child)), {}}, scope);
    }
  }
}

void NameWalker::visit_function(TSNode node, int scope, int depth) {
  bind_unknown(field(node, "name"), scope);
  const int inner = add_scope(scope, false);
  const TSNode parameters = field(node, "parameters");
  for (const TSNode parameter : named_children(parameters)) {
    if (const TSNode value = field(parameter, "value"); !ts_node_is_null(value)) {
      refer(value, scope, "is the default of a parameter");
      visit(value, scope, depth + 1);
    }
    const TSNode name = field(parameter, "name");
    if (!ts_node_is_null(name)) {
      bind_unknown(name, inner);
    } else if (is_type(parameter, "typed_parameter")) {
      bind_unknown(ts_node_named_child(parameter, 0), inner);
    } else {
      bind_unknown(parameter, inner);
    }
  }
  visit(field(node, "body"), inner, depth + 1);
}

void NameWalker::visit_class(TSNode node, int scope, int depth) {
  bind_unknown(field(node, "name"), scope);
  const TSNode bases = field(node, "superclasses");
  for (const TSNode base : named_children(bases)) refer(base, scope, "is a base class");
  visit_children(bases, scope, depth);
  visit(field(node, "body"), add_scope(scope, true), depth + 1);
}

void NameWalker::visit_assignment(TSNode node, int scope) {
  const TSNode left = field(node, "left");
  TSNode right = field(node, "right");
  while (is_type(right, "assignment")) right = field(right, "right");
  if (ts_node_is_null(right)) return;
  if (is_type(left, "identifier")) return bind(left, right, scope);
  if (is_type(left, "attribute") || is_type(left, "subscript")) {
    refer(right, scope, "is stored in " + one_line(tree_.text(left)));
    const TSNode owner = field(left, "value");
    const auto key = string_value(tree_, field(left, "subscript"));
    if (key && is_type(owner, "identifier")) {
      names_->elements_.push_back({std::string(tree_.text(owner)), *key, right, scope});
    }
    return;
  }
  const auto targets = named_children(left);
  const auto values = named_children(right);
  const bool paired =
      (is_type(right, "expression_list") || is_type(right, "tuple")) && targets.size() == values.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (paired && is_type(targets[i], "identifier")) {
      bind(targets[i], values[i], scope);
    } else {
      bind_unknown(targets[i], scope);
    }
  }
}

void NameWalker::refer(TSNode node, int scope, std::string where, std::optional<TSNode> call) {
  if (!is_type(node, "identifier") && !is_type(node, "attribute")) return;
  names_->references_.push_back({node, scope, std::move(where), call});
}

void NameWalker::note_references(TSNode node, int scope) {
  const std::string_view type = type_of(node);
  if (type == "pair") {
    refer(field(node, "value"), scope, "is a value of a dictionary");
  } else if (type == "keyword_argument") {
    refer(field(node, "value"), scope, "is passed as " + std::string(tree_.text(field(node, "name"))));
  } else if (type == "call") {
    const TSNode arguments = field(node, "arguments");
    const std::string callee = one_line(tree_.text(field(node, "function")));
    for (const TSNode argument : named_children(arguments))
      refer(argument, scope, "is passed to " + callee, node);
  } else if (type == "list" || type == "tuple" || type == "set") {
    for (const TSNode child : named_children(node))
      refer(child, scope, "is an element of a " + std::string(type));
  } else if (type == "return_statement") {
    for (const TSNode child : named_children(node)) refer(child, scope, "is returned");
  }
}

}  // namespace firstfault
