#include "cli/explain_page.hpp"

#include <algorithm>
#include <vector>

#include "report/report.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kWidth = 100;

bool is_capture_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Words of `text` on lines of at most kWidth, the first after `lead`, further ones below its text.
std::string wrapped(const std::string& lead, std::string_view text) {
  const std::string indent(lead.size(), ' ');
  std::string result;
  std::string line = lead;
  bool has_word = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (has_word && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line = indent;
      has_word = false;
    }
    if (has_word) line += ' ';
    line += escape_terminal(word);
    has_word = true;
  }
  return result + line + "\n";
}

class Page {
 public:
  explicit Page(bool color) : color_(color) {}

  void heading(std::string_view text) { text_ += "\n" + bold(text) + "\n"; }

  std::string bold(std::string_view text) const {
    const std::string shown = escape_terminal(text);
    return color_ ? "\x1b[1m" + shown + "\x1b[0m" : shown;
  }

  void line(const std::string& text) { text_ += text + "\n"; }

  void paragraph(std::string_view title, const std::string& text) {
    if (text.empty()) return;
    heading(title);
    text_ += wrapped("  ", without_captures(text));
  }

  void list(std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    heading(title);
    for (const std::string& item : items) text_ += wrapped("  - ", without_captures(item));
  }

  // Commands and addresses are copied from the page, so they stay on one line.
  void verbatim(const std::string& text) { text_ += "  " + escape_terminal(without_captures(text)) + "\n"; }
  void item(const std::string& lead, const std::string& text) {
    text_ += wrapped(lead, without_captures(text));
  }

  std::string take() { return std::move(text_); }

 private:
  bool color_;
  std::string text_;
};

std::string joined(const std::vector<std::string>& ids, std::string_view by) {
  std::string text;
  for (const std::string& id : ids) {
    if (!text.empty()) text += by;
    text += id;
  }
  return text;
}

// " [only with a or b, without c]" for a text that is not always shown.
std::string condition(const Needs& needs) {
  if (needs.empty()) return "";
  std::string text;
  const auto add = [&text](std::string_view word, const std::string& ids) {
    if (!ids.empty()) text += (text.empty() ? "" : ", ") + std::string(word) + " " + ids;
  };
  add("with", joined(needs.all, " and "));
  add(needs.all.empty() ? "with" : "and", joined(needs.any, " or "));
  add("without", joined(needs.none, " or "));
  return " [only " + text + "]";
}

std::string facts(const Signature& signature) {
  std::string text = std::string(role_name(signature.role));
  if (!signature.cause.empty()) text += " · " + signature.cause;
  if (!signature.layer.empty()) text += " · " + signature.layer;
  text += " · for the " + std::string(signature.owner == "cluster-admin" ? "cluster's admin" : "researcher");
  if (!signature.frameworks.empty()) text += " · " + joined(signature.frameworks, ", ");
  if (!signature.versions.empty()) text += " (" + signature.versions + ")";
  return text;
}

void add_fix(const Signature& signature, Page* page) {
  const Fix& fix = signature.fix;
  if (fix.summary.text.empty()) return;
  page->heading("Fix");
  page->item("  ", fix.summary.text + condition(fix.summary.needs));
  int number = 0;
  for (const ConditionalText& step : fix.steps)
    page->item("  " + std::to_string(++number) + ". ", step.text + condition(step.needs));
  for (const EditRecipe& edit : signature.edits) {
    page->item("  - ", "Edit that an editor offers (" + edit.applicability + "): " + edit.title +
                           condition(edit.needs));
  }
}

void add_verify(const Verify& verify, Page* page) {
  if (verify.command.text.empty()) return;
  page->heading(verify.needs_root ? "Verify (as root)" : "Verify");
  page->verbatim(verify.command.text);
  page->item("  Expect: ", verify.expect);
  if (!verify.refutes.empty()) page->item("  Otherwise: ", verify.refutes);
}

}  // namespace

std::string without_captures(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool doubled = at + 1 < text.size() && text[at + 1] == text[at];
    if ((text[at] == '{' || text[at] == '}') && doubled) {
      result += text[at++];
      continue;
    }
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (end != std::string_view::npos && is_capture_name(text.substr(at + 1, end - at - 1))) {
      result += "<" + std::string(text.substr(at + 1, end - at - 1)) + ">";
      at = end;
      continue;
    }
    result += text[at];
  }
  return result;
}

std::string explain_page(const Signature& signature, const Library& library, bool color) {
  Page page(color);
  page.line(page.bold(signature.title) + "  (" + signature.id + ")");
  page.line(escape_terminal(facts(signature)));
  page.paragraph("What", signature.explain.what);
  if (const CauseInfo* cause = library.cause(signature.cause)) page.paragraph("Cause", cause->means);
  page.paragraph("Mechanism", signature.explain.mechanism);
  page.paragraph("Confused with", signature.explain.confused_with);
  page.list("It is this if", signature.explain.confirm);
  page.list("It is not this if", signature.explain.refute);
  add_fix(signature, &page);
  add_verify(signature.verify, &page);
  page.list("Prevent", signature.prevent);
  if (!signature.references.empty()) {
    page.heading("References");
    for (const std::string& reference : signature.references) page.verbatim(reference);
  }
  return page.take();
}

}  // namespace firstfault
