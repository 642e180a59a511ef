// One function per form of the report. Private to the module: render() picks among them.
#pragma once

#include <string>

#include "diagnosis/diagnosis.hpp"
#include "report/report.hpp"

namespace firstfault {

std::string render_json(const Diagnosis& diagnosis);
std::string render_sarif(const Diagnosis& diagnosis);
std::string render_text(const Diagnosis& diagnosis, const RenderOptions& options);
std::string render_markdown(const Diagnosis& diagnosis, const RenderOptions& options);
std::string render_html(const Diagnosis& diagnosis, const RenderOptions& options);

}  // namespace firstfault
