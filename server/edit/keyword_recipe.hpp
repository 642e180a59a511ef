// The recipe "python-keyword-argument" on one file. Private to the module.
#pragma once

#include <re2/re2.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/arguments.hpp"
#include "edit/names.hpp"
#include "edit/python_edit.hpp"

namespace firstfault {

// Gives the calls of one file their keyword. The tree must outlive it. Single-threaded, for one run().
class KeywordRecipe {
 public:
  // `replace_if` is compiled already: nullptr where any other value is replaced.
  KeywordRecipe(const EditRecipe& recipe, std::string_view path, const SyntaxTree& tree,
                const RE2* replace_if);

  EditOutcome run();
  // A call that the recipe names but that does not parse: "train.py:12: ...", "" if there is none.
  const std::string& broken() const { return broken_; }

 private:
  struct Site {
    TSNode call;
    int scope = 0;
    std::string callable;
    std::string note;
    std::size_t skip =
        0;  // positional arguments before the callable's own: 1 in functools.partial(AdamW, ...)
  };

  void note_partials_with_keyword();
  void handle(const Call& call);
  void handle_site(const Site& site);
  void handle_resolved(const Call& call, TSNode callee, bool is_partial);
  void handle_star_import(const Call& call);
  bool handle_table(const Call& call);
  void wrap_in_table(const Site& site, TSNode table, const std::vector<TSNode>& classes);
  bool replace_in_mappings(const Site& site, const CallArguments& arguments);
  std::vector<TSNode> values_in(TSNode mapping, int scope, int depth) const;
  void collect_values(TSNode mapping, int scope, int depth, std::vector<TSNode>* values) const;
  void replace(const Site& site, TSNode value, bool in_call);
  void insert(const Site& site, const CallArguments& arguments);
  void offer(const Site& site, std::vector<ByteEdit> bytes, std::string old_value, bool in_call);
  bool still_parses(const std::vector<ByteEdit>& bytes, const Site& site, bool in_call) const;
  void report_references();
  bool wanted(const std::string& name) const { return callables_.count(name) > 0; }
  void decline(TSNode node, const std::string& why);
  std::string label(TSNode call) const;

  const EditRecipe& recipe_;
  std::string path_;
  const SyntaxTree& tree_;
  const RE2* replace_if_;
  LineIndex lines_;
  Names names_;
  std::set<std::string> callables_;
  std::size_t errors_ = 0;
  std::set<std::size_t> partials_with_keyword_;  // by first byte
  std::set<std::size_t> edited_values_;          // by first byte: two calls may share a dictionary
  std::set<std::size_t> wrapped_;                // by first byte: classes and dictionaries of handle_table
  std::vector<std::pair<std::size_t, std::string>> declined_;
  std::string broken_;
  EditOutcome outcome_;
};

}  // namespace firstfault
