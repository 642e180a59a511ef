#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "signature/library.hpp"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 4 << 20;  // the largest sensible signature file is a few dozen KiB

Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFileBytes)
    return Error{path.string() + ": larger than 4 MiB; a signature file holds one kind of failure, split it"};
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return Error{path.string() + ": " + std::strerror(errno) + "; make the file readable or remove it"};
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return Error{path.string() + ": could not be read; check the disk"};
  return text;
}

Result<std::vector<fs::path>> list_json(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    return Error{folder + ": no such folder; --signatures takes a folder of *.json files"};
  if (!fs::is_directory(status)) return Error{folder + ": is no folder; give the folder that holds the file"};
  std::vector<fs::path> paths;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".json" && at->is_regular_file(ignored)) paths.push_back(at->path());
  }
  if (error)
    return Error{folder + ": " + error.message() + "; check the permissions of it and the folders below"};
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<std::vector<SignatureFile>> Library::read_folder(const std::string& folder) {
  const auto paths = list_json(folder);
  if (!paths) return paths.error();
  std::vector<SignatureFile> files;
  std::string problems;
  bool has_signature = false;
  for (const fs::path& path : *paths) {
    auto text = read_file(path);
    if (!text) {
      problems += (problems.empty() ? "" : "\n") + text.error().message;
      continue;
    }
    files.push_back({path.lexically_relative(folder).generic_string(), std::move(*text)});
    has_signature = has_signature || !is_signature_table(files.back().path);
  }
  if (!problems.empty()) return Error{problems};
  if (!has_signature) return Error{folder + ": holds no signature (*.json); give a folder that does"};
  return files;
}

}  // namespace firstfault
