#include "signature/check_regexes.hpp"

#include <doctest/doctest.h>

#include "signature/nearest_word.hpp"

namespace firstfault {

TEST_CASE("Patterns without a literal of four bytes are named") {
  Signature signature;
  signature.match.patterns = {"CUDA out of memory", "(?:abc|wxyz) \\d+", "\\d+: [a-z]+",
                              "rank(?P<rank>\\d+)", "(?i)XID \\d+",      "(?:long enough|also long)"};
  CHECK(patterns_without_literal(signature) == std::vector<std::string>{"/match/patterns/2"});
}

TEST_CASE("A word is taken for the nearest candidate, if any is near") {
  const std::vector<std::string_view> words = {"--format", "--workspace", "--threads"};
  CHECK(nearest_word("--fromat", words) == "--format");
  CHECK(nearest_word("--workspce", words) == "--workspace");
  CHECK(nearest_word("titel", std::vector<std::string_view>{"tier", "title"}) == "title");
  CHECK(nearest_word("--something", words) == "");
  CHECK(nearest_word(std::string(5000, 'x'), words) == "");
}

}  // namespace firstfault
