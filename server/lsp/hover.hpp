// What a hover says of a line of a log.
#pragma once

#include <string>
#include <vector>

#include "lsp/summary.hpp"

namespace firstfault::lsp {

// The recognised line or record at `line` (from 1): the one with the fewest lines, nullptr if there is none.
const RecognisedLine* recognised_at(const std::vector<RecognisedLine>& lines, std::uint64_t line);

// Title, role, what it is, how it comes about, what to do.
std::string hover_markdown(const RecognisedLine& line);
std::string hover_text(const RecognisedLine& line);

}  // namespace firstfault::lsp
