// Conditions between events of one input.
#pragma once

#include <set>
#include <vector>

#include "events/event.hpp"
#include "signature/library.hpp"

namespace firstfault {

// Whether `needs` holds where the signatures with these indices were seen.
bool needs_hold(const Needs& needs, const Library& library, const std::set<int>& seen);

// The signatures seen in a list of events.
std::set<int> seen_signatures(const std::vector<Event>& events);

// Removes the events whose signature needs others that the input does not hold (or must not hold and does).
// Conditions may rest on other conditional events; they are judged until nothing changes.
void drop_unmet_needs(const Library& library, std::vector<Event>* events);

}  // namespace firstfault
