#include "edit/python_edit.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "edit/keyword_recipe.hpp"

namespace firstfault {
namespace {

Result<std::unique_ptr<RE2>> compiled(const std::string& pattern) {
  if (pattern.empty()) return std::unique_ptr<RE2>();
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  auto expression = std::make_unique<RE2>(pattern, options);
  if (!expression->ok()) {
    return Error{"replaceIf \"" + pattern + "\": " + expression->error() + "; correct it in the signature"};
  }
  return expression;
}

}  // namespace

Result<EditOutcome> apply_recipe(const EditRecipe& recipe, std::string_view path, std::string_view source) {
  const std::string file(path);
  if (recipe.recipe != "python-keyword-argument") {
    return Error{"recipe \"" + recipe.recipe + "\" is unknown; use \"python-keyword-argument\""};
  }
  if (source.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
    return Error{file + ": too large to parse as Python; edit it by hand"};
  }
  const auto replace_if = compiled(recipe.replace_if);
  if (!replace_if) return replace_if.error();
  const SyntaxTree tree(source);
  if (!tree) return Error{file + ": could not be parsed as Python; edit it by hand"};
  KeywordRecipe run(recipe, path, tree, replace_if->get());
  EditOutcome outcome = run.run();
  if (outcome.edits.empty() && !run.broken().empty()) return Error{run.broken()};
  return outcome;
}

std::string apply_edits(std::string_view source, const std::vector<TextEdit>& edits) {
  const LineIndex lines(source);
  std::vector<ByteEdit> bytes;
  for (const TextEdit& edit : edits) {
    bytes.push_back({lines.offset(edit.start), lines.offset(edit.end), edit.new_text});
  }
  return apply_bytes(source, std::move(bytes));
}

}  // namespace firstfault
