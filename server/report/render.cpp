#include "report/forms.hpp"

namespace firstfault {

std::optional<Format> format_of(std::string_view name) {
  if (name == "text") return Format::kText;
  if (name == "json") return Format::kJson;
  if (name == "markdown") return Format::kMarkdown;
  if (name == "html") return Format::kHtml;
  if (name == "sarif") return Format::kSarif;
  return std::nullopt;
}

std::string render(const Diagnosis& diagnosis, Format format, const RenderOptions& options) {
  switch (format) {
    case Format::kText:
      return render_text(diagnosis, options);
    case Format::kJson:
      return render_json(diagnosis);
    case Format::kMarkdown:
      return render_markdown(diagnosis, options);
    case Format::kHtml:
      return render_html(diagnosis, options);
    case Format::kSarif:
      return render_sarif(diagnosis);
  }
  return {};
}

}  // namespace firstfault
