#include "lsp/uri.hpp"

#include <cctype>
#include <filesystem>

namespace firstfault::lsp {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

bool unreserved(unsigned char c) {
  return (c < 0x80 && std::isalnum(c) != 0) || c == '-' || c == '.' || c == '_' || c == '~';
}

// "FILE:" and "file:" are the same scheme.
bool has_file_scheme(std::string_view uri) {
  constexpr std::string_view kScheme = "file:";
  if (uri.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(uri[i])) != kScheme[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> uri_to_path(std::string_view uri) {
  if (!has_file_scheme(uri)) return std::nullopt;
  uri.remove_prefix(5);
  uri = uri.substr(0, uri.find_first_of("?#"));
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const std::size_t slash = uri.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view host = uri.substr(0, slash);
    if (!host.empty() && host != "localhost") return std::nullopt;  // a file of another machine
    uri.remove_prefix(slash);
  }
  const std::string path = percent_decode(uri);
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) return std::nullopt;
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

std::string path_to_uri(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (unreserved(byte) || c == '/') {
      uri.push_back(c);
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

std::string uri_to_name(std::string_view uri) {
  if (auto path = uri_to_path(uri)) return *path;
  const std::size_t colon = uri.find(':');
  std::string_view rest = colon == std::string_view::npos ? uri : uri.substr(colon + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  if (rest.starts_with("//")) rest.remove_prefix(2);
  std::string name = percent_decode(rest);
  return name.empty() ? "document" : name;
}

std::string base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace firstfault::lsp
