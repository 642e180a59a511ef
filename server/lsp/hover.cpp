#include "lsp/hover.hpp"

#include "report/report.hpp"

namespace firstfault::lsp {
namespace {

constexpr std::size_t kMechanismBytes = 420;

std::string_view role_text(Role role) {
  switch (role) {
    case Role::kCause:
      return "starts a failure";
    case Role::kConsequence:
      return "follows a failure that began elsewhere";
    case Role::kEither:
      return "starts a failure or follows one";
    case Role::kContext:
      return "a fact about the run, no failure";
  }
  return "";
}

// The first sentences, as many as fit.
std::string beginning(const std::string& text) {
  if (text.size() <= kMechanismBytes) return text;
  const std::size_t end = text.rfind(". ", kMechanismBytes);
  return end == std::string::npos ? plain_line(text, kMechanismBytes) : text.substr(0, end + 1);
}

struct Part {
  std::string label;
  std::string text;
};

std::vector<Part> parts_of(const RecognisedLine& line) {
  const Signature& signature = *line.signature;
  std::vector<Part> parts;
  if (!line.headline.empty()) parts.push_back({"", line.headline});
  parts.push_back({"", signature.explain.what});
  if (!signature.explain.mechanism.empty()) parts.push_back({"Why", beginning(signature.explain.mechanism)});
  if (!line.fix.empty()) parts.push_back({"Fix", line.fix});
  return parts;
}

}  // namespace

const RecognisedLine* recognised_at(const std::vector<RecognisedLine>& lines, std::uint64_t line) {
  const RecognisedLine* best = nullptr;
  const auto better = [&](const RecognisedLine& each) {
    if (best == nullptr) return true;
    const auto lines_of = [](const RecognisedLine& one) { return one.end_line - one.line; };
    if (lines_of(each) != lines_of(*best)) return lines_of(each) < lines_of(*best);
    const auto is_fact = [](const RecognisedLine& one) { return one.signature->role == Role::kContext; };
    if (is_fact(each) != is_fact(*best)) return is_fact(*best);
    return each.signature->specificity > best->signature->specificity;
  };
  for (const RecognisedLine& each : lines) {
    if (each.line > line) break;
    if (each.end_line >= line && better(each)) best = &each;
  }
  return best;
}

std::string hover_markdown(const RecognisedLine& line) {
  std::string out = "**" + escape_markdown(line.signature->title) + "** (" +
                    std::string(role_text(line.signature->role)) + ")";
  for (const Part& part : parts_of(line)) {
    out += "\n\n";
    if (!part.label.empty()) out += "**" + part.label + ":** ";
    out += markdown_prose(part.text);
  }
  return out + "\n\n`" + line.signature->id + "`";
}

std::string hover_text(const RecognisedLine& line) {
  std::string out =
      plain_line(line.signature->title) + " (" + std::string(role_text(line.signature->role)) + ")";
  for (const Part& part : parts_of(line)) {
    out += "\n\n" + (part.label.empty() ? "" : part.label + ": ") + plain_line(part.text);
  }
  return out;
}

}  // namespace firstfault::lsp
