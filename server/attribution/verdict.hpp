// What a rule concludes: who began it, by which evidence. Pure values.
#pragma once

#include <string>
#include <vector>

#include "attribution/findings.hpp"

namespace firstfault {

struct Verdict {
  std::string pattern;  // evidence pattern, the key of the measured frequency: "own-exception",
                        // "clock/minority-shape"
  std::string
      conclusion;  // derived signature to explain it where the initiator has no failure line of its own
  const Finding* finding = nullptr;  // the initiator's own failure line, if there is one
  Initiator initiator;
  std::vector<Evidence> evidence;  // strongest first
  Captures bindings;
  std::vector<Collateral> collateral;  // edges that the rule itself saw
  bool strong = true;                  // false: an absence or an order in time
};

Evidence evidence_of(const Finding& finding, std::string why);
Evidence evidence_of(const ProcessExit& exit, std::string why);

// "rank 3", "ranks 0-2, 5"
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace firstfault
