#include "edit/keyword_recipe.hpp"

#include <algorithm>

namespace firstfault {
namespace {

constexpr int kMaxHops = 10;  // names that lead to a dictionary

std::string_view last_part(std::string_view qualified) { return qualified.substr(qualified.rfind('.') + 1); }

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Where `eps` stands among the positional parameters of the optimizers that take it so.
std::optional<std::size_t> positional_index(std::string_view callable, std::string_view keyword) {
  if (keyword != "eps") return std::nullopt;
  const std::string_view name = last_part(callable);
  for (const std::string_view known : {"FusedAdam", "DeepSpeedCPUAdam", "FusedLAMB"}) {
    if (name == known) return 4;  // params, lr, bias_correction, betas, eps
  }
  if (name == "scale_by_adam") return 2;  // b1, b2, eps
  for (const std::string_view package :
       {"torch.optim.", "transformers.", "bitsandbytes.", "timm.", "optax."}) {
    if (starts_with(callable, package)) return 3;  // params, lr, betas, eps; learning_rate, b1, b2, eps
  }
  return std::nullopt;
}

std::string joined(std::string_view before, std::string_view added) {
  return before.empty() ? std::string(added) : std::string(before) + "; " + std::string(added);
}

// One line of a call's or value's text, for messages.
std::string shown(std::string_view text) {
  constexpr std::size_t kMax = 60;
  std::string line(text.substr(0, text.find_first_of("\r\n")));
  return line.size() > kMax || line.size() < text.size() ? line.substr(0, kMax) + "..." : line;
}

}  // namespace

KeywordRecipe::KeywordRecipe(const EditRecipe& recipe, std::string_view path, const SyntaxTree& tree,
                             const RE2* replace_if)
    : recipe_(recipe),
      path_(path),
      tree_(tree),
      replace_if_(replace_if),
      lines_(tree.source()),
      names_(tree),
      errors_(tree.errors()) {
  for (const std::string& callable : recipe.callables) callables_.insert(canonical(callable));
}

EditOutcome KeywordRecipe::run() {
  note_partials_with_keyword();
  for (const Call& call : names_.calls()) handle(call);
  report_references();
  std::stable_sort(declined_.begin(), declined_.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  for (auto& [at, why] : declined_) outcome_.not_offered.push_back(std::move(why));
  return std::move(outcome_);
}

// A partial whose later call passes the keyword would not use a keyword of its own.
void KeywordRecipe::note_partials_with_keyword() {
  for (const Call& call : names_.calls()) {
    if (!keyword_value(tree_, CallArguments(call.node), recipe_.keyword)) continue;
    for (const Target& target : names_.resolve(field(call.node, "function"), call.scope).targets) {
      if (target.partial && !same_node(*target.partial, call.node)) {
        partials_with_keyword_.insert(ts_node_start_byte(*target.partial));
      }
    }
  }
}

void KeywordRecipe::handle(const Call& call) {
  const TSNode callee = field(call.node, "function");
  const Resolution resolution = names_.resolve(callee, call.scope);
  const bool is_partial =
      std::any_of(resolution.targets.begin(), resolution.targets.end(),
                  [](const Target& target) { return target.name == "functools.partial" && !target.partial; });
  if (!is_partial) return handle_resolved(call, callee, false);
  const CallArguments arguments(call.node);
  if (!arguments.all.empty()) handle_resolved(call, arguments.all.front(), true);
}

void KeywordRecipe::handle_resolved(const Call& call, TSNode callee, bool is_partial) {
  const Resolution resolution = names_.resolve(callee, call.scope);
  Site site{call.node, call.scope, {}, {}, is_partial ? std::size_t{1} : 0};
  bool through_partial = true;
  std::string other;
  for (const Target& target : resolution.targets) {
    if (!wanted(target.name)) {
      other = target.name;
      continue;
    }
    if (site.callable.empty()) site.callable = target.name;
    through_partial = through_partial && target.partial.has_value();
  }
  if (site.callable.empty()) {
    if (!handle_table(call)) handle_star_import(call);
    return;
  }
  if (!other.empty()) {
    if (starts_with(other, "torch.optim.")) {
      return decline(call.node, label(call.node) + " may also be " + other + ", so " + recipe_.keyword + "=" +
                                    recipe_.value + " was not put there");
    }
    site.note = "it may also be " + other;
  } else if (resolution.unknown) {
    site.note = shown(tree_.text(callee)) + " may also be something else";
  }
  // The partial itself is edited; its calls only where they override the keyword.
  if (through_partial && !is_partial && !keyword_value(tree_, CallArguments(call.node), recipe_.keyword))
    return;
  if (is_partial && partials_with_keyword_.count(ts_node_start_byte(call.node)) > 0) return;
  handle_site(site);
}

void KeywordRecipe::handle_site(const Site& site) {
  if (ts_node_has_error(site.call)) {
    decline(site.call, label(site.call) + " does not parse; correct the syntax error first");
    if (broken_.empty()) broken_ = declined_.back().second;
    return;
  }
  const CallArguments arguments(site.call);
  if (const auto value = keyword_value(tree_, arguments, recipe_.keyword)) return replace(site, *value, true);
  if (const auto index = positional_index(site.callable, recipe_.keyword)) {
    if (const auto value = positional(arguments, *index + site.skip)) return replace(site, *value, true);
  }
  if (replace_in_mappings(site, arguments)) return;
  insert(site, arguments);
}

void KeywordRecipe::handle_star_import(const Call& call) {
  const TSNode callee = field(call.node, "function");
  int home = 0;
  if (!is_type(callee, "identifier") || names_.find(tree_.text(callee), call.scope, &home) != nullptr) return;
  for (const StarImport& import : names_.star_imports()) {
    if (!wanted(canonical(import.module + "." + std::string(tree_.text(callee))))) continue;
    return decline(call.node, label(call.node) + " may come from the star import on line " +
                                  std::to_string(import.line) + "; import it by name");
  }
}

// The values that the keyword has in a mapping that is spelled out in this file.
std::vector<TSNode> KeywordRecipe::values_in(TSNode mapping, int scope, int depth) const {
  std::vector<TSNode> values;
  collect_values(mapping, scope, depth, &values);
  return values;
}

void KeywordRecipe::collect_values(TSNode mapping, int scope, int depth, std::vector<TSNode>* values) const {
  if (depth > kMaxHops) return;
  if (is_type(mapping, "dictionary")) {
    for (const TSNode entry : named_children(mapping)) {
      if (is_type(entry, "pair") && string_value(tree_, field(entry, "key")) == recipe_.keyword) {
        values->push_back(field(entry, "value"));
      } else if (is_type(entry, "dictionary_splat")) {
        collect_values(ts_node_named_child(entry, 0), scope, depth + 1, values);
      }
    }
  } else if (is_type(mapping, "call") && tree_.text(field(mapping, "function")) == "dict") {
    if (const auto value = keyword_value(tree_, CallArguments(mapping), recipe_.keyword))
      values->push_back(*value);
  } else if (is_type(mapping, "identifier")) {
    int home = 0;
    const auto* bindings = names_.find(tree_.text(mapping), scope, &home);
    if (bindings == nullptr) return;
    for (const Binding& binding : *bindings) {
      if (binding.value) collect_values(*binding.value, home, depth + 1, values);
    }
    for (const ElementBinding& element : names_.elements()) {
      int element_home = 0;
      const bool same = element.name == tree_.text(mapping) &&
                        names_.find(element.name, element.scope, &element_home) != nullptr &&
                        element_home == home;
      if (same && element.key == recipe_.keyword) values->push_back(element.value);
    }
  }
}

bool KeywordRecipe::replace_in_mappings(const Site& site, const CallArguments& arguments) {
  bool found = false;
  for (const TSNode argument : arguments.all) {
    if (!is_type(argument, "dictionary_splat")) continue;
    const TSNode mapping = ts_node_named_child(argument, 0);
    for (const TSNode value : values_in(mapping, site.scope, 0)) {
      found = true;
      if (!edited_values_.insert(ts_node_start_byte(value)).second) continue;
      Site there = site;
      there.note = joined(site.note, "it comes from " + shown(tree_.text(argument)));
      replace(there, value, false);
    }
  }
  return found;
}

void KeywordRecipe::replace(const Site& site, TSNode value, bool in_call) {
  const std::string text(tree_.text(value));
  const std::string has = label(site.call) + " has " + recipe_.keyword + "=" + shown(text);
  if (same_value(text, recipe_.value)) {
    return decline(value, label(site.call) + " already has " + recipe_.keyword + "=" + shown(text));
  }
  if (replace_if_ != nullptr && !RE2::PartialMatch(text, *replace_if_)) {
    return decline(value, has + ", which is left as it is");
  }
  offer(site, {{ts_node_start_byte(value), ts_node_end_byte(value), recipe_.value}}, text, in_call);
}

void KeywordRecipe::insert(const Site& site, const CallArguments& arguments) {
  Site noted = site;
  for (const std::string_view type : {"dictionary_splat", "list_splat"}) {
    const TSNode splat = first_of_type(arguments, type);
    if (ts_node_is_null(splat)) continue;
    noted.note = joined(noted.note,
                        "passes " + shown(tree_.text(splat)) + ", which may already hold " + recipe_.keyword);
  }
  offer(noted, insertion(tree_, lines_, arguments, recipe_.keyword + "=" + recipe_.value), {}, true);
}

void KeywordRecipe::offer(const Site& site, std::vector<ByteEdit> bytes, std::string old_value,
                          bool in_call) {
  if (!still_parses(bytes, site, in_call)) {
    return decline(site.call,
                   label(site.call) + " would not parse with " + recipe_.keyword + "=" + recipe_.value);
  }
  CallEdit edit;
  edit.callable = site.callable;
  edit.call = lines_.position(ts_node_start_byte(site.call));
  for (ByteEdit& change : bytes) {
    edit.changes.push_back(
        {path_, lines_.position(change.start), lines_.position(change.end), std::move(change.text)});
  }
  edit.old_value = std::move(old_value);
  edit.note = site.note;
  outcome_.edits.push_back(std::move(edit));
}

// The edited file is parsed again: nothing new may be broken, and the call must now have what it was given.
bool KeywordRecipe::still_parses(const std::vector<ByteEdit>& bytes, const Site& site, bool in_call) const {
  const std::string edited = apply_bytes(tree_.source(), bytes);
  const SyntaxTree after(edited);
  if (!after || after.errors() > errors_) return false;
  if (!in_call) return true;
  // The edit lies behind the callee, so the call begins where it did.
  const auto start = ts_node_start_byte(site.call);
  const auto callee_end = ts_node_end_byte(field(site.call, "function"));
  TSNode node = ts_node_descendant_for_byte_range(after.root(), start, callee_end);
  while (!ts_node_is_null(node) && !(is_type(node, "call") && ts_node_start_byte(node) == start &&
                                     ts_node_end_byte(field(node, "function")) == callee_end)) {
    node = ts_node_parent(node);
  }
  if (ts_node_is_null(node)) return false;
  const CallArguments arguments(node);
  if (const auto value = keyword_value(after, arguments, recipe_.keyword))
    return after.text(*value) == recipe_.value;
  const auto index = positional_index(site.callable, recipe_.keyword);
  const auto value = index ? positional(arguments, *index + site.skip) : std::nullopt;
  return value && after.text(*value) == recipe_.value;
}

// Classes that travel: a person must look where they are called.
void KeywordRecipe::report_references() {
  for (const Reference& reference : names_.references()) {
    if (wrapped_.count(ts_node_start_byte(reference.node)) > 0) continue;
    if (reference.call) {
      const TSNode callee = field(*reference.call, "function");
      const std::string_view name = tree_.text(callee);
      if (name == "isinstance" || name == "issubclass" || name == "getattr" || name == "hasattr" ||
          name == "print" || name == "super" || name == "type") {
        continue;
      }
      const auto resolution = names_.resolve(callee, reference.scope);
      if (!resolution.targets.empty() && resolution.targets.front().name == "functools.partial") continue;
    }
    for (const Target& target : names_.resolve(reference.node, reference.scope).targets) {
      if (!wanted(target.name) || target.partial) continue;
      decline(reference.node, shown(tree_.text(reference.node)) + " " + reference.where + "; give it " +
                                  recipe_.keyword + "=" + recipe_.value + " where it is called");
      break;
    }
  }
}

void KeywordRecipe::decline(TSNode node, const std::string& why) {
  const std::size_t at = ts_node_start_byte(node);
  declined_.emplace_back(at, path_ + ":" + std::to_string(lines_.line_of(at) + 1) + ": " + why);
}

std::string KeywordRecipe::label(TSNode call) const {
  return shown(tree_.text(field(call, "function"))) + "(...)";
}

}  // namespace firstfault
