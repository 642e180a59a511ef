#include "flight/pickle_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <vector>

namespace firstfault {
namespace {

using Id = ValueTree::Id;
using Kind = ValueTree::Kind;

constexpr unsigned kOldestProtocol = 2;
constexpr unsigned kNewestProtocol = 5;
constexpr std::size_t kMaxStack = 1'000'000;

struct Opcode {
  unsigned char code;
  const char* name;
};

// What could act, by name, so that the message says what was refused.
constexpr Opcode kRefused[] = {{'c', "GLOBAL"},      {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
                               {'b', "BUILD"},       {'i', "INST"},          {'o', "OBJ"},
                               {0x81, "NEWOBJ"},     {0x92, "NEWOBJ_EX"},    {0x82, "EXT1"},
                               {0x83, "EXT2"},       {0x84, "EXT4"},         {'P', "PERSID"},
                               {'Q', "BINPERSID"},   {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
                               {0x8f, "EMPTY_SET"},  {0x90, "ADDITEMS"},     {0x91, "FROZENSET"},
                               {0x96, "BYTEARRAY8"}, {'I', "INT"},           {'L', "LONG"},
                               {'F', "FLOAT"},       {'S', "STRING"},        {'V', "UNICODE"},
                               {'g', "GET"},         {'p', "PUT"},           {'0', "POP"},
                               {'1', "POP_MARK"},    {'2', "DUP"},           {'d', "DICT"},
                               {'l', "LIST"},        {0x8b, "LONG4"}};

std::string name_of(unsigned char code) {
  for (const Opcode& opcode : kRefused) {
    if (opcode.code == code) return opcode.name;
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  return std::string("0x") + kDigits[code >> 4] + kDigits[code & 15];
}

class PickleReader {
 public:
  PickleReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<ValueTree> read() {
    if (!begin()) return error_;
    while (!done_) {
      start_ = at_;
      std::uint64_t code = 0;
      if (!number(1, &code) || !step(static_cast<unsigned char>(code))) return error_;
      if (values_.full() || stack_.size() > kMaxStack || memo_.size() > ValueTree::kMaxValues) {
        fail("holds more values than a flight recorder dump does");
        return error_;
      }
    }
    return std::move(values_);
  }

 private:
  bool fail(const std::string& what) {
    error_ = Error{name_ + ": byte " + std::to_string(start_) + " of the pickle " + what +
                   "; give the dump as PyTorch wrote it, or leave the file out"};
    return false;
  }

  bool truncated() {
    return fail("is where the file ends too early: it is truncated (" + std::to_string(bytes_.size()) +
                " bytes)");
  }

  bool begin() {
    if (bytes_.size() < 2) return truncated();
    const auto protocol = static_cast<unsigned char>(bytes_[1]);
    if (static_cast<unsigned char>(bytes_[0]) != 0x80 || protocol < kOldestProtocol ||
        protocol > kNewestProtocol) {
      return fail("begins no pickle of protocol 2 to 5");
    }
    at_ = 2;
    return true;
  }

  // An unsigned little-endian number of `size` bytes.
  bool number(std::size_t size, std::uint64_t* value) {
    if (bytes_.size() - at_ < size) return truncated();
    *value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      *value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    }
    at_ += size;
    return true;
  }

  bool take(std::uint64_t size, std::string_view* text) {
    if (bytes_.size() - at_ < size) return truncated();
    *text = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return true;
  }

  bool push(Id id) {
    stack_.push_back(id);
    return true;
  }

  bool integer(std::size_t size, bool with_sign) {
    std::uint64_t raw = 0;
    if (!number(size, &raw)) return false;
    if (with_sign && size == 4)
      return push(values_.integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(raw))));
    return push(values_.integer(static_cast<std::int64_t>(raw)));
  }

  // A two's complement number of any length; what does not fit is held at the limit.
  bool long_integer() {
    std::uint64_t size = 0;
    std::string_view raw;
    if (!number(1, &size) || !take(size, &raw)) return false;
    const bool negative = !raw.empty() && (static_cast<unsigned char>(raw.back()) & 0x80) != 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    bool fits = true;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto byte = static_cast<unsigned char>(raw[i]);
      if (i < 8) {
        value &= ~(std::uint64_t{0xff} << (8 * i));
        value |= static_cast<std::uint64_t>(byte) << (8 * i);
      } else {
        fits = fits && byte == (negative ? 0xff : 0);
      }
    }
    if (raw.size() >= 8) fits = fits && ((value >> 63) != 0) == negative;
    using Limits = std::numeric_limits<std::int64_t>;
    return push(values_.integer(fits       ? static_cast<std::int64_t>(value)
                                : negative ? Limits::min()
                                           : Limits::max()));
  }

  bool real() {
    std::string_view raw;
    if (!take(8, &raw)) return false;
    std::uint64_t bits = 0;
    for (const char c : raw) bits = bits << 8 | static_cast<unsigned char>(c);
    return push(values_.real(std::bit_cast<double>(bits)));
  }

