// Takes the prefixes off one line. Private to context/: ContextReader is the door.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "context/line_context.hpp"
#include "context/scan.hpp"
#include "context/source_habits.hpp"

namespace firstfault {

// How much a line's (or path's) word about its global rank is worth: the stronger one stands.
enum class RankWord {
  kNone,
  kGroupText,  // "[Rank 1]" of an NCCL watchdog before PyTorch 2.3: the group's rank, and often the global
               // one
  kPathGuess,  // attempt_0/3/: local, and global on a single node
  kLabel,      // srun -l
  kLoose,      // "rank=3" among other words
  kPath,       // rank_3.log
  kStamp,      // "[rank 3]", the default group's rank
  kTag,        // mpirun --tag-output
  kPrefix,     // "[rank3]:"
};

class PrefixReader {
 public:
  // `context` holds what the path says; the line's own words are written over it.
  PrefixReader(std::string_view text, SourceHabits* habits, RankWord known, LineContext* context)
      : text_(text), habits_(habits), word_(known), context_(context) {}

  void read();
  RankWord rank_word() const { return word_; }

 private:
  enum class Kind { kNone, kTime, kLevel, kPlace, kSeparator, kOther };

  bool step();
  bool parenthesis(Cursor at);
  bool separator(Cursor at);
  void look_inside();
  void find_late_rank();
  void settle();

  // bracket_prefixes.cpp
  bool bracket(Cursor at);
  bool bracket_number(Cursor at);
  bool bracket_label(Cursor at, std::int64_t number);
  bool bracket_time(Cursor at);
  bool bracket_uptime(Cursor at);
  bool bracket_word(Cursor at);
  bool bracket_rank(Cursor at);
  bool bracket_group(Cursor at);
  bool bracket_glog(Cursor at);
  bool bracket_level(Cursor at);
  bool bracket_nemo(Cursor at);
  bool bracket_pod(Cursor at);
  bool bracket_role(Cursor at);
  bool bracket_place(Cursor at);
  bool bracket_process(Cursor at);
  bool bracket_name(Cursor at);

  // word_prefixes.cpp
  bool number(Cursor at);
  bool word(Cursor at);
  bool glog(Cursor at, bool in_bracket);
  bool glog_place(Cursor at, bool in_bracket);
  bool level_word(Cursor at);
  bool plain_time(Cursor at);
  bool syslog_host(Cursor at);
  bool scheduler(Cursor at);
  bool composer(Cursor at);
  bool after_line_head() const;
  bool token(Cursor at);
  bool token_colon(std::string_view name, Cursor at);
  bool token_space(std::string_view name, Cursor at);
  bool logger_name(std::string_view name, Cursor at);
  bool nccl(std::string_view host, Cursor at);

  // rank_stamps.cpp
  void loose_stamp();
  bool known_sentence();
  bool stamp_at(std::size_t pos, int index);
  void companions(std::size_t pos);

  bool done(Cursor at, Kind kind, bool space = true);
  void set_rank(std::int64_t rank, RankWord word);
  void set_time(const Timestamp& time);
  void agent_speaks() {
    context_->launcher = true;
    agent_ = true;
  }
  void set_level(char level) {
    if (context_->level == 0) context_->level = level;
  }
  bool stamped() const { return stamped_; }
  bool after_stamp() const { return last_ == Kind::kTime || last_ == Kind::kLevel || last_ == Kind::kPlace; }

  std::string_view text_;
  SourceHabits* habits_;
  RankWord word_;
  LineContext* context_;
  std::size_t pos_ = 0;
  std::size_t scheduler_at_ = std::string_view::npos;  // where a scheduler's name begins
  Kind last_ = Kind::kNone;
  bool stamped_ = false;   // a time or a level was taken off
  bool indented_ = false;  // the candidate stands behind spaces: only unmistakable prefixes count
  bool nccl_log_ = false;  // behind ProcessGroupNCCL's header "[Rank m]" is the group's rank
  bool own_time_ = false;  // the line has a time of its own
  bool dash_ = false;      // the last separator was " - "
  int label_ = -1;         // srun -l
  bool agent_ = false;     // an elastic agent's line
  bool first_ = true;      // nothing was taken off yet
};

// The level that a log's word means, 0 where it is none; *size is the word's length.
char level_of(std::string_view text, std::size_t pos, std::size_t* size);
// Whether a logger's name or a source path belongs to a launcher (torchrun's agent, not its workers).
bool is_launcher_logger(std::string_view name);
bool is_launcher_path(std::string_view path);

}  // namespace firstfault
