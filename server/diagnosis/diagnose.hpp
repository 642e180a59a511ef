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

// As bind_text, for a command that a person may paste into a shell. A value that a shell would not take for
// one plain word is put in single quotes; where that cannot make it harmless (it begins with "-", holds
// control characters, or stands inside quotes or a here-document of the command) the result is empty.
std::string bind_command(const std::string& command, const Captures& bindings);

}  // namespace firstfault
