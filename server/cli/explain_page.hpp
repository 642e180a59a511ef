// A signature as a page to read, without any log: captures of its texts show as <name>. Pure, safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "signature/library.hpp"

namespace firstfault {

std::string explain_page(const Signature& signature, const Library& library, bool color);

// A text of a signature file with its captures as placeholders: "rank {rank}" -> "rank <rank>", "{{" -> "{".
std::string without_captures(std::string_view text);

}  // namespace firstfault
