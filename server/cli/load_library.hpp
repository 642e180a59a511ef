// The signatures that a run works with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "signature/library.hpp"

namespace firstfault {

// The files of `folder` (--signatures DIR), or of "" those embedded in the binary. A folder without a
// taxonomy.json gets the embedded one.
Result<std::vector<SignatureFile>> signature_files(const std::string& folder);

// `folder`: --signatures DIR, or "" for the signatures embedded in the binary.
Result<std::shared_ptr<const Library>> load_library(const std::string& folder);

// What messages call the folder.
std::string shown_folder(const std::string& folder);

}  // namespace firstfault
