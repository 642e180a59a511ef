// Plain data as a pickle or a JSON text holds it: numbers, texts, lists and dictionaries, nothing that can
// act.
//
// Values refer to each other by number, as in a pickle, where one list can stand in many places (or in
// itself): a reader follows the few keys it knows and never walks everything. Not thread-safe while it is
// filled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

class ValueTree {
 public:
  using Id = std::uint32_t;
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kText, kList, kDict };
  struct Value {
    Kind kind = Kind::kNull;
    std::uint16_t depth = 0;   // of lists and dictionaries below it, at the time it was filled
    std::int64_t integer = 0;  // also 0 and 1 of a bool
    double real = 0;
    std::string text;
    std::vector<Id> items;  // a dictionary's keys and values alternate
  };
  static constexpr std::size_t kMaxValues = 4'000'000;
  static constexpr std::size_t kMaxDepth = 64;

  ValueTree();

  Id null() const { return 0; }
  Id boolean(bool value) const { return value ? 2 : 1; }
  Id integer(std::int64_t value);
  Id real(double value);
  Id text(std::string_view value);
  Id container(Kind kind);
  // Whether the container may still be filled: false where that nests deeper than kMaxDepth.
  bool append(Id container, Id item);

  bool full() const { return values_.size() > kMaxValues; }
  const Value& at(Id id) const { return values_[id]; }
  void set_root(Id id) { root_ = id; }
  Id root() const { return root_; }

  // The value under a key, null() where it is no dictionary or has no such key. The last of equal keys
  // counts.
  Id find(Id dict, std::string_view key) const;
  bool has(Id dict, std::string_view key) const;

 private:
  std::vector<Value> values_;
  Id root_ = 0;
};

}  // namespace firstfault
