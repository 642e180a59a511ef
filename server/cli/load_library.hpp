// The signatures that a run works with.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "signature/library.hpp"

namespace firstfault {

// `folder`: --signatures DIR, or "" for the signatures embedded in the binary.
Result<std::shared_ptr<const Library>> load_library(const std::string& folder);

}  // namespace firstfault
