// What a source does line after line. Some prefixes ("3: ", "[3] ", "node01: ", "pod-name container ") are
// prefixes only because the source has them everywhere; a single line cannot tell. Counts fade, so memory and
// cost stay constant. One per source, not thread-safe.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace firstfault {

// Numbers that may label every line with its task.
class LabelHabit {
 public:
  // `share`: the part of the lines, in percent, that must have such a label.
  explicit LabelHabit(int share) : share_(share) {}
  void line();           // one more line with text
  void note(int label);  // which begins with this label
  bool active() const { return active_; }
  // Whether the labels number nodes: some line's own rank was another one.
  bool counts_nodes() const { return differ_ > agree_; }
  void compare(int label, int rank);
  void agent();  // an elastic agent speaks under it: one task per node
  void device(int label, int device);

 private:
  void judge();

  int share_;
  bool active_ = false;
  int lines_ = 0;
  int labeled_ = 0;
  int sequential_ = 0;  // label is one more than the last: a numbered list
  int last_ = -1;
  int agree_ = 0;
  int differ_ = 0;
  std::bitset<4096> seen_;
  std::vector<std::int16_t> devices_;
};

// Words that may name the host or pod of every line.
class NameHabit {
 public:
  // `same`: only one name counts, as the container's in every line of stern.
  explicit NameHabit(bool same) : same_(same) {}
  void line();
  void note(std::string_view name);
  bool active() const { return active_; }

 private:
  bool same_;
  bool active_ = false;
  int lines_ = 0;
  int named_ = 0;
  bool several_ = false;  // more than one name was seen
  std::string first_;
};

struct SourceHabits {
  LabelHabit srun{50};
  LabelHabit bracket{30};
  NameHabit host{false};
  NameHabit pod{true};
};

// Whether the word can name a host: "node01", "gpu-st-p4d-22", "fir-a", "10.0.0.5", and not "RuntimeError" or
// "loss".
bool plausible_host(std::string_view word);

}  // namespace firstfault
