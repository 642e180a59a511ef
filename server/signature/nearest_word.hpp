// "Did you mean": for keys, values, ids and options. Pure, safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace firstfault {

// The candidate that `word` was probably meant to be, "" if none is near.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace firstfault
