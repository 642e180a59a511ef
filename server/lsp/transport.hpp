// Bytes in and out of file descriptors: pipes, files, terminals. Nothing here knows what the bytes mean.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace firstfault::lsp {

// Reads a descriptor on a thread of its own, so that a busy server never stops the client from writing.
// Blocking reads behind poll() rather than Asio's descriptors: epoll refuses regular files, and input may be
// one.
class InputReader {
 public:
  // The callbacks are called on the reader's thread: `on_bytes` with each chunk, then `on_end` once.
  InputReader(int descriptor, std::function<void(std::string)> on_bytes, std::function<void()> on_end);
  ~InputReader();  // stops reading
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;

 private:
  void run();
  bool wait() const;  // false: stop

  int descriptor_;
  int wake_ = -1;  // an eventfd, readable once reading shall stop
  std::function<void(std::string)> on_bytes_;
  std::function<void()> on_end_;
  std::thread thread_;
};

// Writes whole messages. Thread-safe: messages do not interleave.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  // False once the other side is gone; what is written then is lost.
  bool write(std::string_view body);

 private:
  bool write_all(std::string_view bytes) const;

  int descriptor_;
  std::mutex mutex_;
  bool broken_ = false;
};

}  // namespace firstfault::lsp