  bool text(std::size_t size_bytes) {
    std::uint64_t size = 0;
    std::string_view content;
    return number(size_bytes, &size) && take(size, &content) && push(values_.text(content));
  }

  // The values above the last mark, which is removed.
  bool above_mark(std::size_t* first) {
    if (marks_.empty()) return fail("asks for a mark that was never set");
    *first = marks_.back();
    marks_.pop_back();
    return true;
  }

  bool fill(Id container, std::size_t first) {
    for (std::size_t i = first; i < stack_.size(); ++i) {
      if (!values_.append(container, stack_[i])) return fail("nests deeper than a flight recorder dump does");
    }
    stack_.resize(first);
    return true;
  }

  // How many values lie above the last mark, where opcodes may take them from.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  bool tuple(std::size_t first) {
    const Id id = values_.container(Kind::kList);
    return fill(id, first) && push(id);
  }

  bool small_tuple(std::size_t count) {
    if (available() < count) return fail("takes more values than there are");
    return tuple(stack_.size() - count);
  }

  // The values from `first` on go into the container below them.
  bool add(std::size_t first, Kind kind) {
    if (first == 0 || values_.at(stack_[first - 1]).kind != kind) {
      return fail("adds to something that is no " + std::string(kind == Kind::kDict ? "dictionary" : "list"));
    }
    if (kind == Kind::kDict && (stack_.size() - first) % 2 != 0) return fail("sets a key without a value");
    return fill(stack_[first - 1], first);
  }

  bool add_marked(Kind kind) {
    std::size_t first = 0;
    return above_mark(&first) && add(first, kind);
  }

  bool add_few(std::size_t count, Kind kind) {
    if (available() < count + 1) return fail("takes more values than there are");
    return add(stack_.size() - count, kind);
  }

  bool put(std::size_t size_bytes) {
    std::uint64_t slot = memo_.size();
    if (size_bytes != 0 && !number(size_bytes, &slot)) return false;
    if (available() == 0) return fail("remembers a value that is not there");
    memo_[slot] = stack_.back();
    return true;
  }

  bool get(std::size_t size_bytes) {
    std::uint64_t slot = 0;
    if (!number(size_bytes, &slot)) return false;
    const auto found = memo_.find(slot);
    return found == memo_.end() ? fail("recalls a value that was never remembered") : push(found->second);
  }

  bool frame() {
    std::uint64_t size = 0;
    if (!number(8, &size)) return false;
    return size > bytes_.size() - at_ ? truncated() : true;
  }

  bool mark() {
    if (marks_.size() >= ValueTree::kMaxDepth) return fail("nests deeper than a flight recorder dump does");
    marks_.push_back(stack_.size());
    return true;
  }

  bool stop() {
    if (stack_.size() != 1 || !marks_.empty()) return fail("ends with open values");
    values_.set_root(stack_.back());
    done_ = true;
    return true;
  }

  bool step(unsigned char code) {
    switch (code) {
      case 0x95:
        return frame();
      case '.':
        return stop();
      case '(':
        return mark();
      case 'q':
        return put(1);
      case 'r':
        return put(4);
      case 0x94:
        return put(0);
      case 'h':
        return get(1);
      case 'j':
        return get(4);
      default:
        return atom(code);
    }
  }

  bool atom(unsigned char code) {
    switch (code) {
      case 'N':
        return push(values_.null());
      case 0x88:
        return push(values_.boolean(true));
      case 0x89:
        return push(values_.boolean(false));
      case 'K':
        return integer(1, false);
      case 'M':
        return integer(2, false);
      case 'J':
        return integer(4, true);
      case 0x8a:
        return long_integer();
      case 'G':
        return real();
      case 0x8c:  // SHORT_BINUNICODE
      case 'C':   // SHORT_BINBYTES
      case 'U':   // SHORT_BINSTRING
        return text(1);
      case 'X':  // BINUNICODE
      case 'B':  // BINBYTES
      case 'T':  // BINSTRING
        return text(4);
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
        return text(8);
      default:
        return compound(code);
    }
  }

  bool compound(unsigned char code) {
    std::size_t first = 0;
    switch (code) {
      case '}':
        return push(values_.container(Kind::kDict));
      case ']':
      case ')':
        return push(values_.container(Kind::kList));
      case 't':
        return above_mark(&first) && tuple(first);
      case 0x85:
        return small_tuple(1);
      case 0x86:
        return small_tuple(2);
      case 0x87:
        return small_tuple(3);
      case 'a':
        return add_few(1, Kind::kList);
      case 'e':
        return add_marked(Kind::kList);
      case 's':
        return add_few(2, Kind::kDict);
      case 'u':
        return add_marked(Kind::kDict);
      default:
        return fail("has the opcode " + name_of(code) + ", which plain data does not need: it is refused");
    }
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the opcode that is being read
  bool done_ = false;
  ValueTree values_;
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Id> memo_;
  Error error_;
};

}  // namespace

Result<ValueTree> read_pickle(std::string_view bytes, const std::string& name) {
  return PickleReader(bytes, name).read();
}

}  // namespace firstfault
