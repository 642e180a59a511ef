#include "signature/json_field.hpp"

#include <algorithm>
#include <cstdint>

#include "signature/json_lines.hpp"
#include "signature/nearest_word.hpp"

namespace firstfault {
namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string type_error(std::string_view wanted, const nlohmann::json& value) {
  return "must be " + std::string(wanted) + ", not " + (value.is_null() ? "null" : value.type_name());
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

bool JsonField::object(std::initializer_list<std::string_view> known,
                       std::initializer_list<std::string_view> required) const {
  if (!value_->is_object()) {
    problem(type_error("an object", *value_));
    return false;
  }
  const std::vector<std::string_view> keys(known);
  for (const auto& [key, member] : value_->items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::string near = nearest_word(key, keys);
    const std::string remedy =
        near.empty() ? "remove it; known keys: " + joined(keys) : "did you mean \"" + near + "\"?";
    problems_->push_back({pointer_ + "/" + pointer_step(key), "unknown key; " + remedy});
  }
  for (const std::string_view key : required) {
    if (!has(key)) problem("has no \"" + std::string(key) + "\"; add it, it is required");
  }
  return true;
}

std::optional<JsonField> JsonField::at(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return JsonField(*value_->find(key), pointer_ + "/" + pointer_step(key), problems_);
}

std::vector<JsonField> JsonField::elements(std::size_t min_items) const {
  std::vector<JsonField> fields;
  if (!value_->is_array()) {
    problem(type_error("an array", *value_));
    return fields;
  }
  if (value_->size() < min_items)
    problem("must hold at least " + std::to_string(min_items) + "; add one or remove the key");
  std::size_t index = 0;
  for (const auto& element : *value_)
    fields.emplace_back(element, pointer_ + "/" + std::to_string(index++), problems_);
  return fields;
}

std::string JsonField::text(std::size_t min_length, std::size_t max_length) const {
  if (!value_->is_string()) {
    problem(type_error("a string", *value_));
    return "";
  }
  auto text = value_->get<std::string>();
  const std::size_t length = characters(text);
  if (length < min_length) {
    problem("has " + std::to_string(length) + " characters; at least " + std::to_string(min_length) +
            " are needed");
  }
  if (length > max_length) {
    problem("has " + std::to_string(length) + " characters; shorten it to at most " +
            std::to_string(max_length));
  }
  return text;
}

std::vector<std::string> JsonField::texts(std::size_t min_items, std::size_t min_length) const {
  std::vector<std::string> texts;
  for (const JsonField& element : elements(min_items)) texts.push_back(element.text(min_length));
  return texts;
}

int JsonField::integer(int minimum, int maximum) const {
  if (!value_->is_number_integer()) {
    problem(type_error("an integer", *value_));
    return std::max(0, minimum);
  }
  // A huge unsigned number would wrap to a negative one.
  const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT_MAX;
  const std::int64_t number = huge ? INT64_MAX : value_->get<std::int64_t>();
  if (number >= minimum && number <= maximum) return static_cast<int>(number);
  problem("is out of range; use " + std::to_string(minimum) + " to " + std::to_string(maximum));
  return minimum;
}

bool JsonField::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  problem(type_error("true or false", *value_));
  return false;
}

std::size_t JsonField::choice(std::span<const std::string_view> choices) const {
  if (!value_->is_string()) {
    problem(type_error("a string", *value_));
    return 0;
  }
  const auto word = value_->get<std::string>();
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const std::string near = nearest_word(word, choices);
  problem("unknown value \"" + word + "\"; " +
          (near.empty() ? "use one of: " + joined(choices) : "did you mean \"" + near + "\"?"));
  return 0;
}

std::string JsonField::text_at(std::string_view key) const {
  const auto field = at(key);
  return field ? field->text() : "";
}

std::vector<std::string> JsonField::texts_at(std::string_view key, std::size_t min_items,
                                             std::size_t min_length) const {
  const auto field = at(key);
  return field ? field->texts(min_items, min_length) : std::vector<std::string>();
}

bool JsonField::boolean_at(std::string_view key) const {
  const auto field = at(key);
  return field && field->boolean();
}

std::size_t JsonField::choice_at(std::string_view key, std::span<const std::string_view> choices) const {
  const auto field = at(key);
  return field ? field->choice(choices) : 0;
}

}  // namespace firstfault
