// One line of a source, as every later stage sees it.
#pragma once

#include <cstdint>
#include <string_view>

namespace firstfault {

// Lines end at "\n", "\r\n" and a lone "\r" (progress bars), as in LSP, so that a number here is a number
// there.
struct Line {
  std::uint64_t number = 0;  // 1-based
  std::uint64_t offset = 0;  // byte offset of the line's first byte in the source as it is on disk
  std::string_view text;     // UTF-8 where the source is (bad bytes are kept), no terminator, no terminal
                             // escapes; valid during the call that hands it out; at most kMaxLineBytes
};

// Longer lines are cut: the rest is skipped up to the line's end. A traceback line is never this long.
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;

}  // namespace firstfault
