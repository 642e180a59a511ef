// The folders that the client opened.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace firstfault::lsp {

class Workspace {
 public:
  void add(const std::vector<std::string>& uris);  // those that are no file URIs are ignored
  void remove(const std::vector<std::string>& uris);

  // The folder that holds a path, the innermost one of several; else the first folder; "" if there is none.
  std::string folder_for(const std::string& path) const;

 private:
  std::vector<std::string> folders_;
};

// `path` relative to a folder that holds it, nullopt if the folder does not.
std::optional<std::string> relative_to(const std::string& folder, const std::string& path);

}  // namespace firstfault::lsp
