#include "edit/python_edit.hpp"

#include <doctest/doctest.h>

#include "eps_recipe.hpp"

using namespace firstfault;

namespace {

using Lines = std::vector<std::string>;

EditOutcome outcome_of(const std::string& source, const EditRecipe& recipe = eps_recipe()) {
  const auto outcome = apply_recipe(recipe, "train.py", source);
  REQUIRE(outcome);
  return *outcome;
}

const std::string kImport = "from torch.optim import AdamW\n";

}  // namespace

TEST_CASE("an edit says what it edits, where, and in UTF-16 columns") {
  const auto outcome = outcome_of(kImport + "o = AdamW(größe['🎉'])\n");
  REQUIRE(outcome.edits.size() == 1);
  const CallEdit& edit = outcome.edits[0];
  CHECK(edit.callable == "torch.optim.AdamW");
  CHECK(edit.call == Position{1, 4});
  CHECK(edit.old_value.empty());
  CHECK(edit.note.empty());
  REQUIRE(edit.changes.size() == 1);
  CHECK(edit.changes[0].path == "train.py");
  CHECK(edit.changes[0].start == Position{1, 21});
  CHECK(edit.changes[0].end == Position{1, 21});
  CHECK(edit.changes[0].new_text == ", eps=1e-5");
}

TEST_CASE("an existing value is replaced alone and kept in the edit") {
  const auto outcome = outcome_of(kImport + "o = AdamW(p, eps=1e-8)\n");
  REQUIRE(outcome.edits.size() == 1);
  CHECK(outcome.edits[0].old_value == "1e-8");
  CHECK(outcome.edits[0].changes[0].start == Position{1, 17});
  CHECK(outcome.edits[0].changes[0].end == Position{1, 21});
  CHECK(outcome.edits[0].changes[0].new_text == "1e-5");
}

TEST_CASE("a call that has the value already yields no edit, however the number is written") {
  for (const std::string value : {"1e-5", "1e-05", "0.00001", "1.0E-5", "0.000_01"}) {
    const auto outcome = outcome_of(kImport + "o = AdamW(p, eps=" + value + ")\n");
    CHECK(outcome.edits.empty());
    CHECK(outcome.not_offered == Lines{"train.py:2: AdamW(...) already has eps=" + value});
  }
}

TEST_CASE("a value that the recipe does not mean to replace is left and reported") {
  EditRecipe recipe = eps_recipe();
  recipe.replace_if = "^1e-0?8$";
  CHECK(outcome_of(kImport + "o = AdamW(p, eps=1e-8)\n", recipe).edits.size() == 1);
  for (const std::string value : {"1e-3", "args.eps"}) {
    const auto outcome = outcome_of(kImport + "o = AdamW(p, eps=" + value + ")\n", recipe);
    CHECK(outcome.edits.empty());
    CHECK(outcome.not_offered ==
          Lines{"train.py:2: AdamW(...) has eps=" + value + ", which is left as it is"});
  }
}

TEST_CASE("strings, f-strings, comments and annotations are never touched") {
  const auto outcome =
      outcome_of(kImport +
                 "a = 'AdamW(p)'\nb = f\"{AdamW(p)}\"\n# AdamW(p)\n\"\"\"\nAdamW(p)\n\"\"\"\n"
                 "def f(o: AdamW) -> AdamW: ...\nx: AdamW\n");
  CHECK(outcome.edits.empty());
  CHECK(outcome.not_offered.empty());
}

TEST_CASE("names that only look alike are not edited") {
  for (const std::string source :
       {"o = AdamW(p)\n", "from mylib import AdamW\no = AdamW(p)\n",
        "from .optim import AdamW\no = AdamW(p)\n", "import torch\no = torch.optim.SGD(p)\n",
        "import torch\no = torch.AdamW(p)\n", "class AdamW: ...\no = AdamW(p)\n",
        "from torch.optim import AdamW\ndef f(AdamW):\n    return AdamW(p)\n",
        "from torch.optim import AdamW\no = x.AdamW(p)\n",
        "import torch\no = getattr(torch.optim, name)(p)\n",
        "import torch\no = torch.optim.AdamW.from_config(p)\n"}) {
    CAPTURE(source);
    CHECK(outcome_of(source).edits.empty());
  }
}

TEST_CASE("a star import is reported, not followed") {
  const auto outcome = outcome_of("from torch.optim import *\no = AdamW(p)\n");
  CHECK(outcome.edits.empty());
  CHECK(outcome.not_offered ==
        Lines{"train.py:2: AdamW(...) may come from the star import on line 1; import it by name"});
}

TEST_CASE("a name that may be another optimizer of torch is not edited") {
  const auto outcome =
      outcome_of("from torch.optim import SGD, AdamW\nOpt = AdamW if a else SGD\no = Opt(p)\n");
  CHECK(outcome.edits.empty());
  CHECK(outcome.not_offered ==
        Lines{"train.py:3: Opt(...) may also be torch.optim.SGD, so eps=1e-5 was not put there"});
}

TEST_CASE("a name that may be a class of another package is edited with a note") {
  const auto outcome = outcome_of(
      "try:\n    from apex.optimizers import FusedAdam as Opt\nexcept ImportError:\n"
      "    from torch.optim import AdamW as Opt\no = Opt(p)\n");
  REQUIRE(outcome.edits.size() == 1);
  CHECK(outcome.edits[0].note == "it may also be apex.optimizers.FusedAdam");
}

