// Deterministic mutations of logs and of language server traffic: one seed, one input, on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace firstfault::fuzz {

class Mutator {
 public:
  // `corpus`: whole logs to begin with; the hostile words are built in.
  Mutator(std::uint64_t seed, const std::vector<std::string>& corpus);

  std::string log();      // a log: a piece of the corpus or invented lines, mutated
  std::string session();  // what a client writes, framed, with some of its bytes and messages spoilt

  std::size_t below(std::size_t bound);  // 0 .. bound - 1
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }

 private:
  std::string begin_log();
  std::string invented_line();
  std::string word();
  std::string number();
  void mutate(std::string* text);
  void mutate_once(std::string* text);
  std::string message();
  std::string value();
  std::string position();
  std::string quoted(const std::string& text);

  std::mt19937_64 random_;
  const std::vector<std::string>& corpus_;
  int next_id_ = 1;
};

}  // namespace firstfault::fuzz
