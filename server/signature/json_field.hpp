// Reads one value of a signature file and notes what is wrong with it, so that a file's problems come all at
// once and each names its place. Reading never fails: a wrong value reads as its type's empty value. Not
// thread-safe.
#pragma once

#include <climits>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

// What is wrong at one place of a file, and what to do about it.
struct Problem {
  std::string pointer;
  std::string message;
};

class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string pointer, std::vector<Problem>* problems)
      : value_(&value), pointer_(std::move(pointer)), problems_(problems) {}

  const std::string& pointer() const { return pointer_; }
  const nlohmann::json& value() const { return *value_; }
  bool is_string() const { return value_->is_string(); }
  bool is_object() const { return value_->is_object(); }

  void problem(std::string message) const { problems_->push_back({pointer_, std::move(message)}); }

  // Whether it is an object. Unknown keys and missing required ones are problems of their own.
  bool object(std::initializer_list<std::string_view> known,
              std::initializer_list<std::string_view> required = {}) const;
  bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  std::optional<JsonField> at(std::string_view key) const;  // none: there is no such key

  std::vector<JsonField> elements(std::size_t min_items = 0) const;
  // Lengths count characters, not bytes.
  std::string text(std::size_t min_length = 0, std::size_t max_length = std::string::npos) const;
  std::vector<std::string> texts(std::size_t min_items = 0, std::size_t min_length = 0) const;
  int integer(int minimum = INT_MIN, int maximum = INT_MAX) const;
  bool boolean() const;
  // The index of the text in `choices`, 0 where it is none of them.
  std::size_t choice(std::span<const std::string_view> choices) const;

  // The same for an optional member.
  std::string text_at(std::string_view key) const;
  std::vector<std::string> texts_at(std::string_view key, std::size_t min_items = 0,
                                    std::size_t min_length = 0) const;
  bool boolean_at(std::string_view key) const;
  std::size_t choice_at(std::string_view key, std::span<const std::string_view> choices) const;

 private:
  const nlohmann::json* value_;
  std::string pointer_;
  std::vector<Problem>* problems_;
};

}  // namespace firstfault
