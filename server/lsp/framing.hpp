// Splits a byte stream into LSP messages ("Content-Length: N", blank line, N bytes), however the bytes
// arrive. Not thread-safe. Bad input never ends the stream: it becomes one error and reading goes on at the
// next header.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace firstfault::lsp {

// A message or, where `error` is not empty, what was wrong with the bytes that were skipped.
struct Frame {
  std::string body;
  std::string error;
};

class Framer {
 public:
  using Sink = std::function<void(Frame)>;

  // Hands every message that `bytes` completes to `sink`, in order.
  void feed(std::string_view bytes, const Sink& sink);
  // Whether the stream may end here without cutting a message off.
  bool at_boundary() const { return !in_body_ && header_.empty(); }

 private:
  std::string_view take_header(std::string_view bytes, const Sink& sink);
  std::string_view take_body(std::string_view bytes, const Sink& sink);
  void finish_header(const Sink& sink);
  void drop_garbage(const Sink& sink);
  void report_garbage(const std::string& what, const Sink& sink);

  std::string header_;  // the part of a header block that has arrived
  std::string body_;
  std::size_t body_size_ = 0;
  bool in_body_ = false;
  bool in_garbage_ = false;  // garbage is reported once, not once per block of it
};

inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30;

// The message with its header, ready to be written.
std::string frame_message(std::string_view body);

}  // namespace firstfault::lsp
