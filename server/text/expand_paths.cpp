// Which files a list of paths stands for.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "text/source.hpp"

namespace firstfault {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Natural order: runs of digits compare as numbers, so that rank 2 comes before rank 10.
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      while (i < a.size() && a[i] == '0') ++i;
      while (j < b.size() && b[j] == '0') ++j;
      std::size_t end_a = i;
      std::size_t end_b = j;
      while (end_a < a.size() && is_digit(a[end_a])) ++end_a;
      while (end_b < b.size() && is_digit(b[end_b])) ++end_b;
      if (end_a - i != end_b - j) return end_a - i < end_b - j;
      const int order = a.substr(i, end_a - i).compare(b.substr(j, end_b - j));
      if (order != 0) return order < 0;
      i = end_a;
      j = end_b;
    } else if (a[i] != b[j]) {
      if (a[i] == '/' || b[j] == '/') return a[i] == '/';  // a folder's files stay together
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // "rank01" and "rank1": any order, but always the same
}

// Files of a run's folder that are no logs, known by their name so that they need not be opened.
bool has_other_ending(const std::string& name) {
  static constexpr auto kEndings = std::to_array<std::string_view>(
      {".pt",      ".pth",    ".bin",   ".ckpt", ".safetensors", ".npz",   ".npy",      ".zip",
       ".gz",      ".tgz",    ".bz2",   ".xz",   ".zst",         ".tar",   ".7z",       ".png",
       ".jpg",     ".jpeg",   ".gif",   ".webp", ".svg",         ".pdf",   ".parquet",  ".arrow",
       ".feather", ".h5",     ".hdf5",  ".pkl",  ".joblib",      ".onnx",  ".tfrecord", ".tfevents",
       ".db",      ".sqlite", ".so",    ".o",    ".a",           ".pyc",   ".whl",      ".egg",
       ".mp4",     ".wav",    ".flac",  ".mp3",  ".nsys-rep",    ".qdrep", ".core",     ".idx",
       ".model",   ".py",     ".ipynb", ".sh",   ".sbatch",      ".yaml",  ".yml",      ".toml",
       ".ini",     ".cfg",    ".md",    ".html", ".css",         ".js",    ".ts",       ".c",
       ".h",       ".cc",     ".cpp",   ".hpp",  ".cu",          ".cuh"});
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) {
                       return lower.size() > ending.size() && std::string_view(lower).ends_with(ending);
                     }) ||
         lower.starts_with("events.out.tfevents");
}

// Flight recorder dumps are pickles, and people name them so.
bool has_pickle_ending(std::string_view name) {
  return name.ends_with(".pkl") || name.ends_with(".pickle") || name.ends_with(".bin") ||
         name.ends_with(".pt");
}

// A file that is gone since the folder was listed is none. One that may not be read is an error: a rank whose
// log is silently missing would look like a rank that fell silent.
Result<bool> is_input_file(const std::string& path, bool only_dumps) {
  auto source = open_file(path);
  if (!source && ::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), R_OK) != 0)
    return source.error();
  if (!source) return false;
  std::array<char, 8192> head;
  std::size_t filled = 0;
  while (filled < head.size()) {
    auto count = (*source)->read(head.data() + filled, head.size() - filled);
    if (!count) return false;
    if (*count == 0) break;
    filled += *count;
  }
  const std::string_view begin(head.data(), filled);
  return looks_like_flight_dump(begin) || (!only_dumps && !looks_binary(begin));
}

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

Error folder_error(const std::string& folder, const std::error_code& code) {
  if (code == std::errc::permission_denied) {
    return {folder + ": permission denied; make the folder readable or leave it out"};
  }
  return {folder + ": cannot be listed (" + code.message() + "); check the folder"};
}

// Collects the logs below `folder`. Sub-folders that cannot be listed are an error, as files are.
Result<bool> collect(const std::string& folder, std::vector<std::string>* files) {
  std::error_code code;
  std::vector<std::string> folders;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    const std::string path = join(folder, name);
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!entry->is_symlink(ignored)) folders.push_back(path);
    } else if (entry->is_regular_file(ignored) && (!has_other_ending(name) || has_pickle_ending(name))) {
      const auto is_input = is_input_file(path, has_other_ending(name));
      if (!is_input) return is_input.error();
      if (*is_input) files->push_back(path);
    }
  }
  if (code) return folder_error(folder, code);
  for (const std::string& path : folders) {
    if (auto below = collect(path, files); !below) return below;
  }
  return true;
}

Result<bool> expand_one(const std::string& path, std::vector<std::string>* files) {
  if (path == "-") {
    files->push_back(path);
    return true;
  }
  struct stat status = {};
  const bool found = ::stat(path.c_str(), &status) == 0;
  if (!found || !S_ISDIR(status.st_mode)) {
    // Opening tells what is wrong, but only a regular file may be opened twice: a FIFO would lose its writer.
    if (!found || S_ISREG(status.st_mode)) {
      if (auto opened = open_file(path); !opened) return opened.error();
    }
    files->push_back(path);
    return true;
  }
  std::vector<std::string> below;
  if (auto listed = collect(path, &below); !listed) return listed;
  if (below.empty()) {
    return Error{path +
                 ": no log in this folder; name a folder that holds text logs, or the log files themselves"};
  }
  std::sort(below.begin(), below.end(), natural_less);
  files->insert(files->end(), below.begin(), below.end());
  return true;
}

}  // namespace

Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths) {
  if (paths.empty()) return Error{"no input; name a log file, a folder of logs, or - for standard input"};
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path.empty()) return Error{"an input's path is empty; name a log file, a folder of logs, or -"};
    if (auto expanded = expand_one(path, &files); !expanded) return expanded.error();
  }
  // A file that is named twice ("logs logs/train.log") is one source.
  std::unordered_set<std::string> seen;
  std::erase_if(files, [&](const std::string& file) { return !seen.insert(file).second; });
  return files;
}

}  // namespace firstfault
