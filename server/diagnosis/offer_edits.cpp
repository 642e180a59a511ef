#include "diagnosis/offer_edits.hpp"

#include "events/needs.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxNotOffered = 12;

bool is_python(const std::string& path) {
  return path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0;
}

void decline(std::string why, FixReport* fix) {
  if (fix->edits_not_offered.size() < kMaxNotOffered) fix->edits_not_offered.push_back(std::move(why));
}

void offer(const EditRecipe& recipe, const WorkspaceFile& file, bool* preferred, FixReport* fix) {
  const auto outcome = apply_recipe(recipe, file.path, file.text);
  if (!outcome) {
    decline(outcome.error().message, fix);
    return;
  }
  for (const auto& why : outcome->not_offered) decline(why, fix);
  for (const CallEdit& call : outcome->edits) {
    EditReport edit;
    edit.title = recipe.title + " (" + file.path + ":" + std::to_string(call.call.line + 1) + ")";
    edit.applicability = call.note.empty() ? recipe.applicability : "review";
    if (!call.note.empty()) edit.title += " — " + call.note;
    edit.preferred = recipe.preferred && !*preferred;
    *preferred = *preferred || edit.preferred;
    edit.changes = call.changes;
    fix->edits.push_back(std::move(edit));
  }
}

}  // namespace

void offer_edits(const Signature& signature, const Library& library, const std::set<int>& seen,
                 const std::vector<WorkspaceFile>& workspace, FixReport* fix) {
  bool preferred = false;
  for (const EditRecipe& recipe : signature.edits) {
    if (workspace.empty()) break;
    if (!needs_hold(recipe.needs, library, seen)) {
      decline(recipe.title + ": the log or the source contradicts it", fix);
      continue;
    }
    for (const WorkspaceFile& file : workspace) {
      if (is_python(file.path)) offer(recipe, file, &preferred, fix);
    }
  }
}

}  // namespace firstfault
