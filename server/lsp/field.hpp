// Reading of JSON that a client sent: a value that knows where it lies, so that an error can name the place.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace firstfault::lsp {

using Json = nlohmann::json;

// A member that may be absent. A value of the wrong type records one error ("params.position.line: expected
// ...") in the decoding as a whole and reads as an empty one, so decoders are plain straight code. Valid as
// long as the Json is.
class Field {
 public:
  Field(const Json* value, std::string path, std::string* error)
      : value_(value), path_(std::move(path)), error_(error) {}

  Field operator[](const char* key) const;
  bool present() const { return value_ != nullptr && !value_->is_null(); }
  bool is_array() const { return present() && value_->is_array(); }
  Json raw() const { return value_ == nullptr ? Json() : *value_; }

  // Required values.
  std::string string() const;
  int integer() const;
  int unsigned_integer() const;  // LSP's uinteger: 0 .. 2^31-1
  std::vector<Field> items() const;

  // Optional values: absent ones give the default. Capabilities are read leniently by `flag`.
  std::string string_or(const char* otherwise) const { return present() ? string() : otherwise; }
  std::vector<Field> items_or_none() const { return present() ? items() : std::vector<Field>(); }
  bool flag() const { return present() && value_->is_boolean() && value_->get<bool>(); }

  void fail(const std::string& what) const;  // records the first error only

 private:
  void expected(const char* what) const;

  const Json* value_;
  std::string path_;
  std::string* error_;
};

// Decodes with the overload decode(const Field&, P*) of the parameter type.
template <typename P>
Result<P> decode_params(const Json& params) {
  std::string error;
  P decoded;
  decode(Field(&params, "params", &error), &decoded);
  if (!error.empty()) return Error{error};
  return decoded;
}

}  // namespace firstfault::lsp
