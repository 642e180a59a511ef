#include "edit/names.hpp"

#include <algorithm>

#include "edit/name_walker.hpp"

namespace firstfault {
namespace {

constexpr int kMaxHops = 20;  // assignments that lead from one name to the next
constexpr int kMaxSteps = 1000;

void add_target(Target target, Resolution* result) {
  const auto known = [&](const Target& other) {
    return other.name == target.name && other.partial.has_value() == target.partial.has_value();
  };
  if (std::none_of(result->targets.begin(), result->targets.end(), known)) {
    result->targets.push_back(std::move(target));
  }
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::string canonical(std::string_view qualified) {
  const std::size_t name = qualified.rfind('.');
  if (name == std::string_view::npos || name == 0) return std::string(qualified);
  const std::size_t module = qualified.rfind('.', name - 1);
  if (module == std::string_view::npos) return std::string(qualified);
  const std::string_view last = qualified.substr(name + 1);
  const std::string_view before = qualified.substr(module + 1, name - module - 1);
  if (before == last || before != lower(last)) return std::string(qualified);
  return std::string(qualified.substr(0, module + 1)) + std::string(last);
}

Names::Names(const SyntaxTree& tree) : tree_(tree) { NameWalker(tree, this).walk(); }

const std::vector<Binding>* Names::find(std::string_view name, int scope, int* home) const {
  for (int at = scope; at >= 0; at = scopes_[static_cast<std::size_t>(at)].parent) {
    const Scope& here = scopes_[static_cast<std::size_t>(at)];
    // A class's names are not seen from the functions in it.
    if (here.is_class && at != scope) continue;
    const auto found = here.bindings.find(name);
    if (found == here.bindings.end()) continue;
    *home = at;
    return &found->second;
  }
  return nullptr;
}

Resolution Names::resolve(TSNode expression, int scope) const {
  Resolution result;
  budget_ = kMaxSteps;
  resolve_into(expression, scope, 0, &result);
  for (Target& target : result.targets) target.name = canonical(target.name);
  return result;
}

void Names::resolve_into(TSNode expression, int scope, int depth, Resolution* result) const {
  const std::string_view type = type_of(expression);
  if (depth > kMaxHops || --budget_ < 0) {
    result->unknown = true;
  } else if (type == "identifier") {
    resolve_name(tree_.text(expression), scope, depth, result);
  } else if (type == "attribute") {
    Resolution object;
    resolve_into(field(expression, "object"), scope, depth + 1, &object);
    for (const Target& target : object.targets) {
      if (target.partial) continue;
      add_target({target.name + "." + std::string(tree_.text(field(expression, "attribute"))), {}}, result);
    }
    result->unknown |= object.unknown;
  } else if (type == "parenthesized_expression") {
    resolve_into(ts_node_named_child(expression, 0), scope, depth + 1, result);
  } else if (type == "conditional_expression") {
    const auto parts = named_children(expression);
    if (parts.size() != 3) return;
    resolve_into(parts[0], scope, depth + 1, result);
    resolve_into(parts[2], scope, depth + 1, result);
  } else if (type == "call") {
    resolve_call(expression, scope, depth, result);
  } else if (type != "none") {
    result->unknown = true;
  }
}

void Names::resolve_name(std::string_view name, int scope, int depth, Resolution* result) const {
  int home = 0;
  const std::vector<Binding>* bindings = find(name, scope, &home);
  if (bindings == nullptr) {
    result->unknown = true;
    return;
  }
  for (const Binding& binding : *bindings) {
    if (!binding.qualified.empty()) {
      add_target({binding.qualified, {}}, result);
    } else if (binding.value) {
      resolve_into(*binding.value, home, depth + 1, result);
    } else {
      result->unknown = true;
    }
  }
}

void Names::resolve_call(TSNode call, int scope, int depth, Resolution* result) const {
  const auto arguments = named_children(field(call, "arguments"));
  const TSNode function = field(call, "function");
  if (tree_.text(function) == "getattr" && arguments.size() >= 2) {
    const auto attribute = string_value(tree_, arguments[1]);
    Resolution object;
    if (attribute) resolve_into(arguments[0], scope, depth + 1, &object);
    for (const Target& target : object.targets) add_target({target.name + "." + *attribute, {}}, result);
    result->unknown |= !attribute || object.unknown;
    return;
  }
  Resolution callee;
  resolve_into(function, scope, depth + 1, &callee);
  const bool partial = std::any_of(callee.targets.begin(), callee.targets.end(),
                                   [](const Target& target) { return target.name == "functools.partial"; });
  if (!partial || arguments.empty()) {
    result->unknown = true;
    return;
  }
  Resolution wrapped;
  resolve_into(arguments[0], scope, depth + 1, &wrapped);
  for (const Target& target : wrapped.targets) {
    add_target({target.name, target.partial ? target.partial : call}, result);
  }
  result->unknown |= wrapped.unknown;
}

}  // namespace firstfault