TEST_CASE("a name that is also assigned something unknown is edited with a note") {
  const auto outcome = outcome_of(kImport + "Opt = AdamW\nif x:\n    Opt = load()\no = Opt(p)\n");
  REQUIRE(outcome.edits.size() == 1);
  CHECK(outcome.edits[0].note == "Opt may also be something else");
}

TEST_CASE("arguments that cannot be seen are noted") {
  CHECK(outcome_of(kImport + "o = AdamW(p, **kw)\n").edits[0].note ==
        "passes **kw, which may already hold eps");
  CHECK(outcome_of(kImport + "o = AdamW(*args)\n").edits[0].note ==
        "passes *args, which may already hold eps");
  CHECK(outcome_of(kImport + "kw = {'eps': 1e-8}\no = AdamW(p, **kw)\n").edits[0].note ==
        "it comes from **kw");
}

TEST_CASE("a mapping that holds the value already yields no edit") {
  const auto outcome = outcome_of(kImport + "kw = {'eps': 1e-5}\no = AdamW(p, **kw)\n");
  CHECK(outcome.edits.empty());
  CHECK(outcome.not_offered == Lines{"train.py:2: AdamW(...) already has eps=1e-5"});
}

TEST_CASE("classes that travel are reported where they start") {
  CHECK(outcome_of(kImport + "class T:\n    def __init__(self):\n        self.opt = AdamW\n").not_offered ==
        Lines{"train.py:4: AdamW is stored in self.opt; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "OPTS = {'adamw': AdamW}\n").not_offered ==
        Lines{"train.py:2: AdamW is a value of a dictionary; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "t = Trainer(optimizer_cls=AdamW)\n").not_offered ==
        Lines{"train.py:2: AdamW is passed as optimizer_cls; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "t = zero(p, AdamW)\n").not_offered ==
        Lines{"train.py:2: AdamW is passed to zero; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "def f(c=AdamW):\n    return c(p)\n").not_offered ==
        Lines{"train.py:2: AdamW is the default of a parameter; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "class Mine(AdamW): ...\n").not_offered ==
        Lines{"train.py:2: AdamW is a base class; give it eps=1e-5 where it is called"});
  CHECK(outcome_of(kImport + "assert isinstance(o, AdamW)\n").not_offered.empty());
}

TEST_CASE("a call that does not parse is an error when nothing else can be edited") {
  const auto outcome = apply_recipe(eps_recipe(), "train.py", kImport + "o = AdamW(p, lr==)\n");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().message == "train.py:2: AdamW(...) does not parse; correct the syntax error first");
}

TEST_CASE("an unknown recipe and a bad pattern are errors that name themselves") {
  EditRecipe recipe = eps_recipe();
  recipe.replace_if = "(";
  CHECK(apply_recipe(recipe, "train.py", "").error().message ==
        "replaceIf \"(\": missing ): (; correct it in the signature");
  recipe.recipe = "python-magic";
  CHECK(apply_recipe(recipe, "train.py", "").error().message ==
        "recipe \"python-magic\" is unknown; use \"python-keyword-argument\"");
}

TEST_CASE("another keyword of another callable") {
  EditRecipe recipe = eps_recipe();
  recipe.callables = {"torch.nn.parallel.DistributedDataParallel"};
  recipe.keyword = "find_unused_parameters";
  recipe.value = "True";
  recipe.replace_if = "^False$";
  const std::string source =
      "from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m, device_ids=[r])\n"
      "n = DDP(n, find_unused_parameters=False)\n";
  CHECK(apply_edits(source, all_changes(outcome_of(source, recipe))) ==
        "from torch.nn.parallel import DistributedDataParallel as DDP\n"
        "m = DDP(m, device_ids=[r], find_unused_parameters=True)\nn = DDP(n, find_unused_parameters=True)\n");
}

TEST_CASE("names that lead in circles and deep nesting end") {
  CHECK(outcome_of("A = B if c else A\nB = A if c else B\no = A(p)\n").edits.empty());
  std::string deep = kImport + "o = ";
  for (int i = 0; i < 3000; ++i) deep += "(";
  CHECK(outcome_of(deep + "AdamW(p)").edits.size() <= 1);
}

TEST_CASE("bytes that are no UTF-8, and no source at all, are fine") {
  CHECK(outcome_of("").edits.empty());
  const std::string source = kImport + "x = '\xff\xfe'; o = AdamW(p)\n";
  CHECK(apply_edits(source, all_changes(outcome_of(source))) ==
        kImport + "x = '\xff\xfe'; o = AdamW(p, eps=1e-5)\n");
}

TEST_CASE("edits of one file are applied together, by position") {
  CHECK(apply_edits("abc\ndef", {{"f", {1, 1}, {1, 2}, "X"}, {"f", {0, 0}, {0, 0}, "_"}}) == "_abc\ndXf");
  CHECK(apply_edits("a\r\nb\rc", {{"f", {1, 0}, {1, 1}, "B"}, {"f", {2, 1}, {2, 1}, "!"}}) == "a\r\nB\rc!");
  CHECK(apply_edits("a🎉b", {{"f", {0, 3}, {0, 3}, "|"}}) == "a🎉|b");
  CHECK(apply_edits("ab", {{"f", {0, 9}, {5, 0}, "!"}}) == "ab!");
}
