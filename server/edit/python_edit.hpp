// Edits of Python source: parsed with tree-sitter, never by regular expression; minimal, format-preserving,
// idempotent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "signature/signature.hpp"

namespace firstfault {

// LSP positions: 0-based lines, characters in UTF-16 code units. Lines break at "\n", "\r\n" and lone "\r".
struct Position {
  int line = 0;
  int character = 0;
  bool operator==(const Position&) const = default;
};

struct TextEdit {
  std::string path;  // relative to the workspace
  Position start;
  Position end;
  std::string new_text;
};

// One call that a recipe can change (or would, were it not so already).
struct CallEdit {
  std::string callable;  // the qualified name it resolved to: torch.optim.AdamW
  Position call;         // where the call begins
  std::vector<TextEdit> changes;
  std::string old_value;  // the keyword's text before, "" where it was not given
  std::string note;       // why it is not certain ("passes **kwargs that may already hold eps"), "" if it is
};

struct EditOutcome {
  std::vector<CallEdit> edits;           // in source order; empty: nothing to change
  std::vector<std::string> not_offered;  // "train.py:12: AdamW(...) already has eps=1e-5"
};

// Finds the calls that `recipe` names and makes its edit. Names are resolved through imports (`import
// torch.optim as o`, `from torch.optim import AdamW as A`), simple assignments (`Opt = torch.optim.AdamW`),
// functools.partial, literal getattr, and dictionaries of classes that are called through
// (`OPTIMIZERS[name](...)`). Classes that travel otherwise (keyword arguments, attributes, defaults) are
// reported in not_offered. A call whose keyword already has the wanted value yields no edit. The result of
// each edit is parsed again: an edit that would not parse is not returned. Errors: source that does not parse
// at the call, an unknown recipe.
Result<EditOutcome> apply_recipe(const EditRecipe& recipe, std::string_view path, std::string_view source);

// The source after the edits of one file. Edits must not overlap. For tests and for --apply.
std::string apply_edits(std::string_view source, const std::vector<TextEdit>& edits);

}  // namespace firstfault
