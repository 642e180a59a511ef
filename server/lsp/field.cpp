#include "lsp/field.hpp"

#include <limits>

namespace firstfault::lsp {

Field Field::operator[](const char* key) const {
  const std::string path = path_ + "." + key;
  if (!present()) return {nullptr, path, error_};
  if (!value_->is_object()) {
    expected("an object");
    return {nullptr, path, error_};
  }
  const auto found = value_->find(key);
  return {found == value_->end() ? nullptr : &*found, path, error_};
}

std::string Field::string() const {
  if (present() && value_->is_string()) return value_->get<std::string>();
  expected("a string");
  return "";
}

int Field::integer() const {
  if (present() && value_->is_number_integer()) {
    const auto number = value_->get<std::int64_t>();
    // An unsigned value above the signed range turns negative here and fails the check below just as well.
    if (number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max()) {
      return static_cast<int>(number);
    }
  }
  expected("an integer");
  return 0;
}

int Field::unsigned_integer() const {
  const int number = integer();
  if (number < 0) expected("an integer that is not negative");
  return number < 0 ? 0 : number;
}

std::vector<Field> Field::items() const {
  std::vector<Field> items;
  if (!is_array()) {
    expected("an array");
    return items;
  }
  items.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    items.emplace_back(&(*value_)[i], path_ + "[" + std::to_string(i) + "]", error_);
  }
  return items;
}

void Field::fail(const std::string& what) const {
  if (error_->empty()) *error_ = path_ + ": " + what;
}

void Field::expected(const char* what) const {
  const std::string found = value_ == nullptr ? "nothing" : std::string(value_->type_name());
  fail(std::string("expected ") + what + ", found " + found);
}

}  // namespace firstfault::lsp
