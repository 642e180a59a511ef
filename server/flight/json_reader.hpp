// Reads a JSON text into plain values, within the bounds of ValueTree. Stateless, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "flight/value_tree.hpp"

namespace firstfault {

// `name` is the file's, for messages.
Result<ValueTree> read_json(std::string_view text, const std::string& name);

}  // namespace firstfault
