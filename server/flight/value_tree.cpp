#include "flight/value_tree.hpp"

#include <algorithm>

namespace firstfault {
namespace {

constexpr std::int64_t kSmallIntegers = 256;
constexpr ValueTree::Id kFirstInteger = 3;  // after null, false and true

}  // namespace

ValueTree::ValueTree() {
  values_.resize(kFirstInteger + kSmallIntegers);
  values_[1].kind = Kind::kBool;
  values_[2].kind = Kind::kBool;
  values_[2].integer = 1;
  for (std::int64_t number = 0; number < kSmallIntegers; ++number) {
    Value& value = values_[kFirstInteger + static_cast<Id>(number)];
    value.kind = Kind::kInteger;
    value.integer = number;
  }
}

ValueTree::Id ValueTree::integer(std::int64_t value) {
  if (value >= 0 && value < kSmallIntegers) return kFirstInteger + static_cast<Id>(value);
  values_.emplace_back();
  values_.back().kind = Kind::kInteger;
  values_.back().integer = value;
  return static_cast<Id>(values_.size() - 1);
}

ValueTree::Id ValueTree::real(double value) {
  values_.emplace_back();
  values_.back().kind = Kind::kReal;
  values_.back().real = value;
  return static_cast<Id>(values_.size() - 1);
}

ValueTree::Id ValueTree::text(std::string_view value) {
  values_.emplace_back();
  values_.back().kind = Kind::kText;
  values_.back().text = std::string(value);
  return static_cast<Id>(values_.size() - 1);
}

ValueTree::Id ValueTree::container(Kind kind) {
  values_.emplace_back();
  values_.back().kind = kind;
  return static_cast<Id>(values_.size() - 1);
}

bool ValueTree::append(Id container, Id item) {
  Value& value = values_[container];
  const auto depth = static_cast<std::uint16_t>(values_[item].depth + 1);
  if (values_[item].kind == Kind::kList || values_[item].kind == Kind::kDict) {
    value.depth = std::max(value.depth, depth);
  }
  value.items.push_back(item);
  return value.depth <= kMaxDepth;
}

ValueTree::Id ValueTree::find(Id dict, std::string_view key) const {
  const Value& value = values_[dict];
  if (value.kind != Kind::kDict) return null();
  for (std::size_t at = value.items.size(); at >= 2; at -= 2) {
    const Value& name = values_[value.items[at - 2]];
    if (name.kind == Kind::kText && name.text == key) return value.items[at - 1];
  }
  return null();
}

bool ValueTree::has(Id dict, std::string_view key) const {
  const Value& value = values_[dict];
  if (value.kind != Kind::kDict) return false;
  for (std::size_t at = 0; at + 1 < value.items.size(); at += 2) {
    const Value& name = values_[value.items[at]];
    if (name.kind == Kind::kText && name.text == key) return true;
  }
  return false;
}

}  // namespace firstfault
