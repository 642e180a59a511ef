// The attribution rules other than logical clocks, each a question to one attempt's findings.
#pragma once

#include <optional>
#include <vector>

#include "attribution/verdict.hpp"

namespace firstfault {

// Rule 1: a physical or system event that maps to a rank, a host or the outside.
std::optional<Verdict> physical_rule(const Findings& findings, const RankIndex& index);
// Rule 3: the first own exception that no progress followed. `generic`: also exceptions that no signature
// knows.
std::optional<Verdict> exception_rule(const Findings& findings, const RankIndex& index, bool generic);
// Rule 4: a process killed by a signal that its launcher did not send.
std::optional<Verdict> kill_rule(const Findings& findings, const RankIndex& index);
// What is left: an abort, a signal to one rank, an exit code without a word.
std::optional<Verdict> exit_rule(const Findings& findings, const RankIndex& index);
// Roles "either", and consequences where the whole input has nothing else.
// `tier`: only findings of that tier.
std::optional<Verdict> fallback_rule(const Findings& findings, const RankIndex& index,
                                     std::optional<Tier> tier = std::nullopt);

// The strongest failure line of that rank's own, nullptr if it has none.
const Finding* own_finding(const Findings& findings, int rank);

// How much a finding says about the cause: role, tier and specificity in one number, higher is better.
int weight(const Finding& finding);

}  // namespace firstfault
