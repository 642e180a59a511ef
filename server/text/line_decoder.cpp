#include "text/line_decoder.hpp"

#include <utility>

namespace firstfault {
namespace {

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kBell = 0x07;
constexpr std::uint32_t kReplacement = 0xfffd;
// A sequence that never ends must not swallow the log: it is given up at a line break, and at this many
// bytes.
constexpr std::size_t kMaxEscapeBytes = 512;

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Bytes that end a run of plain text in UTF-8: control characters and DEL.
bool is_plain(unsigned char byte) { return byte >= 0x20 && byte != 0x7f; }

}  // namespace

LineDecoder::LineDecoder(Sink sink) : sink_(std::move(sink)) {}

void LineDecoder::feed(std::string_view bytes) {
  if (encoding_ == Encoding::kUnknown) {
    head_.append(bytes);
    detect(false);
    if (encoding_ == Encoding::kUnknown) return;
    const std::string head = std::exchange(head_, {});
    feed_units(head);
  } else {
    feed_units(bytes);
  }
}

void LineDecoder::finish() {
  if (encoding_ == Encoding::kUnknown) {
    detect(true);
    const std::string head = std::exchange(head_, {});
    feed_units(head);
  }
  if (!partial_.empty() || high_surrogate_ != 0) {
    high_surrogate_ = 0;
    push_code_point(kReplacement);
    consumed_ += partial_.size();
    partial_.clear();
  }
  if (open_) end_line();
}

std::uint64_t LineDecoder::lines() const { return number_; }

std::uint64_t LineDecoder::bytes() const { return consumed_ + partial_.size() + head_.size(); }

// Decides by the byte order mark. At most two bytes are ever held back.
void LineDecoder::detect(bool at_end) {
  const auto at = [this](std::size_t i) { return static_cast<unsigned char>(head_[i]); };
  if (head_.empty() && !at_end) return;
  std::size_t mark = 0;
  Encoding encoding = Encoding::kUtf8;
  if (head_.size() >= 2 && at(0) == 0xff && at(1) == 0xfe) {
    encoding = Encoding::kUtf16Le;
    mark = 2;
  } else if (head_.size() >= 2 && at(0) == 0xfe && at(1) == 0xff) {
    encoding = Encoding::kUtf16Be;
    mark = 2;
  } else if (head_.size() >= 3 && at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf) {
    mark = 3;
  } else if (!at_end && may_become_mark()) {
    return;
  }
  encoding_ = encoding;
  consumed_ += mark;
  line_offset_ = mark;
  head_.erase(0, mark);
}

bool LineDecoder::may_become_mark() const {
  static constexpr std::string_view kMarks[] = {"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"};
  for (const std::string_view mark : kMarks) {
    if (head_.size() < mark.size() && mark.substr(0, head_.size()) == head_) return true;
  }
  return false;
}

void LineDecoder::feed_units(std::string_view bytes) {
  if (encoding_ == Encoding::kUtf8) {
    feed_utf8(bytes);
    return;
  }
  for (const char byte : bytes) {
    if (partial_.empty()) {
      partial_.push_back(byte);
      continue;
    }
    const auto first = static_cast<unsigned char>(partial_[0]);
    const auto second = static_cast<unsigned char>(byte);
    partial_.clear();
    const std::uint32_t unit =
        encoding_ == Encoding::kUtf16Le ? first | (second << 8) : (first << 8) | second;
    feed_unit(unit);
    consumed_ += 2;
  }
}

// Plain runs are appended whole: this is the loop that decides how fast a log is read.
void LineDecoder::feed_utf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (escape_ == Escape::kNone && !pending_cr_) {
      std::size_t end = i;
      while (end < bytes.size() && is_plain(static_cast<unsigned char>(bytes[end]))) ++end;
      if (end > i) {
        append(bytes.substr(i, end - i));
        consumed_ += end - i;
        i = end;
        continue;
      }
    }
    push(static_cast<unsigned char>(bytes[i]), 1);
    ++consumed_;
    ++i;
  }
}

