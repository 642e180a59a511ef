// Flight recorder dumps among the files of a run.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "text/source.hpp"

using namespace firstfault;

namespace fs = std::filesystem;

namespace {

template <std::size_t size>
std::string bytes(const char (&literal)[size]) {
  return std::string(literal, size - 1);
}

const std::string kPickle = bytes("\x80\x02}q\x00(X\x09\x00\x00\x00pg_configq\x01}u.");

}  // namespace

TEST_CASE("a pickled dictionary with the keys of a dump is one") {
  CHECK(looks_like_flight_dump(kPickle));
  CHECK(looks_like_flight_dump(
      bytes("\x80\x04\x95\x20\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x07version\x94\x8c\x03"
            "2.4\x94\x8c\x09pg_config\x94}u.")));
  CHECK(looks_like_flight_dump(bytes("\x80\x02](}(X\x09\x00\x00\x00record_idK\x00ue.")));
}

TEST_CASE("other pickles and binary files are none") {
  CHECK_FALSE(
      looks_like_flight_dump(bytes("\x80\x02}q\x00X\x07\x00\x00\x00"
                                   "entriesq\x01]s.")));
  CHECK_FALSE(looks_like_flight_dump(bytes("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 pg_config")));
  CHECK_FALSE(looks_like_flight_dump(bytes("\x80\x07}pg_config")));
  CHECK_FALSE(looks_like_flight_dump(bytes("\x80")));
  CHECK_FALSE(looks_like_flight_dump(""));
}

TEST_CASE("a JSON object with the keys of a dump is one, a log of JSON lines is none") {
  CHECK(looks_like_flight_dump(R"({"version": "2.4", "pg_config": {}})"));
  CHECK(looks_like_flight_dump("\xef\xbb\xbf \n{ \"comm_lib_version\":\"2.26\",\"pg_status\":{}}"));
  CHECK(
      looks_like_flight_dump(R"({"entries":[{"collective_seq_id":1,"profiling_name":"nccl:all_reduce"}]})"));
  CHECK_FALSE(looks_like_flight_dump(R"({"time": 1, "message": "\"pg_config\" is \"version\" 2"})"));
  CHECK_FALSE(looks_like_flight_dump(R"({"version": "2.4"})"));
  CHECK_FALSE(looks_like_flight_dump(R"({"entries": [1, 2]})"));
  CHECK_FALSE(looks_like_flight_dump(R"(["pg_config"])"));
  CHECK_FALSE(looks_like_flight_dump(R"(version "pg_config")"));
}

TEST_CASE("a folder gives its dumps under any name, and no other pickle") {
  std::string folder = (fs::temp_directory_path() / "firstfault-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  };
  write("nccl_trace_rank_0", kPickle);
  write("dump.pkl", kPickle);
  write("vocabulary.pkl", bytes("\x80\x02}q\x00X\x01\x00\x00\x00"
                                "as."));
  write("notes.pkl", "text in a file with a wrong ending");
  write("model.safetensors", kPickle);
  write("train.log", "step 1\n");
  const auto files = expand_paths({folder});
  fs::remove_all(folder);
  REQUIRE(files.ok());
  CHECK(*files ==
        std::vector<std::string>{folder + "/dump.pkl", folder + "/nccl_trace_rank_0", folder + "/train.log"});
}
