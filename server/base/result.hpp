// A value or a message that a user can act on.
//
// Expected failures (a missing file, a signature that breaks the schema, a malformed request) are Results,
// never exceptions; exceptions stop at the borders of third-party libraries.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace firstfault {

// What went wrong, naming the thing, and what to do about it: "train.log: no such file; check the path".
struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace firstfault
