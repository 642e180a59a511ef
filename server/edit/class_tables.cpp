// Classes in a dictionary: OPTIMIZERS = {"adam": Adam, "sgd": SGD} and OPTIMIZERS[name](params, ...).
#include <algorithm>

#include "edit/keyword_recipe.hpp"

namespace firstfault {
namespace {

// The dictionary's name in `table[key]` and `table.get(key)`; a null node for any other callee.
TSNode table_name(const SyntaxTree& tree, TSNode callee) {
  TSNode name{};
  if (is_type(callee, "subscript")) {
    name = field(callee, "value");
  } else if (is_type(callee, "call") && is_type(field(callee, "function"), "attribute") &&
             tree.text(field(field(callee, "function"), "attribute")) == "get") {
    name = field(field(callee, "function"), "object");
  }
  return is_type(name, "identifier") ? name : TSNode{};
}

bool imports(const Names& names, std::string_view name, std::string_view qualified) {
  int home = 0;
  const auto* bindings = names.find(name, 0, &home);
  return bindings != nullptr && std::all_of(bindings->begin(), bindings->end(), [&](const Binding& binding) {
           return binding.qualified == qualified;
         });
}

// Where a new import of the module goes: before its first one. Later than any docstring or __future__ import.
std::optional<std::size_t> import_offset(const SyntaxTree& tree) {
  for (const TSNode statement : named_children(tree.root())) {
    if (!is_type(statement, "import_statement") && !is_type(statement, "import_from_statement")) continue;
    if (ts_node_start_point(statement).column != 0) return std::nullopt;
    return ts_node_start_byte(statement);
  }
  return std::nullopt;
}

}  // namespace

// Whether the call takes its class out of a dictionary that is spelled out in this file and holds a listed
// one.
bool KeywordRecipe::handle_table(const Call& call) {
  const TSNode name = table_name(tree_, field(call.node, "function"));
  int home = 0;
  const auto* bindings = ts_node_is_null(name) ? nullptr : names_.find(tree_.text(name), call.scope, &home);
  if (bindings == nullptr || bindings->size() != 1 || !bindings->front().value) return false;
  const TSNode table = *bindings->front().value;
  if (!is_type(table, "dictionary")) return false;
  Site site{call.node, call.scope, {}, {}, 0};
  std::vector<TSNode> classes;
  bool others = false;
  for (const TSNode entry : named_children(table)) {
    const TSNode value = field(entry, "value");
    const bool simple = is_type(value, "identifier") || is_type(value, "attribute");
    const Resolution resolution = simple ? names_.resolve(value, home) : Resolution{};
    if (resolution.targets.size() == 1 && !resolution.targets[0].partial &&
        wanted(resolution.targets[0].name)) {
      classes.push_back(value);
      site.callable = resolution.targets[0].name;
    } else {
      others = true;
    }
  }
  if (classes.empty()) return false;
  const CallArguments arguments(call.node);
  if (!others || keyword_value(tree_, arguments, recipe_.keyword)) {
    for (const TSNode value : classes) wrapped_.insert(ts_node_start_byte(value));
    handle_site(site);
  } else if (!replace_in_mappings(site, arguments)) {
    wrap_in_table(site, table, classes);
  }
  return true;
}

// Not every class of the table takes the keyword, so it is bound to those that do.
void KeywordRecipe::wrap_in_table(const Site& site, TSNode table, const std::vector<TSNode>& classes) {
  if (!wrapped_.insert(ts_node_start_byte(table)).second) return;
  const bool by_name = imports(names_, "partial", "functools.partial");
  std::vector<ByteEdit> bytes;
  if (!by_name && !imports(names_, "functools", "functools")) {
    const auto at = import_offset(tree_);
    int home = 0;
    if (!at || names_.find("functools", 0, &home) != nullptr) return;
    const std::size_t end = lines_.line_end(lines_.line_of(*at));
    const bool crlf = end < tree_.source().size() && tree_.source()[end] == '\r';
    bytes.push_back({*at, *at, std::string("import functools") + (crlf ? "\r\n" : "\n")});
  }
  for (const TSNode value : classes) {
    wrapped_.insert(ts_node_start_byte(value));
    const std::size_t start = ts_node_start_byte(value);
    const std::size_t end = ts_node_end_byte(value);
    bytes.push_back({start, start, by_name ? "partial(" : "functools.partial("});
    bytes.push_back({end, end, ", " + recipe_.keyword + "=" + recipe_.value + ")"});
  }
  Site noted = site;
  noted.note = "not all classes of " +
               std::string(tree_.text(table_name(tree_, field(site.call, "function")))) + " take " +
               recipe_.keyword + ", so it is bound in the dictionary";
  offer(noted, std::move(bytes), {}, false);
}

}  // namespace firstfault
