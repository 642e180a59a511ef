// One signature file as JSON to a Signature: every rule of signatures/schema.json, and the rules of one file
// that a schema cannot say. Rules between files (unique ids, needs, taxonomy) are library.cpp's.
#pragma once

#include <string_view>
#include <vector>

#include "signature/json_field.hpp"
#include "signature/signature.hpp"

namespace firstfault {

enum class RegexCheck {
  kParse,    // syntax only: quick, for signatures that were fully checked when the program was built
  kCompile,  // also that RE2 takes it
};

// `tier` and `owner` of the result are defaulted by role; the owner's default by layer needs the taxonomy and
// is left "".
Signature read_signature(const nlohmann::json& json, std::string_view base_name, RegexCheck regexes,
                         std::vector<Problem>* problems);

}  // namespace firstfault
