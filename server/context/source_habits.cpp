#include "context/source_habits.hpp"

#include <algorithm>

#include "context/scan.hpp"

namespace firstfault {
namespace {

constexpr int kWindow = 256;  // counts are halved here, so that a habit can begin late in a log
constexpr int kFewLines = 3;
constexpr int kSomeLines = 8;

bool is_address(std::string_view word) {
  return std::count(word.begin(), word.end(), '.') == 3 &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

}  // namespace

void LabelHabit::line() {
  if (active_ || ++lines_ < kWindow) return;
  lines_ /= 2;
  labeled_ /= 2;
  sequential_ /= 2;
}

void LabelHabit::note(int label) {
  if (active_ || label < 0 || label >= static_cast<int>(seen_.size())) return;
  ++labeled_;
  if (label == last_ + 1) ++sequential_;
  last_ = label;
  seen_.set(static_cast<std::size_t>(label));
  judge();
}

void LabelHabit::judge() {
  const bool several = seen_.count() >= 2;
  const int least = several ? kFewLines : kSomeLines;
  const int share = several ? share_ : 90;
  if (labeled_ < least || labeled_ * 100 < lines_ * share) return;
  if (labeled_ > kSomeLines && sequential_ * 10 > labeled_ * 8) return;  // "1: ... 2: ... 3: ..." is a list
  active_ = true;
}

void LabelHabit::compare(int label, int rank) { ++(label == rank ? agree_ : differ_); }

void LabelHabit::agent() {
  if (agree_ == 0) ++differ_;
}

void LabelHabit::device(int label, int device) {
  if (label < 0 || label >= static_cast<int>(seen_.size()) || device < 0 || device > 1024) return;
  if (devices_.empty()) devices_.assign(seen_.size(), -1);
  std::int16_t& known = devices_[static_cast<std::size_t>(label)];
  if (known >= 0 && known != device && agree_ == 0) ++differ_;  // one task drives one device
  known = static_cast<std::int16_t>(device);
}

void NameHabit::line() {
  if (active_ || ++lines_ < kWindow) return;
  lines_ /= 2;
  named_ /= 2;
  if (named_ == 0) first_.clear();
}

void NameHabit::note(std::string_view name) {
  if (active_) return;
  if (first_.empty()) first_ = name;
  if (first_ != name) {
    if (same_) return;
    several_ = true;
  }
  ++named_;
  const bool sure = several_ || same_;
  active_ = named_ >= (sure ? kFewLines + 1 : kSomeLines) && named_ * 100 >= lines_ * (sure ? 50 : 80);
}

bool plausible_host(std::string_view word) {
  if (word.size() < 2 || word.size() > 63 || !is_alnum(word.front()) || !is_alnum(word.back())) return false;
  if (is_address(word)) return true;
  const bool digit = std::any_of(word.begin(), word.end(), is_digit);
  const bool dash = word.find('-') != std::string_view::npos;
  const bool upper = std::any_of(word.begin(), word.end(), is_upper);
  if (!std::any_of(word.begin(), word.end(), is_alpha)) return false;
  if (!digit && !dash) return false;
  if (upper && !(digit && dash)) return false;
  static constexpr std::string_view kEndings[] = {".py", ".cc", ".cpp", ".cu", ".c",
                                                  ".h",  ".so", ".sh",  ".hpp"};
  for (const std::string_view ending : kEndings) {
    if (word.ends_with(ending)) return false;
  }
  static constexpr std::string_view kWords[] = {"c10d",  "python3", "python2", "top1", "top5",
                                                "top-1", "top-5",   "mp4",     "fp16", "bf16",
                                                "fp32",  "f1",      "bash-5.1"};
  return std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords);
}

}  // namespace firstfault
