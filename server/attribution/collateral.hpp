// What became of the ranks that did not begin the failure.
#pragma once

#include <vector>

#include "attribution/clocks.hpp"
#include "attribution/verdict.hpp"

namespace firstfault {

// Every other rank that the input knows of, with the edge that makes it collateral. Where nobody is known to
// have begun it, only ranks whose own lines show them waiting.
std::vector<Collateral> collateral_of(const EventLog& log, const RankIndex& index, const Findings& findings,
                                      const Clocks& clocks, const Verdict& verdict);

// The innermost frame of a traceback that is no library's, nullptr if it has none.
const Frame* user_frame(const Record& record);

}  // namespace firstfault
