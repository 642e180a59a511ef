// The binary's own signatures: all of them, whole, and sound to RE2's compiler (a start checks only their
// syntax).
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "cli/load_library.hpp"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> files_on_disk() {
  const fs::path folder = fs::path(FIRSTFAULT_SOURCE_DIR) / "signatures";
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder).generic_string()] =
        std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return files;
}

}  // namespace

TEST_CASE("Every signature file on disk is embedded, byte for byte") {
  std::map<std::string, std::string> embedded;
  for (SignatureFile& file : embedded_signature_files()) embedded[file.path] = std::move(file.text);
  const auto on_disk = files_on_disk();
  REQUIRE(embedded.size() == on_disk.size());
  for (const auto& [path, text] : on_disk) {
    CAPTURE(path);
    REQUIRE(embedded.count(path) == 1);
    CHECK((embedded[path] == text));
  }
}

TEST_CASE("The embedded signatures pass the full check") {
  const auto loaded = Library::load(embedded_signature_files());
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
  CHECK((*loaded)->signatures().size() >= 60);
  const auto quick = load_library("");
  REQUIRE(quick.ok());
  CHECK((*quick)->signatures().size() == (*loaded)->signatures().size());
}

}  // namespace firstfault
