// The worked example's recipe, for the tests of edits.
#pragma once

#include <vector>

#include "edit/python_edit.hpp"

namespace firstfault {

inline EditRecipe eps_recipe() {
  EditRecipe recipe;
  recipe.recipe = "python-keyword-argument";
  recipe.title = "Set eps=1e-5";
  recipe.applicability = "review";
  recipe.callables = {"torch.optim.Adam", "torch.optim.AdamW"};
  recipe.keyword = "eps";
  recipe.value = "1e-5";
  return recipe;
}

inline std::vector<TextEdit> all_changes(const EditOutcome& outcome) {
  std::vector<TextEdit> changes;
  for (const CallEdit& edit : outcome.edits)
    changes.insert(changes.end(), edit.changes.begin(), edit.changes.end());
  return changes;
}

}  // namespace firstfault
