#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "signature/library.hpp"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "firstfault-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("Every JSON file below a folder is read, in the order of the paths") {
  const TemporaryFolder folder;
  folder.write("b.json", "B");
  folder.write("a/deep/x.json", "X");
  folder.write("a/notes.md", "no signature");
  folder.write("taxonomy.json", "T");
  const auto files = Library::read_folder(folder.path() + "/");
  REQUIRE(files.ok());
  REQUIRE(files->size() == 3);
  CHECK(files->at(0).path == "a/deep/x.json");
  CHECK(files->at(0).text == "X");
  CHECK(files->at(1).path == "b.json");
  CHECK(files->at(2).path == "taxonomy.json");
}

TEST_CASE("A folder that is missing, empty or no folder says so") {
  const TemporaryFolder folder;
  const std::string missing = folder.path() + "/none";
  CHECK(Library::read_folder(missing).error().message ==
        missing + ": no such folder; --signatures takes a folder of *.json files");
  CHECK(Library::read_folder(folder.path()).error().message ==
        folder.path() + ": holds no signature (*.json); give a folder that does");
  folder.write("taxonomy.json", "{}");
  CHECK_FALSE(Library::read_folder(folder.path()).ok());
  const std::string file = folder.path() + "/taxonomy.json";
  CHECK(Library::read_folder(file).error().message ==
        file + ": is no folder; give the folder that holds the file");
}

TEST_CASE("A file that cannot be read is named") {
  const TemporaryFolder folder;
  folder.write("big.json", std::string((4 << 20) + 1, ' '));
  const auto files = Library::read_folder(folder.path());
  REQUIRE_FALSE(files.ok());
  CHECK(files.error().message.rfind(folder.path() + "/big.json: larger than 4 MiB", 0) == 0);
}

}  // namespace firstfault
