// One signature file as JSON to a Signature: every rule of signatures/schema.json, and the rules of one file
// that a schema cannot say. Whether RE2 takes the expressions is check_regexes.hpp's question. Rules between
// files (unique ids, needs, taxonomy) are library.cpp's.
#pragma once

#include <string_view>
#include <vector>

#include "signature/json_field.hpp"
#include "signature/signature.hpp"

namespace firstfault {

// `tier` and `owner` of the result are defaulted by role; the owner's default by layer needs the taxonomy and
// is left "".
Signature read_signature(const nlohmann::json& json, std::string_view base_name,
                         std::vector<Problem>* problems);

}  // namespace firstfault
