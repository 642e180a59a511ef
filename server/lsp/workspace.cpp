#include "lsp/workspace.hpp"

#include <algorithm>

#include "lsp/uri.hpp"

namespace firstfault::lsp {

void Workspace::add(const std::vector<std::string>& uris) {
  for (const std::string& uri : uris) {
    const auto path = uri_to_path(uri);
    if (path && std::find(folders_.begin(), folders_.end(), *path) == folders_.end())
      folders_.push_back(*path);
  }
}

void Workspace::remove(const std::vector<std::string>& uris) {
  for (const std::string& uri : uris) {
    if (const auto path = uri_to_path(uri)) std::erase(folders_, *path);
  }
}

std::string Workspace::folder_for(const std::string& path) const {
  std::string best;
  for (const std::string& folder : folders_) {
    if (relative_to(folder, path) && folder.size() > best.size()) best = folder;
  }
  if (best.empty() && !folders_.empty()) best = folders_.front();
  return best;
}

std::optional<std::string> relative_to(const std::string& folder, const std::string& path) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  if (folder.empty() || !path.starts_with(prefix) || path.size() == prefix.size()) return std::nullopt;
  return path.substr(prefix.size());
}

}  // namespace firstfault::lsp
