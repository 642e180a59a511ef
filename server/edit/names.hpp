// Which names of a Python file stand for which qualified names: imports, simple assignments, partials.
// Private to the module. Flow-insensitive: a name stands for everything that its scope ever binds to it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edit/syntax.hpp"

namespace firstfault {

// What a name was bound to at one place.
struct Binding {
  std::string qualified;  // by an import; "" otherwise
  std::optional<TSNode>
      value;  // by an assignment; neither: not known (a parameter, a loop variable, a class)
};

struct Call {
  TSNode node;
  int scope = 0;
};

// An expression used as a value, not called: it may be a class on its way to somewhere else.
struct Reference {
  TSNode node;
  int scope = 0;
  std::string where;           // "is stored in self.opt"
  std::optional<TSNode> call;  // the call that it is a positional argument of
};

struct StarImport {
  std::string module;
  std::size_t line = 0;  // 1-based
};

// An assignment to an element: kwargs["eps"] = 1e-8.
struct ElementBinding {
  std::string name;
  std::string key;
  TSNode value;
  int scope = 0;
};

struct Target {
  std::string name;               // canonical qualified name
  std::optional<TSNode> partial;  // the functools.partial(...) call that it went through
};

struct Resolution {
  std::vector<Target> targets;
  bool unknown = false;  // it may be something else, too
};

// "torch.optim.adamw.AdamW" is where torch.optim.AdamW lives: a lower-case module of the class's own name is
// left out.
std::string canonical(std::string_view qualified);

// Everything found in one walk over the tree.
class Names {
 public:
  explicit Names(const SyntaxTree& tree);

  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Reference>& references() const { return references_; }
  const std::vector<StarImport>& star_imports() const { return star_imports_; }
  const std::vector<ElementBinding>& elements() const { return elements_; }

  Resolution resolve(TSNode expression, int scope) const;
  // What `name` is bound to where it is visible in `scope`; nullptr: nothing. `home` becomes the scope that
  // binds it.
  const std::vector<Binding>* find(std::string_view name, int scope, int* home) const;

 private:
  friend class NameWalker;
  struct Scope {
    int parent = -1;
    bool is_class = false;
    std::map<std::string, std::vector<Binding>, std::less<>> bindings;
  };

  void resolve_into(TSNode expression, int scope, int depth, Resolution* result) const;
  void resolve_name(std::string_view name, int scope, int depth, Resolution* result) const;
  void resolve_call(TSNode call, int scope, int depth, Resolution* result) const;

  const SyntaxTree& tree_;
  mutable int budget_ = 0;  // expressions that one question may still look at: names may lead in circles
  std::vector<Scope> scopes_;
  std::vector<Call> calls_;
  std::vector<Reference> references_;
  std::vector<StarImport> star_imports_;
  std::vector<ElementBinding> elements_;
};

}  // namespace firstfault
