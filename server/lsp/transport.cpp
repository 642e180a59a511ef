#include "lsp/transport.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "lsp/framing.hpp"

namespace firstfault::lsp {

InputReader::InputReader(int descriptor, std::function<void(std::string)> on_bytes,
                         std::function<void()> on_end)
    : descriptor_(descriptor),
      wake_(eventfd(0, EFD_CLOEXEC)),
      on_bytes_(std::move(on_bytes)),
      on_end_(std::move(on_end)),
      thread_([this] { run(); }) {}

InputReader::~InputReader() {
  const std::uint64_t one = 1;
  while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(wake_);
}

bool InputReader::wait() const {
  std::array<pollfd, 2> polled{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
  while (poll(polled.data(), polled.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return polled[1].revents == 0;
}

void InputReader::run() {
  constexpr std::size_t kChunk = 64 * 1024;
  std::string buffer(kChunk, '\0');
  while (wait()) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    on_bytes_(buffer.substr(0, static_cast<std::size_t>(count)));
  }
  on_end_();
}

bool Output::write(std::string_view body) {
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = !write_all(frame_message(body));
  return !broken_;
}

bool Output::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // the client made the pipe non-blocking
      pollfd polled{descriptor_, POLLOUT, 0};
      poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace firstfault::lsp
