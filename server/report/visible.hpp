// Log text made of visible characters only: the step that every readable form takes before its own escaping.
// Pure functions; they never fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace firstfault {

enum class Lines { kJoin, kKeep };  // line breaks become a space, or stay

// Valid UTF-8 without control characters: bad bytes become U+FFFD, a tab becomes spaces, other control
// characters are spelled out ("\x1b"), and so are characters that reorder or hide text ("<U+202E>").
std::string visible(std::string_view text, Lines lines = Lines::kJoin);
// JSON text with the same characters as \uXXXX: the same values, but nothing that a terminal would act on.
// Line breaks stay.
std::string visible_json(std::string_view json);

// Columns that valid UTF-8 takes on a terminal: wide East Asian characters and emoji take two, combining
// marks none.
std::size_t display_width(std::string_view text);

// At most `columns` columns of it, ending in "…" where something was cut.
std::string clipped(std::string_view text, std::size_t columns);

}  // namespace firstfault
