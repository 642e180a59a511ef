// Reads the source and config files of a workspace.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzer.hpp"
#include "diagnosis/diagnose.hpp"

namespace firstfault {

// Python, JSON, YAML, TOML and shell files below the folder, in a stable order; hidden folders, virtual
// environments and large files are left out, and so is everything past kMaxWorkspaceFiles. Open editor
// documents replace those on disk. Error: the folder does not exist.
Result<std::vector<WorkspaceFile>> read_workspace(const AnalyzeOptions& options);

inline constexpr std::size_t kMaxWorkspaceFiles = 2000;

}  // namespace firstfault
