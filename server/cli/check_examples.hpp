// Runs signatures against their own examples. Safe to call from several threads, each with its own output.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzer.hpp"

namespace firstfault {

// An example that failed: where it stands in its file, and why.
struct ExampleProblem {
  std::string pointer;  // "/examples/positive/0"
  std::string message;
};

struct ExampleReport {
  int passed = 0;
  std::vector<ExampleProblem> problems;
};

// A positive example must be recognized as its own signature, and no other signature (facts aside) may
// explain that line as well or better; a negative one must not be recognized as it.
ExampleReport check_examples(const Analyzer& analyzer, const Signature& signature);

}  // namespace firstfault
