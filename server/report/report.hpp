// The diagnosis in the forms that people and programs read. Log text is hostile: every form escapes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/diagnosis.hpp"

namespace firstfault {

enum class Format { kText, kJson, kMarkdown, kHtml, kSarif };

std::optional<Format> format_of(std::string_view name);  // text | json | markdown | html | sarif

struct RenderOptions {
  bool color = false;   // ANSI colours; only for text
  int width = 100;      // columns; only for text
  bool details = true;  // mechanism, confirmation checklist, prevention, references
};

// The JSON contract of DESIGN.md.
nlohmann::json to_json(const Diagnosis& diagnosis);

// The whole report, ending in a newline.
std::string render(const Diagnosis& diagnosis, Format format, const RenderOptions& options = {});

// Text from a log that is safe to show on a terminal (no control characters), in Markdown and in HTML.
std::string escape_terminal(std::string_view text);
std::string escape_markdown(std::string_view text);
std::string escape_html(std::string_view text);
// Our own sentences, which put names and commands between backquotes: those become code spans, the rest is
// escaped. Log text bound into a sentence may add backquotes of its own; it can open a code span and nothing
// else.
std::string markdown_prose(std::string_view text);
// A Markdown code span or fenced block around text that may itself hold backquotes.
std::string markdown_code(std::string_view text);
std::string markdown_fence(std::string_view text, std::string_view language = "");

}  // namespace firstfault
