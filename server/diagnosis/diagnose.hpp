// Attribution + signatures + workspace -> Diagnosis: texts are bound, edits are made.
#pragma once

#include <string>
#include <vector>

#include "attribution/incident.hpp"
#include "diagnosis/diagnosis.hpp"
#include "signature/library.hpp"

namespace firstfault {

// A source file of the workspace that edits may touch.
struct WorkspaceFile {
  std::string path;  // relative to the workspace, "/" between parts
  std::string text;
};

Diagnosis diagnose(const EventLog& log, const Attribution& attribution, const Library& library,
                   const std::vector<WorkspaceFile>& workspace);

// `text` with {captures} replaced; empty where one of them is not bound. "{{" stands for a brace.
std::string bind_text(const std::string& text, const Captures& bindings);

}  // namespace firstfault
