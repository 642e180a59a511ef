#include "attribution/verdict.hpp"

namespace firstfault {

Evidence evidence_of(const Finding& finding, std::string why) {
  Evidence evidence;
  evidence.source = finding.source;
  evidence.line = finding.line;
  evidence.end_line = finding.end_line;
  evidence.text = finding.text;
  evidence.role = finding.signature->role;
  if (finding.ranks.size() == 1) evidence.rank = finding.ranks.front();
  evidence.why = std::move(why);
  return evidence;
}

Evidence evidence_of(const ProcessExit& exit, std::string why) {
  Evidence evidence;
  evidence.source = exit.source;
  evidence.line = exit.line;
  evidence.end_line = exit.line;
  evidence.role = Role::kContext;
  evidence.rank = exit.rank;
  evidence.text = "rank " + (exit.rank ? std::to_string(*exit.rank) : std::string("?"));
  if (exit.signal) evidence.text += " ended by signal " + std::to_string(*exit.signal);
  if (exit.exit_code) evidence.text += " ended with exit code " + std::to_string(*exit.exit_code);
  if (exit.pid && *exit.pid > 0) evidence.text += " (pid " + std::to_string(*exit.pid) + ")";
  evidence.why = std::move(why);
  return evidence;
}

std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
  std::string text = "ranks ";
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (first != 0) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(ranks[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace firstfault
