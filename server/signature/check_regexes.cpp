#include "signature/check_regexes.hpp"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

namespace firstfault {
namespace {

constexpr int kMinLiteral = 4;

RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

// "" or what is wrong.
std::string regex_error(const std::string& pattern) {
  const RE2 regex(pattern, options());
  return regex.ok() ? "" : regex.error();
}

void check_list(const std::vector<std::string>& patterns, const std::string& pointer,
                std::vector<Problem>* problems) {
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    const std::string error = regex_error(patterns[index]);
    if (error.empty()) continue;
    problems->push_back({pointer + "/" + std::to_string(index),
                         error + "; correct it (RE2 syntax: no look-around, no back-references)"});
  }
}

bool has_literal(const std::string& pattern) {
  re2::FilteredRE2 filter(kMinLiteral);
  int id = 0;
  if (filter.Add(pattern, options(), &id) != RE2::NoError) return true;  // another problem, told elsewhere
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  // With no atom found in a text, only patterns that need none can still match.
  std::vector<int> unfiltered;
  filter.AllPotentials({}, &unfiltered);
  return unfiltered.empty();
}

}  // namespace

void check_regexes(const Signature& signature, std::vector<Problem>* problems) {
  const Match& match = signature.match;
  check_list(match.patterns, "/match/patterns", problems);
  check_list(match.unless, "/match/unless", problems);
  check_list(match.record, "/match/record", problems);
  check_list(match.record_unless, "/match/recordUnless", problems);
  for (std::size_t index = 0; index < signature.edits.size(); ++index) {
    const std::string error = regex_error(signature.edits[index].replace_if);
    if (!error.empty())
      problems->push_back({"/edits/" + std::to_string(index) + "/replaceIf", error + "; correct it"});
  }
}

std::vector<std::string> patterns_without_literal(const Signature& signature) {
  std::vector<std::string> pointers;
  const auto& patterns = signature.match.patterns;
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    if (!has_literal(patterns[index])) pointers.push_back("/match/patterns/" + std::to_string(index));
  }
  return pointers;
}

}  // namespace firstfault
