// The edits that a signature's recipes make in the workspace.
#pragma once

#include <set>
#include <vector>

#include "diagnosis/diagnose.hpp"

namespace firstfault {

// Recipes whose conditions do not hold are not offered, and say so in fix->edits_not_offered.
void offer_edits(const Signature& signature, const Library& library, const std::set<int>& seen,
                 const std::vector<WorkspaceFile>& workspace, FixReport* fix);

}  // namespace firstfault
