#include "text/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace firstfault;

namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "firstfault-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

std::string read_all(Source& source, std::size_t block) {
  std::string text;
  std::string buffer(block, '\0');
  while (true) {
    const auto count = source.read(buffer.data(), buffer.size());
    REQUIRE(count.ok());
    if (*count == 0) return text;
    text.append(buffer, 0, *count);
  }
}

std::vector<std::string> names(const Folder& folder, const std::vector<std::string>& paths) {
  std::vector<std::string> result;
  for (const std::string& path : paths) result.push_back(path.substr(folder.path().size() + 1));
  return result;
}

}  // namespace

TEST_CASE("A file is read in blocks and tells its path and size") {
  const Folder folder;
  const std::string path = folder.write("train.log", "line one\nline two\n");
  auto source = open_file(path);
  REQUIRE(source.ok());
  CHECK((*source)->path() == path);
  CHECK((*source)->size() == 18);
  CHECK(read_all(**source, 7) == "line one\nline two\n");
}

TEST_CASE("A file that shrinks while it is read just ends") {
  const Folder folder;
  const std::string path = folder.write("train.log", std::string(1000, 'x'));
  auto source = open_file(path);
  REQUIRE(source.ok());
  char buffer[100];
  CHECK(*(*source)->read(buffer, sizeof buffer) == 100);
  fs::resize_file(path, 50);
  CHECK(*(*source)->read(buffer, sizeof buffer) == 0);
}

TEST_CASE("A FIFO is read to its end") {
  const Folder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto expanded = expand_paths({path});
  REQUIRE(expanded.ok());
  std::thread writer([&] { std::ofstream(path) << "through a pipe\n"; });
  auto source = open_file(path);
  REQUIRE(source.ok());
  CHECK(read_all(**source, 4) == "through a pipe\n");
  CHECK((*source)->size() == 0);
  writer.join();
}

TEST_CASE("Errors name the path and what to do") {
  const Folder folder;
  const std::string missing = folder.path("train.log");
  CHECK(open_file(missing).error().message == missing + ": no such file; check the path");
  CHECK(expand_paths({missing}).error().message == missing + ": no such file; check the path");
  CHECK(open_file(folder.path()).error().message.find(": is a directory; ") != std::string::npos);
  CHECK(expand_paths({}).error().message.find("no input; ") == 0);
  CHECK(expand_paths({""}).error().message.find("empty") != std::string::npos);
  if (::geteuid() != 0) {  // root may read everything
    const std::string secret = folder.write("secret.log", "x");
    ::chmod(secret.c_str(), 0);
    CHECK(open_file(secret).error().message.find(secret + ": permission denied; ") == 0);
    folder.write("open.log", "x");
    const auto listed = expand_paths({folder.path()});  // the log of one rank is missing: do not guess
    REQUIRE_FALSE(listed.ok());
    CHECK(listed.error().message.find(secret + ": permission denied; ") == 0);
    ::chmod(secret.c_str(), 0600);
  }
}

TEST_CASE("Text in memory is a source") {
  auto source = open_memory("untitled", "abc");
  CHECK(source->path() == "untitled");
  CHECK(source->size() == 3);
  CHECK(read_all(*source, 2) == "abc");
}

TEST_CASE("A folder stands for its logs in natural order") {
  const Folder folder;
  for (const char* name : {"attempt_0/10/stderr.log", "attempt_0/2/stderr.log", "attempt_0/2/error.json",
                           "a.txt", "out/1/rank.3/stdout", "job.out", "job.err"}) {
    folder.write(name, "text\n");
  }
  folder.write("empty.log", "");
  folder.write(".hidden.log", "text");
  folder.write(".git/config.log", "text");
  folder.write("model.pt", "text");
  folder.write("weights.safetensors", "text");
  folder.write("plot.PNG", "text");
  folder.write("core", std::string("\x7f"
                                   "ELF\0\0\0\0",
                                   8));
  fs::create_directory_symlink(folder.path("out"), folder.path("linked"));
  const auto paths = expand_paths({folder.path()});
  REQUIRE(paths.ok());
  CHECK(names(folder, *paths) == std::vector<std::string>{"a.txt", "attempt_0/2/error.json",
                                                          "attempt_0/2/stderr.log", "attempt_0/10/stderr.log",
                                                          "empty.log", "job.err", "job.out",
                                                          "out/1/rank.3/stdout"});
}

TEST_CASE("A folder without a log is an error, an empty file is not") {
  const Folder folder;
  folder.write("model.bin", "x");
  CHECK(expand_paths({folder.path()}).error().message.find(folder.path() + ": no log in this folder; ") == 0);
  const std::string empty = folder.write("empty.log", "");
  CHECK(expand_paths({empty}).value() == std::vector<std::string>{empty});
}

TEST_CASE("Paths keep their order, name each file once and may be standard input") {
  const Folder folder;
  const std::string b = folder.write("b.log", "x");
  const std::string a = folder.write("a.log", "x");
  CHECK(expand_paths({b, "-", folder.path()}).value() == std::vector<std::string>{b, "-", a});
  CHECK(open_stdin()->path() == "<stdin>");
}

TEST_CASE("Binary data is told from text in any encoding") {
  CHECK_FALSE(looks_binary(""));
  CHECK_FALSE(looks_binary("plain text\n"));
  CHECK_FALSE(looks_binary("\x1b[31mred\x1b[0m caf\xc3\xa9 \xff"));
  CHECK_FALSE(
      looks_binary(std::string_view("\xff\xfe"
                                    "a\0b\0",
                                    6)));
  CHECK_FALSE(looks_binary(std::string(4, '\0') + std::string(100, 'a')));
  CHECK(looks_binary(std::string_view("PK\x03\x04rest of an archive", 22)));
  CHECK(looks_binary(std::string(100, '\0')));
  std::string even;  // as compressed data is
  for (int i = 0; i < 4096; ++i) even += static_cast<char>(i * 167 + i / 256);
  CHECK(looks_binary(even));
  CHECK_FALSE(looks_binary("\x1b[K\x08\x08" + std::string(300, 'a') + "\x01\x02"));
  CHECK(looks_binary("\x89PNG\r\n"));
}
