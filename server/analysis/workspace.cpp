#include "analysis/workspace.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace firstfault {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

bool is_source(const fs::path& path) {
  static constexpr std::array<std::string_view, 8> kEndings = {".py",   ".json", ".yaml", ".yml",
                                                               ".toml", ".sh",   ".cfg",  ".sbatch"};
  const std::string ending = path.extension().string();
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view known) { return known == ending; });
}

bool is_skipped_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.empty() || name[0] == '.' || name == "node_modules" || name == "site-packages" ||
         name == "venv" || name == "__pycache__" || name == "build" || name == "wandb";
}

std::vector<fs::path> list_sources(const fs::path& root) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && paths.size() < kMaxWorkspaceFiles;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (is_skipped_folder(at->path())) at.disable_recursion_pending();
    } else if (at->is_regular_file(ignored) && is_source(at->path()) &&
               at->file_size(ignored) <= kMaxFileBytes) {
      paths.push_back(at->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<std::vector<WorkspaceFile>> read_workspace(const AnalyzeOptions& options) {
  std::vector<WorkspaceFile> files;
  if (options.workspace.empty()) return files;
  const fs::path root(options.workspace);
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return Error{options.workspace +
                 ": no such folder; --workspace takes the folder that holds the training code"};
  }
  for (const fs::path& path : list_sources(root)) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) continue;
    files.push_back({fs::relative(path, root, error).generic_string(),
                     std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>())});
  }
  for (const auto& [path, text] : options.open_files) {
    const auto same =
        std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
    if (same != files.end()) {
      same->text = text;
    } else {
      files.push_back({path, text});
    }
  }
  return files;
}

}  // namespace firstfault
