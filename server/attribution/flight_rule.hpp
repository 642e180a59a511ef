// Rule 2 on flight recorder dumps: who issued another call than its peers, who never came, who lags behind,
// whose dump is missing. A function of the log, no state.
#pragma once

#include <optional>

#include "attribution/verdict.hpp"

namespace firstfault {

// None where the log has no dumps, or they show no rank waiting. Not strong: the suspects left no dump, or
// nothing tells the ranks apart.
std::optional<Verdict> flight_rule(const EventLog& log);

}  // namespace firstfault
