#include "text/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace firstfault {
namespace {

// "train.log: no such file; check the path"
Error path_error(const std::string& path, int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return {path + ": no such file; check the path"};
    case EACCES:
    case EPERM:
      return {path + ": permission denied; make it readable (chmod u+r) or read it as its owner"};
    case EISDIR:
      return {path + ": is a directory; give it as a folder of logs or name a file in it"};
    case ELOOP:
      return {path + ": symbolic links form a loop; give the real path"};
    default:
      return {path + ": cannot be read (" + std::strerror(code) + "); check the file system"};
  }
}

class FileSource : public Source {
 public:
  FileSource(std::string path, int descriptor, bool owned, bool seekable, std::uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), owned_(owned), seekable_(seekable), size_(size) {}
  ~FileSource() override {
    if (owned_) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  const std::string& path() const override { return path_; }
  std::uint64_t size() const override { return size_; }

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    if (capacity == 0) return std::size_t{0};
    while (true) {
      const ssize_t count = seekable_ ? ::pread(descriptor_, buffer, capacity, static_cast<off_t>(offset_))
                                      : ::read(descriptor_, buffer, capacity);
      if (count >= 0) {
        offset_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return path_error(path_, errno);
    }
  }

 private:
  std::string path_;
  int descriptor_;
  bool owned_;
  bool seekable_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
};

class MemorySource : public Source {
 public:
  MemorySource(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  const std::string& path() const override { return path_; }
  std::uint64_t size() const override { return text_.size(); }
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min(capacity, text_.size() - offset_);
    std::memcpy(buffer, text_.data() + offset_, count);
    offset_ += count;
    return count;
  }

 private:
  std::string path_;
  std::string text_;
  std::size_t offset_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return path_error(path, errno);
  struct stat status = {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return path_error(path, EISDIR);
  }
  const bool regular = known && S_ISREG(status.st_mode);
  const std::uint64_t size = regular ? static_cast<std::uint64_t>(status.st_size) : 0;
  return std::unique_ptr<Source>(std::make_unique<FileSource>(path, descriptor, true, regular, size));
}

std::unique_ptr<Source> open_stdin(std::string name) {
  return std::make_unique<FileSource>(std::move(name), STDIN_FILENO, false, false, 0);
}

std::unique_ptr<Source> open_memory(std::string path, std::string text) {
  return std::make_unique<MemorySource>(std::move(path), std::move(text));
}

bool looks_binary(std::string_view head) {
  head = head.substr(0, 8192);
  if (head.substr(0, 2) == "\xff\xfe" || head.substr(0, 2) == "\xfe\xff") return false;
  static constexpr std::string_view kMagic[] = {
      "\x7f"
      "ELF",
      "PK\x03\x04",
      "\x1f\x8b",
      "\x89PNG",
      "\x28\xb5\x2f\xfd",
      "BZh9",
      "\xfd"
      "7zXZ",
      "%PDF-",
      "\xff\xd8\xff"};
  for (const std::string_view magic : kMagic) {
    if (head.substr(0, magic.size()) == magic) return true;
  }
  std::size_t zeros = 0;
  std::size_t controls = 0;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) {
      ++zeros;
    } else if (byte < 0x20 && (byte < 0x07 || byte > 0x0d) && byte != 0x1b) {
      ++controls;
    }
  }
  // A log that was truncated in place, or copied while it was written, has NULs at one end; a few stray ones
  // are text. One byte in ten is not, and neither is one control character in 25: evenly distributed bytes
  // (compressed, encrypted) have one in eleven.
  constexpr std::size_t kEnough = 256;
  return (zeros + controls) * 10 > head.size() || (head.size() >= kEnough && controls * 25 > head.size());
}

}  // namespace firstfault
