#include "cli/load_library.hpp"

#include <algorithm>

namespace firstfault {

Result<std::vector<SignatureFile>> signature_files(const std::string& folder) {
  if (folder.empty()) return embedded_signature_files();
  auto files = Library::read_folder(folder);
  if (!files) return files.error();
  const auto is_taxonomy = [](const SignatureFile& file) {
    return signature_base_name(file.path) == "taxonomy";
  };
  if (std::none_of(files->begin(), files->end(), is_taxonomy)) {
    for (SignatureFile& file : embedded_signature_files()) {
      if (is_taxonomy(file)) files->push_back(std::move(file));
    }
  }
  return files;
}

Result<std::shared_ptr<const Library>> load_library(const std::string& folder) {
  const auto files = signature_files(folder);
  if (!files) return files.error();
  LoadOptions options;
  options.folder = shown_folder(folder);
  // The tests of the build have compiled the embedded ones; no start should wait for that again.
  options.check_patterns = !folder.empty();
  return Library::load(*files, options);
}

std::string shown_folder(const std::string& folder) {
  if (folder.empty()) return "signatures";
  const std::size_t end = folder.find_last_not_of('/');
  return end == std::string::npos ? folder : folder.substr(0, end + 1);
}

}  // namespace firstfault