void LineDecoder::feed_unit(std::uint32_t unit) {
  if (high_surrogate_ != 0) {
    const std::uint32_t high = std::exchange(high_surrogate_, 0);
    if (is_low_surrogate(unit)) {
      push_code_point(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
      return;
    }
    push_code_point(kReplacement);
  }
  if (is_high_surrogate(unit)) {
    pending_cr_ = false;
    high_surrogate_ = unit;
  } else if (is_low_surrogate(unit)) {
    push_code_point(kReplacement);
  } else {
    push_code_point(unit);
  }
}

void LineDecoder::push_code_point(std::uint32_t code_point) {
  if (code_point < 0x80) {
    push(static_cast<unsigned char>(code_point), 2);
    return;
  }
  pending_cr_ = false;
  char utf8[4];
  std::size_t size = 0;
  const auto tail = [](std::uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  if (code_point < 0x800) {
    utf8[size++] = static_cast<char>(0xc0 | (code_point >> 6));
  } else if (code_point < 0x10000) {
    utf8[size++] = static_cast<char>(0xe0 | (code_point >> 12));
    utf8[size++] = tail(code_point >> 6);
  } else {
    utf8[size++] = static_cast<char>(0xf0 | (code_point >> 18));
    utf8[size++] = tail(code_point >> 12);
    utf8[size++] = tail(code_point >> 6);
  }
  utf8[size++] = tail(code_point);
  for (std::size_t i = 0; i < size; ++i) push(static_cast<unsigned char>(utf8[i]), 2);
}

// `width`: bytes of the source that a line break at this byte takes, so that offsets count source bytes.
void LineDecoder::push(unsigned char byte, std::size_t width) {
  if (pending_cr_) {
    if (byte == '\n') {
      pending_cr_ = false;
      line_offset_ = consumed_ + width;
      return;
    }
    pending_cr_ = false;
  }
  if (byte == '\n' || byte == '\r') {
    escape_ = Escape::kNone;
    open_ = true;
    end_line();
    line_offset_ = consumed_ + width;
    pending_cr_ = byte == '\r';
    return;
  }
  open_ = true;
  if (escape_ != Escape::kNone && push_escape(byte)) return;
  if (byte == kEscape) {
    escape_ = Escape::kEsc;
    escape_bytes_ = 0;
    return;
  }
  const char shown = byte == '\t' || is_plain(byte) ? static_cast<char>(byte) : ' ';
  append({&shown, 1});
}

// Whether the byte belonged to the escape sequence.
bool LineDecoder::push_escape(unsigned char byte) {
  if (++escape_bytes_ > kMaxEscapeBytes) {
    escape_ = Escape::kNone;
    return false;
  }
  switch (escape_) {
    case Escape::kEsc:
      return begin_escape(byte);
    case Escape::kCsi:
      if (byte >= 0x40 && byte <= 0x7e) {
        escape_ = Escape::kNone;
        return true;
      }
      if (byte >= 0x20 && byte < 0x40) return true;
      escape_ = Escape::kNone;  // not a CSI after all: what follows is text again
      return false;
    case Escape::kOsc:
      if (byte == kBell) {
        escape_ = Escape::kNone;
      } else if (byte == kEscape) {
        escape_ = Escape::kOscEsc;
      }
      return true;
    case Escape::kOscEsc:
      if (byte == '\\') {
        escape_ = Escape::kNone;
        return true;
      }
      return begin_escape(byte);  // the OSC was cut off by a new sequence
    case Escape::kCharset:
      escape_ = Escape::kNone;
      return byte < 0x80;
    case Escape::kNone:
      break;
  }
  return false;
}

bool LineDecoder::begin_escape(unsigned char byte) {
  switch (byte) {
    case '[':
      escape_ = Escape::kCsi;
      return true;
    case ']':
    case 'P':  // DCS, APC, PM and SOS strings end as OSC does
    case '_':
    case '^':
    case 'X':
      escape_ = Escape::kOsc;
      return true;
    case '(':
    case ')':
    case '*':
    case '+':
    case '#':
    case '%':
      escape_ = Escape::kCharset;
      return true;
    case kEscape:
      escape_ = Escape::kEsc;
      return true;
    default:
      escape_ = Escape::kNone;
      return byte >= 0x30 && byte < 0x7f;  // ESC 7, ESC =, ESC M and their like
  }
}

void LineDecoder::append(std::string_view text) {
  open_ = true;
  if (line_.size() < kMaxLineBytes) line_.append(text.substr(0, kMaxLineBytes - line_.size()));
}

void LineDecoder::end_line() {
  sink_(Line{++number_, line_offset_, line_});
  line_.clear();
  escape_ = Escape::kNone;
  open_ = false;
}

}  // namespace firstfault
