// URIs of documents. Only file URIs have a path; all others are known by their text alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace firstfault::lsp {

// The path of a file URI of this machine ("file:///a%20b", also "file://localhost/..."), normalised.
std::optional<std::string> uri_to_path(std::string_view uri);
// The file URI of an absolute path; every byte outside RFC 3986's unreserved set and "/" is escaped, as VS
// Code does.
std::string path_to_uri(std::string_view path);
// What to call a document in evidence: its path, else the decoded rest of the URI ("Untitled-1").
std::string uri_to_name(std::string_view uri);

std::string base_name(std::string_view path);

}  // namespace firstfault::lsp
