// What one bad input among good ones costs.
#include "analysis/analyzer.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace firstfault {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "analyzer-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    path_ = path;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Analyzer analyzer() {
  const auto loaded = Library::load(
      {{"taxonomy.json",
        R"({"causes": [{"id": "memory/cuda-oom", "layer": "software", "means": "no device memory is left"}]})"},
       {"memory/oom.json", R"({
         "id": "oom", "cause": "memory/cuda-oom", "title": "Out of memory", "role": "cause",
         "match": {"patterns": ["CUDA out of memory"]},
         "examples": {"positive": ["CUDA out of memory.", "x CUDA out of memory"], "negative": ["a", "b"]}})"}});
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
  return Analyzer(*loaded);
}

const char* const kLog = "[rank1]: RuntimeError: CUDA out of memory\n";
const char* const kCutDump = "{\"pg_config\": {\"0\": {\"name\"";  // its rank was killed while it wrote

}  // namespace

TEST_CASE("a file of a folder that cannot be taken in does not lose the others") {
  const Folder folder;
  folder.write("a_dump.json", kCutDump);
  folder.write("rank1.log", kLog);
  const auto analysis = analyzer().analyze_paths({folder.path()}, {});
  REQUIRE_MESSAGE(analysis.ok(), (analysis.ok() ? "" : analysis.error().message));
  REQUIRE(analysis->diagnosis.incidents.size() == 1);
  CHECK(analysis->diagnosis.incidents[0].evidence.at(0).path == folder.path() + "/rank1.log");
}

TEST_CASE("a file that the user names must be read, and so must one of a folder's files") {
  const Folder folder;
  const std::string dump = folder.write("dump.json", kCutDump);
  const auto alone = analyzer().analyze_paths({folder.path()}, {});
  REQUIRE_FALSE(alone.ok());
  CHECK(alone.error().message.rfind(dump + ": ", 0) == 0);
  const std::string log = folder.write("rank1.log", kLog);
  const auto named = analyzer().analyze_paths({log, dump}, {});
  REQUIRE_FALSE(named.ok());
  CHECK(named.error().message.rfind(dump + ": ", 0) == 0);
}

}  // namespace firstfault
