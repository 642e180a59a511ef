#include "flight/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

namespace firstfault {
namespace {

using Json = nlohmann::json;
using Id = ValueTree::Id;
using Kind = ValueTree::Kind;

// Builds values from the parser's events: no tree of the library's own, which would be destroyed recursively.
class Builder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(values_.null()); }
  bool boolean(bool value) override { return add(values_.boolean(value)); }
  bool number_integer(number_integer_t value) override { return add(values_.integer(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return add(values_.integer(static_cast<std::int64_t>(std::min(value, kMost))));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(values_.real(value)); }
  bool string(string_t& value) override { return add(values_.text(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::kDict); }
  bool start_array(std::size_t) override { return open(Kind::kList); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    const auto [known, added] = keys_.try_emplace(value, 0);
    if (added) known->second = values_.text(value);
    return values_.append(open_.back(), known->second) && !values_.full();
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    bad_ = position;
    return false;
  }

  std::string problem() const {
    return bad_ != 0 ? "byte " + std::to_string(bad_) + " of the JSON text is wrong or it is truncated there"
                     : "the JSON text is larger or nested deeper than a flight recorder dump is";
  }
  ValueTree take() { return std::move(values_); }

 private:
  bool add(Id id) {
    if (open_.empty()) {
      values_.set_root(id);
      return true;
    }
    return values_.append(open_.back(), id) && !values_.full();
  }
  bool open(Kind kind) {
    open_.push_back(values_.container(kind));
    return open_.size() <= ValueTree::kMaxDepth;
  }
  bool close() {
    const Id id = open_.back();
    open_.pop_back();
    return add(id);
  }

  ValueTree values_;
  std::vector<Id> open_;
  std::unordered_map<std::string, Id> keys_;
  std::size_t bad_ = 0;
};

}  // namespace

Result<ValueTree> read_json(std::string_view text, const std::string& name) {
  Builder builder;
  try {
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
  } catch (const std::exception&) {  // the library's own limits
  }
  return Error{name + ": " + builder.problem() +
               "; give the dump as PyTorch wrote it, or leave the file out"};
}

}  // namespace firstfault
