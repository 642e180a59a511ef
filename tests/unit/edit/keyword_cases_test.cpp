// What the keyword recipe makes of a file: before and after, for every way of writing the call.
#include <doctest/doctest.h>

#include "edit/python_edit.hpp"
#include "eps_recipe.hpp"

using namespace firstfault;

namespace {

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

const Case kResolution[] = {
    {"a module path", "import torch\no = torch.optim.AdamW(p)\n",
     "import torch\no = torch.optim.AdamW(p, eps=1e-5)\n"},
    {"an imported submodule", "import torch.optim\no = torch.optim.Adam(p)\n",
     "import torch.optim\no = torch.optim.Adam(p, eps=1e-5)\n"},
    {"a module alias", "import torch.optim as opt\no = opt.AdamW(p)\n",
     "import torch.optim as opt\no = opt.AdamW(p, eps=1e-5)\n"},
    {"a package alias", "import torch as th\no = th.optim.AdamW(p)\n",
     "import torch as th\no = th.optim.AdamW(p, eps=1e-5)\n"},
    {"a module from its package", "from torch import optim\no = optim.AdamW(p)\n",
     "from torch import optim\no = optim.AdamW(p, eps=1e-5)\n"},
    {"a class by name", "from torch.optim import SGD, AdamW\no = AdamW(p)\n",
     "from torch.optim import SGD, AdamW\no = AdamW(p, eps=1e-5)\n"},
    {"a class alias", "from torch.optim import AdamW as Opt\no = Opt(p)\n",
     "from torch.optim import AdamW as Opt\no = Opt(p, eps=1e-5)\n"},
    {"names in parentheses", "from torch.optim import (\n    SGD,\n    AdamW,  # ours\n)\no = AdamW(p)\n",
     "from torch.optim import (\n    SGD,\n    AdamW,  # ours\n)\no = AdamW(p, eps=1e-5)\n"},
    {"the module that a class lives in", "from torch.optim.adamw import AdamW\no = AdamW(p)\n",
     "from torch.optim.adamw import AdamW\no = AdamW(p, eps=1e-5)\n"},
    {"an assigned class", "import torch\nOpt = torch.optim.AdamW\no = Opt(p)\n",
     "import torch\nOpt = torch.optim.AdamW\no = Opt(p, eps=1e-5)\n"},
    {"a chain of assignments", "from torch.optim import AdamW\nA = AdamW\nB = A\no = B(p)\n",
     "from torch.optim import AdamW\nA = AdamW\nB = A\no = B(p, eps=1e-5)\n"},
    {"paired assignments", "from torch.optim import AdamW\nOpt, lr = AdamW, 1e-3\no = Opt(p, lr)\n",
     "from torch.optim import AdamW\nOpt, lr = AdamW, 1e-3\no = Opt(p, lr, eps=1e-5)\n"},
    {"a conditional of two listed classes",
     "from torch.optim import Adam, AdamW\nOpt = AdamW if w else Adam\no = Opt(p)\n",
     "from torch.optim import Adam, AdamW\nOpt = AdamW if w else Adam\no = Opt(p, eps=1e-5)\n"},
    {"two assignments of listed classes",
     "from torch.optim import Adam, AdamW\nif w:\n    Opt = AdamW\nelse:\n    Opt = Adam\no = Opt(p)\n",
     "from torch.optim import Adam, AdamW\nif w:\n    Opt = AdamW\nelse:\n    Opt = Adam\no = Opt(p, "
     "eps=1e-5)\n"},
    {"a call inside a method",
     "import torch\nclass M:\n    def f(self):\n        return torch.optim.AdamW(self.p)\n",
     "import torch\nclass M:\n    def f(self):\n        return torch.optim.AdamW(self.p, eps=1e-5)\n"},
    {"an import inside a function", "def f(p):\n    from torch.optim import AdamW\n    return AdamW(p)\n",
     "def f(p):\n    from torch.optim import AdamW\n    return AdamW(p, eps=1e-5)\n"},
    {"getattr with a literal", "import torch\no = getattr(torch.optim, \"AdamW\")(p)\n",
     "import torch\no = getattr(torch.optim, \"AdamW\")(p, eps=1e-5)\n"},
    {"a class in parentheses", "from torch.optim import AdamW\no = (AdamW)(p)\n",
     "from torch.optim import AdamW\no = (AdamW)(p, eps=1e-5)\n"},
    {"functools.partial",
     "import functools, torch\nmake = functools.partial(torch.optim.AdamW, lr=1e-3)\no = make(p)\n",
     "import functools, torch\nmake = functools.partial(torch.optim.AdamW, lr=1e-3, eps=1e-5)\no = "
     "make(p)\n"},
    {"partial by name",
     "from functools import partial\nfrom torch.optim import AdamW\nmake = partial(AdamW)\n",
     "from functools import partial\nfrom torch.optim import AdamW\nmake = partial(AdamW, eps=1e-5)\n"},
    {"a partial whose call overrides the keyword",
     "from functools import partial\nfrom torch.optim import AdamW\nmake = partial(AdamW, lr=1)\no = make(p, "
     "eps=1e-8)\n",
     "from functools import partial\nfrom torch.optim import AdamW\nmake = partial(AdamW, lr=1)\no = make(p, "
     "eps=1e-5)\n"},
    {"a class that may be absent",
     "try:\n    from torch.optim import AdamW\nexcept ImportError:\n    AdamW = None\no = AdamW(p)\n",
     "try:\n    from torch.optim import AdamW\nexcept ImportError:\n    AdamW = None\no = AdamW(p, "
     "eps=1e-5)\n"},
    {"a call nested in another", "from torch.optim import AdamW\ns = Sched(AdamW(p), 10)\n",
     "from torch.optim import AdamW\ns = Sched(AdamW(p, eps=1e-5), 10)\n"},
    {"two calls", "from torch.optim import AdamW\na = AdamW(p)\nb = AdamW(q)\n",
     "from torch.optim import AdamW\na = AdamW(p, eps=1e-5)\nb = AdamW(q, eps=1e-5)\n"},
    {"a broken line elsewhere", "from torch.optim import AdamW\no = AdamW(p)\nx = = 3\n",
     "from torch.optim import AdamW\no = AdamW(p, eps=1e-5)\nx = = 3\n"},
    {"a comprehension over models",
     "from torch.optim import AdamW\no = [AdamW(m.parameters()) for m in ms]\n",
     "from torch.optim import AdamW\no = [AdamW(m.parameters(), eps=1e-5) for m in ms]\n"},
};

const Case kLayout[] = {
    {"no argument", "AdamW()", "AdamW(eps=1e-5)"},
    {"no argument but a comment", "AdamW(\n    # later\n)", "AdamW(eps=1e-5\n    # later\n)"},
    {"a trailing comma on one line", "AdamW(p, lr=1e-3,)", "AdamW(p, lr=1e-3, eps=1e-5,)"},
    {"blanks before the parenthesis", "AdamW( p, lr=1e-3 )", "AdamW( p, lr=1e-3, eps=1e-5 )"},
    {"one argument per line with a trailing comma", "AdamW(\n    p,\n    lr=1e-3,\n)",
     "AdamW(\n    p,\n    lr=1e-3,\n    eps=1e-5,\n)"},
    {"one argument per line without one", "AdamW(\n    p,\n    lr=1e-3\n)",
     "AdamW(\n    p,\n    lr=1e-3,\n    eps=1e-5\n)"},
    {"a closing parenthesis on the last line", "AdamW(\n    p,\n    lr=1e-3)",
     "AdamW(\n    p,\n    lr=1e-3,\n    eps=1e-5)"},
    {"arguments below the parenthesis", "AdamW(p,\n      lr=1e-3)",
     "AdamW(p,\n      lr=1e-3,\n      eps=1e-5)"},
    {"several arguments on each line", "AdamW(p, lr=1e-3,\n      weight_decay=0.1)",
     "AdamW(p, lr=1e-3,\n      weight_decay=0.1, eps=1e-5)"},
    {"all arguments on a line of their own", "AdamW(\n    p, lr=1e-3\n)",
     "AdamW(\n    p, lr=1e-3, eps=1e-5\n)"},
    {"tabs", "AdamW(\n\t\tp,\n\t\tlr=1e-3,\n\t)", "AdamW(\n\t\tp,\n\t\tlr=1e-3,\n\t\teps=1e-5,\n\t)"},
    {"a comment behind the trailing comma", "AdamW(\n    p,\n    lr=1e-3,  # tuned\n)",
     "AdamW(\n    p,\n    lr=1e-3,  # tuned\n    eps=1e-5,\n)"},
    {"a comment behind the last argument", "AdamW(\n    p,\n    lr=1e-3  # tuned\n)",
     "AdamW(\n    p,\n    lr=1e-3,  # tuned\n    eps=1e-5\n)"},
    {"a comment behind the last of several on a line", "AdamW(\n    p, lr=1e-3  # tuned, twice\n)",
     "AdamW(\n    p, lr=1e-3, eps=1e-5  # tuned, twice\n)"},
    {"a comment line after the arguments", "AdamW(\n    p,\n    lr=1e-3,\n    # weight_decay=0.1,\n)",
     "AdamW(\n    p,\n    lr=1e-3,\n    eps=1e-5,\n    # weight_decay=0.1,\n)"},
    {"a comma on a line of its own", "AdamW(\n    p\n    ,\n)", "AdamW(\n    p\n    , eps=1e-5,\n)"},
    {"parameter groups over lines", "AdamW([\n    {'params': p},\n], lr=1e-3)",
     "AdamW([\n    {'params': p},\n], lr=1e-3, eps=1e-5)"},
    {"a bare generator", "AdamW(x for x in p if x.requires_grad)",
     "AdamW((x for x in p if x.requires_grad), eps=1e-5)"},
    {"a generator in parentheses", "AdamW((x for x in p), lr=1e-3)",
     "AdamW((x for x in p), lr=1e-3, eps=1e-5)"},
    {"a lambda as the last argument", "AdamW(p, lr=(lambda: 1)())", "AdamW(p, lr=(lambda: 1)(), eps=1e-5)"},
    {"a mapping at the end", "AdamW(p, **kw)", "AdamW(p, eps=1e-5, **kw)"},
    {"a mapping alone", "AdamW(**kw)", "AdamW(eps=1e-5, **kw)"},
    {"a mapping on a line of its own", "AdamW(\n    p,\n    **kw,\n)",
     "AdamW(\n    p,\n    eps=1e-5,\n    **kw,\n)"},
    {"a starred argument", "AdamW(*args)", "AdamW(*args, eps=1e-5)"},
    {"text that is not ASCII", "AdamW(größe['🎉'], lr=1e-3)", "AdamW(größe['🎉'], lr=1e-3, eps=1e-5)"},
    {"an existing value", "AdamW(p, eps=1e-8, lr=1e-3)", "AdamW(p, eps=1e-5, lr=1e-3)"},
    {"an existing value with blanks", "AdamW(p, eps = 1e-08)", "AdamW(p, eps = 1e-5)"},
    {"an existing value before a mapping", "AdamW(p, eps=1e-8, **kw)", "AdamW(p, eps=1e-5, **kw)"},
    {"an existing value that is None", "AdamW(p, eps=None)", "AdamW(p, eps=1e-5)"},
    {"an existing value over lines with a comment", "AdamW(\n    p,\n    eps=1e-8,  # default\n)",
     "AdamW(\n    p,\n    eps=1e-5,  # default\n)"},
    {"a positional value", "AdamW(p, 1e-3, (0.9, 0.999), 1e-8)", "AdamW(p, 1e-3, (0.9, 0.999), 1e-5)"},
    {"a positional value with more behind it", "AdamW(p, 1e-3, (0.9, 0.999), 1e-8, 0.1)",
     "AdamW(p, 1e-3, (0.9, 0.999), 1e-5, 0.1)"},
    {"a mapping spelled out at the call", "AdamW(p, **{'lr': 1, 'eps': 1e-8})",
     "AdamW(p, **{'lr': 1, 'eps': 1e-5})"},
    {"CRLF, one argument per line", "AdamW(\r\n    p,\r\n    lr=1e-3,\r\n)",
     "AdamW(\r\n    p,\r\n    lr=1e-3,\r\n    eps=1e-5,\r\n)"},
    {"CRLF with a comment", "AdamW(\r\n    p,\r\n    lr=1e-3  # c\r\n)",
     "AdamW(\r\n    p,\r\n    lr=1e-3,  # c\r\n    eps=1e-5\r\n)"},
    {"CRLF and a mapping", "AdamW(\r\n    p,\r\n    **kw\r\n)",
     "AdamW(\r\n    p,\r\n    eps=1e-5,\r\n    **kw\r\n)"},
};

const Case kMappings[] = {
    {"a dictionary in the file",
     "from torch.optim import AdamW\nkw = {\"lr\": 1, \"eps\": 1e-8}\no = AdamW(p, **kw)\n",
     "from torch.optim import AdamW\nkw = {\"lr\": 1, \"eps\": 1e-5}\no = AdamW(p, **kw)\n"},
    {"dict() in the file", "from torch.optim import AdamW\nkw = dict(lr=1, eps=1e-8)\no = AdamW(p, **kw)\n",
     "from torch.optim import AdamW\nkw = dict(lr=1, eps=1e-5)\no = AdamW(p, **kw)\n"},
    {"an element set later", "from torch.optim import AdamW\nkw = {}\nkw['eps'] = 1e-8\no = AdamW(p, **kw)\n",
     "from torch.optim import AdamW\nkw = {}\nkw['eps'] = 1e-5\no = AdamW(p, **kw)\n"},
    {"a dictionary shared by two calls",
     "from torch.optim import AdamW\nkw = {'eps': 1e-8}\na = AdamW(p, **kw)\nb = AdamW(q, **kw)\n",
     "from torch.optim import AdamW\nkw = {'eps': 1e-5}\na = AdamW(p, **kw)\nb = AdamW(q, **kw)\n"},
    {"a dictionary without the key", "from torch.optim import AdamW\nkw = {'lr': 1}\no = AdamW(p, **kw)\n",
     "from torch.optim import AdamW\nkw = {'lr': 1}\no = AdamW(p, eps=1e-5, **kw)\n"},
    {"a dictionary of the same name in another function",
     "from torch.optim import AdamW\ndef f():\n    kw = {'eps': 1e-8}\ndef g(kw):\n    return AdamW(p, "
     "**kw)\n",
     "from torch.optim import AdamW\ndef f():\n    kw = {'eps': 1e-8}\ndef g(kw):\n    return AdamW(p, "
     "eps=1e-5, **kw)\n"},
};

const Case kTables[] = {
    {"a dictionary of listed classes only",
     "from torch.optim import Adam, AdamW\nO = {'a': Adam, 'w': AdamW}\no = O[name](p)\n",
     "from torch.optim import Adam, AdamW\nO = {'a': Adam, 'w': AdamW}\no = O[name](p, eps=1e-5)\n"},
    {"a dictionary that holds other classes, too",
     "\"\"\"Doc.\"\"\"\nimport torch\nO = {'a': torch.optim.Adam, 's': torch.optim.SGD}\no = O[name](p, "
     "lr=1)\n",
     "\"\"\"Doc.\"\"\"\nimport functools\nimport torch\nO = {'a': functools.partial(torch.optim.Adam, "
     "eps=1e-5), "
     "'s': torch.optim.SGD}\no = O[name](p, lr=1)\n"},
    {"a dictionary where partial is imported",
     "from functools import partial\nfrom torch.optim import SGD, AdamW\nO = {'a': AdamW, 's': SGD}\no = "
     "O.get(n)(p)\n",
     "from functools import partial\nfrom torch.optim import SGD, AdamW\n"
     "O = {'a': partial(AdamW, eps=1e-5), 's': SGD}\no = O.get(n)(p)\n"},
    {"a dictionary whose call passes the keyword",
     "from torch.optim import SGD, AdamW\nO = {'a': AdamW, 's': SGD}\no = O[n](p, eps=1e-8)\n",
     "from torch.optim import SGD, AdamW\nO = {'a': AdamW, 's': SGD}\no = O[n](p, eps=1e-5)\n"},
    {"a dictionary of classes under __future__ and CRLF",
     "from __future__ import annotations\r\nfrom torch.optim import SGD, AdamW\r\nO = {'a': AdamW, 's': "
     "SGD}\r\n"
     "o = O[n](p)\r\n",
     "from __future__ import annotations\r\nimport functools\r\nfrom torch.optim import SGD, AdamW\r\n"
     "O = {'a': functools.partial(AdamW, eps=1e-5), 's': SGD}\r\no = O[n](p)\r\n"},
};

void check(const Case& example, const std::string& before, const std::string& after) {
  CAPTURE(example.name);
  const auto outcome = apply_recipe(eps_recipe(), "train.py", before);
  REQUIRE(outcome);
  CHECK(apply_edits(before, all_changes(*outcome)) == after);
  // Idempotent: what was edited is not edited again.
  const auto again = apply_recipe(eps_recipe(), "train.py", after);
  REQUIRE(again);
  CHECK(again->edits.empty());
}

}  // namespace

TEST_CASE("calls are found through every way of naming the callable") {
  for (const Case& example : kResolution) check(example, example.before, example.after);
}

TEST_CASE("the keyword is written in the layout of the call") {
  const std::string head = "from torch.optim import AdamW\nif True:\n  o = ";
  for (const Case& example : kLayout)
    check(example, head + example.before + "\n", head + example.after + "\n");
  for (const Case& example : kLayout) check(example, head + example.before, head + example.after);
}

TEST_CASE("values in mappings are replaced where they are spelled out") {
  for (const Case& example : kMappings) check(example, example.before, example.after);
}

TEST_CASE("classes in a dictionary get the keyword where every class or only they can take it") {
  for (const Case& example : kTables) check(example, example.before, example.after);
}
