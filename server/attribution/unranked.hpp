// Finds the ranks of a failure line that names none: what else in the input can only be about the same
// process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attribution/findings.hpp"
#include "attribution/verdict.hpp"

namespace firstfault {

struct RankGuess {
  std::vector<int> ranks;
  std::string pattern;  // appended to the verdict's: "same-cause", "by-exit", "whole-host"
  std::string why;
  std::optional<Evidence> evidence;
};

// `equal`: all findings of that fault, none of which names a rank. Tried in order: another line of the same
// cause with a rank; a fault printed once for every rank of its host; the only process that ended by itself.
// None: it cannot be told.
std::optional<RankGuess> guess_ranks(const std::vector<const Finding*>& equal, const Findings& findings,
                                     const RankIndex& index);

}  // namespace firstfault
