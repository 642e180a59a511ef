// Whether RE2 takes the expressions of a signature, compiled as the engine compiles them (Latin-1).
#pragma once

#include <string>
#include <vector>

#include "signature/json_field.hpp"
#include "signature/signature.hpp"

namespace firstfault {

void check_regexes(const Signature& signature, std::vector<Problem>* problems);

// Pointers of the patterns that hold no literal of four bytes that every match must contain. RE2 cannot skip
// lines quickly on such a pattern, so each costs every line of every log. A lint, no error.
std::vector<std::string> patterns_without_literal(const Signature& signature);

}  // namespace firstfault
