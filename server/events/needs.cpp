#include "events/needs.hpp"

#include <algorithm>

namespace firstfault {

std::set<int> seen_signatures(const std::vector<Event>& events) {
  std::set<int> seen;
  for (const Event& event : events) seen.insert(event.signature);
  return seen;
}

bool needs_hold(const Needs& needs, const Library& library, const std::set<int>& seen) {
  const auto has = [&](const std::string& id) { return seen.count(library.index_of(id)) != 0; };
  return std::all_of(needs.all.begin(), needs.all.end(), has) &&
         (needs.any.empty() || std::any_of(needs.any.begin(), needs.any.end(), has)) &&
         std::none_of(needs.none.begin(), needs.none.end(), has);
}

void drop_unmet_needs(const Library& library, std::vector<Event>* events) {
  const auto& signatures = library.signatures();
  const auto needs_of = [&](int signature) -> const Needs& {
    return signatures[static_cast<std::size_t>(signature)].match.needs;
  };
  std::set<int> conditional;
  std::set<int> present;
  for (const int signature : seen_signatures(*events)) {
    (needs_of(signature).empty() ? present : conditional).insert(signature);
  }
  // Grow first, then check again: a later arrival may be what an earlier one must not stand beside.
  for (bool changed = true; changed;) {
    changed = false;
    for (const int signature : conditional) {
      if (present.count(signature) == 0 && needs_hold(needs_of(signature), library, present)) {
        present.insert(signature);
        changed = true;
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const int signature : conditional) {
      if (present.count(signature) != 0 && !needs_hold(needs_of(signature), library, present)) {
        present.erase(signature);
        changed = true;
      }
    }
  }
  std::erase_if(*events, [&](const Event& event) { return present.count(event.signature) == 0; });
}

}  // namespace firstfault
