// What the readable forms say, in plain unescaped words, so that text, Markdown and HTML say the same thing.
// Pure functions over the diagnosis; each form escapes the result at its own door.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"

namespace firstfault {

// "1 line", "12,208 lines"
std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural);

std::string numbers_text(const std::vector<int>& numbers);  // "0-2, 4-7"
std::string ranks_label(const std::vector<int>& ranks);     // "rank 3", "ranks 0-2, 4-7"

// "path:line" as terminals and editors make it a link; only the path where there is no line, "" where there
// is neither.
std::string place(std::string_view path, std::uint64_t line);

// Who failed first and where: "rank 2 (local rank 2, host a, pid 77)", "the launcher", "no single rank can be
// told".
std::string initiator_text(const std::optional<InitiatorReport>& initiator);

// "93 % (right in 38 of 41 ...)"; "not measured ..." where it is not.
std::string confidence_text(const CauseReport& cause);

// The first thing to do, one sentence.
std::string first_step(const IncidentReport& incident);

// Ranks that failed for the same reason.
struct CollateralGroup {
  std::vector<int> ranks;  // ascending
  std::string why;
  std::string first_place;  // where the first of them says so, "" where none printed anything
  std::size_t places = 0;   // how many ranks printed something
};
std::vector<CollateralGroup> grouped(const std::vector<CollateralReport>& collateral);

// The primary incident first, the others in their order.
std::vector<const IncidentReport*> by_importance(const Diagnosis& diagnosis);

// One line per change: what happens, and the new text marked by its place.
struct ChangeText {
  std::string place;   // "train.py:12"
  std::string action;  // "insert at column 31", "replace columns 35-39 with"
  std::vector<std::string> added;
};
ChangeText change_text(const TextEdit& change);

// "can be applied as it is", "read it before you apply it", "fill in the placeholder first"
std::string applicability_text(std::string_view applicability);

// "No failure found in 1,204 lines of 2 sources."
std::string no_failure_text(const Diagnosis& diagnosis);

// "16 ranks (2 in the input), hosts a, b, torchrun, pytorch 2.6, 2 attempts"; "" where nothing is known.
std::string job_text(const JobReport& job);

// The lines of a quoted text, at most `limit` of them.
std::vector<std::string> quoted_lines(std::string_view text, std::size_t limit);

}  // namespace firstfault
