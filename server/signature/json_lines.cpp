#include "signature/json_lines.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace firstfault {
namespace {

constexpr int kMaxDepth = 200;

// Walks a JSON text and reports the pointer and the first byte of every value.
class JsonWalk {
 public:
  // `visit(pointer, byte, repeated)`: repeated says that the key stood before in the same object.
  using Visit = std::function<void(const std::string& pointer, std::size_t byte, bool repeated)>;

  JsonWalk(std::string_view json, Visit visit) : json_(json), visit_(std::move(visit)) {}

  void run() {
    skip_space();
    visit_("", at_, false);
    value("", 0);
  }

 private:
  bool value(const std::string& pointer, int depth) {
    if (depth > kMaxDepth || at_ >= json_.size()) return false;
    if (json_[at_] == '{') return object(pointer, depth);
    if (json_[at_] == '[') return array(pointer, depth);
    if (json_[at_] == '"') return string(nullptr);
    const std::size_t end = json_.find_first_of(",]} \t\r\n", at_);
    at_ = std::min(end, json_.size());
    return true;
  }

  bool object(const std::string& pointer, int depth) {
    std::set<std::string> keys;
    ++at_;
    for (skip_space(); !take('}'); skip_space()) {
      const std::size_t start = at_;
      std::string key;
      if (!string(&key)) return false;
      skip_space();
      if (!take(':')) return false;
      skip_space();
      const std::string child = pointer + "/" + pointer_step(key);
      visit_(child, start, !keys.insert(key).second);
      if (!value(child, depth + 1)) return false;
      skip_space();
      take(',');
    }
    return true;
  }

  bool array(const std::string& pointer, int depth) {
    ++at_;
    int index = 0;
    for (skip_space(); !take(']'); skip_space(), ++index) {
      const std::string child = pointer + "/" + std::to_string(index);
      visit_(child, at_, false);
      const std::size_t start = at_;
      if (!value(child, depth + 1) || at_ == start) return false;
      skip_space();
      take(',');
    }
    return true;
  }

  // Keys of these files hold no escapes that matter here, so a backslash only keeps the next byte.
  bool string(std::string* text) {
    if (!take('"')) return false;
    for (; at_ < json_.size(); ++at_) {
      if (json_[at_] == '"') {
        ++at_;
        return true;
      }
      if (json_[at_] == '\\') ++at_;
      if (text != nullptr && at_ < json_.size()) text->push_back(json_[at_]);
    }
    return false;
  }

  bool take(char wanted) {
    if (at_ >= json_.size() || json_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void skip_space() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }

  std::string_view json_;
  Visit visit_;
  std::size_t at_ = 0;
};

bool encloses(std::string_view outer, std::string_view pointer) {
  return pointer.substr(0, outer.size()) == outer &&
         (pointer.size() == outer.size() || pointer[outer.size()] == '/');
}

}  // namespace

int line_of_byte(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

int json_line(std::string_view json, std::string_view pointer) {
  std::size_t best = 0;
  std::size_t best_length = 0;
  JsonWalk(json, [&](const std::string& at, std::size_t byte, bool) {
    // Of a key that stands twice the parser keeps the last, so >= and not >.
    if (!encloses(at, pointer) || at.size() < best_length) return;
    best = byte;
    best_length = at.size();
  }).run();
  return line_of_byte(json, best);
}

std::vector<std::string> duplicate_keys(std::string_view json) {
  std::vector<std::string> pointers;
  JsonWalk(json, [&](const std::string& at, std::size_t, bool repeated) {
    if (repeated) pointers.push_back(at);
  }).run();
  return pointers;
}

std::string pointer_step(std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace firstfault
