// Members of a process group that issued different calls under one collective sequence number: the odd ones
// against the majority, nobody where there is none. A function of its argument.
#pragma once

#include <optional>
#include <vector>

#include "attribution/flight_groups.hpp"
#include "attribution/verdict.hpp"

namespace firstfault {

std::optional<Verdict> flight_mismatch(const std::vector<FlightGroupView>& groups);

}  // namespace firstfault
