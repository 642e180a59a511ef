#include "lsp/framing.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace firstfault::lsp {
namespace {

constexpr std::size_t kMaxHeaderBytes = 8 * 1024;
constexpr std::string_view kLengthName = "content-length:";

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Where the last "Content-Length:" begins, npos if there is none.
std::size_t find_length(std::string_view text) {
  const auto found = std::find_end(text.begin(), text.end(), kLengthName.begin(), kLengthName.end(),
                                   [](char a, char b) { return lower(a) == b; });
  return found == text.end() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

std::optional<std::size_t> parse_length(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  std::size_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc()) return std::nullopt;
  const bool ends_well = end == text.data() + text.size() || *end == '\r' || *end == '\n' || *end == ' ';
  return ends_well ? std::optional(value) : std::nullopt;
}

bool ends_block(const std::string& header) {
  return header.ends_with("\r\n\r\n") || header.ends_with("\n\n") || header == "\r\n" || header == "\n";
}

// Whether the text is nothing but header lines, so that nothing foreign stands before Content-Length.
bool only_fields(std::string_view text) {
  if (!text.empty() && text.back() != '\n') return false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view name = text.substr(0, text.find(':'));
    const bool is_name = name.size() < end && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '-';
                         });
    if (!is_name && text.substr(0, end) != "\r" && end != 0) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

void Framer::feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) bytes = in_body_ ? take_body(bytes, sink) : take_header(bytes, sink);
}

std::string_view Framer::take_header(std::string_view bytes, const Sink& sink) {
  // Line by line, so that the end of the block is found without looking at a byte twice.
  const std::size_t newline = bytes.find('\n');
  const std::size_t count =
      std::min(newline == std::string_view::npos ? bytes.size() : newline + 1, kMaxHeaderBytes);
  header_.append(bytes.substr(0, count));
  if (ends_block(header_)) {
    finish_header(sink);
  } else if (header_.size() > kMaxHeaderBytes) {
    drop_garbage(sink);
  }
  return bytes.substr(count);
}

void Framer::finish_header(const Sink& sink) {
  const std::string header = std::move(header_);
  header_.clear();
  const std::size_t at = find_length(header);
  const auto length = at == std::string::npos
                          ? std::nullopt
                          : parse_length(std::string_view(header).substr(at + kLengthName.size()));
  if (!length) {
    // A stray blank line is no news.
    if (header.find_first_not_of("\r\n") != std::string::npos) {
      report_garbage("a header without a valid Content-Length", sink);
    }
    return;
  }
  if (*length > kMaxMessageBytes) {
    report_garbage("a message of " + std::to_string(*length) + " bytes; the limit is 1 GiB", sink);
    return;
  }
  if (!only_fields(std::string_view(header).substr(0, at))) report_garbage("bytes before a header", sink);
  in_garbage_ = false;
  body_size_ = *length;
  in_body_ = body_size_ > 0;
  if (!in_body_) sink(Frame{"", ""});
}

std::string_view Framer::take_body(std::string_view bytes, const Sink& sink) {
  const std::size_t count = std::min(bytes.size(), body_size_ - body_.size());
  body_.append(bytes.substr(0, count));
  if (body_.size() == body_size_) {
    in_body_ = false;
    Frame frame{std::move(body_), ""};
    body_.clear();
    sink(std::move(frame));
  }
  return bytes.substr(count);
}

void Framer::drop_garbage(const Sink& sink) {
  report_garbage("no header in " + std::to_string(kMaxHeaderBytes) + " bytes", sink);
  // A header may have begun at the very end of what is dropped.
  const std::size_t at = find_length(header_);
  const std::size_t recent = header_.size() - std::min(header_.size(), kLengthName.size() + 32);
  header_.erase(0, at != std::string::npos && at >= recent ? at : recent);
}

void Framer::report_garbage(const std::string& what, const Sink& sink) {
  if (!in_garbage_) sink(Frame{"", what});
  in_garbage_ = true;
}

std::string frame_message(std::string_view body) {
  std::string out = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out.append(body);
  return out;
}

}  // namespace firstfault::lsp
