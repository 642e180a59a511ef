// Bytes in, lines out: encoding, line breaks and terminal escapes are dealt with here and nowhere else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "text/line.hpp"

namespace firstfault {

// A push decoder. Chunks may cut anywhere, also inside a UTF-8 sequence, an escape sequence or "\r\n"; the
// lines are the same however the bytes are cut. Appending a chunk costs the chunk. Memory: one line.
//
// Handles UTF-8 with and without BOM (bad bytes kept), UTF-16 LE/BE with BOM, "\n", "\r\n", lone "\r", ANSI
// CSI and OSC sequences (removed), NUL and other C0 control characters (replaced by a space, tab kept).
class LineDecoder {
 public:
  using Sink = std::function<void(const Line&)>;

  explicit LineDecoder(Sink sink);

  void feed(std::string_view bytes);
  void finish();  // hands out the last line where it has no terminator; the decoder is then done

  std::uint64_t lines() const;  // handed out so far
  std::uint64_t bytes() const;  // fed so far

 private:
  enum class Encoding { kUnknown, kUtf8, kUtf16Le, kUtf16Be };
  enum class Escape { kNone, kEsc, kCsi, kOsc, kOscEsc, kCharset };

  void detect(bool at_end);
  bool may_become_mark() const;
  void feed_units(std::string_view bytes);
  void feed_utf8(std::string_view bytes);
  void feed_unit(std::uint32_t unit);
  void push(unsigned char byte, std::size_t width);
  void push_code_point(std::uint32_t code_point);
  bool push_escape(unsigned char byte);
  bool begin_escape(unsigned char byte);
  void append(std::string_view text);
  void end_line();

  Sink sink_;
  Encoding encoding_ = Encoding::kUnknown;
  Escape escape_ = Escape::kNone;
  std::size_t escape_bytes_ = 0;
  std::string head_;     // bytes held back until the encoding is known
  std::string line_;     // the open line
  std::string partial_;  // half of a UTF-16 unit
  std::uint32_t high_surrogate_ = 0;
  bool pending_cr_ = false;  // the last line ended at "\r": a "\n" now belongs to it
  bool open_ = false;        // the open line has begun (it may be empty)
  std::uint64_t number_ = 0;
  std::uint64_t consumed_ = 0;  // bytes decoded so far
  std::uint64_t line_offset_ = 0;
};

}  // namespace firstfault
