#include "context/prefix_reader.hpp"

#include <cstdlib>

namespace firstfault {
namespace {

constexpr int kMaxPrefixes = 24;
constexpr std::size_t kMaxIndent = 12;
// Two clocks of one line that differ by less show the same moment; more is a zone or a delayed collector.
constexpr std::int64_t kSameMoment = 5'000'000'000;

}  // namespace

void PrefixReader::read() {
  for (int i = 0; i < kMaxPrefixes && step(); ++i) {
  }
  look_inside();
  if (word_ < RankWord::kPrefix) find_late_rank();
  if (!context_->launcher) {
    if (word_ < RankWord::kLoose) {
      loose_stamp();
    } else if (has_word(text_, pos_, "rank") || has_word(text_, pos_, "pid") ||
               has_word(text_, pos_, "local")) {
      companions(pos_);  // a rank introduces itself
    }
  }
  settle();
  // Who speaks is part of what a scheduler's line says ("srun: error: ..."), so the name stays in the
  // message.
  context_->body = scheduler_at_ == std::string_view::npos ? pos_ : scheduler_at_;
}

bool PrefixReader::step() {
  Cursor at{text_, pos_};
  if (at.at_end()) return false;
  indented_ = false;
  if (at.peek() == ' ') {
    indented_ = at.skip_spaces(kMaxIndent) > 0;
    if (at.at_end()) return false;
  }
  const char c = at.peek();
  switch (c) {
    case '[':
      return bracket(at);
    case '(':
      return !indented_ && parenthesis(at);
    case '|':
    case '-':
    case '>':
    case ':':
      return separator(at);
    default:
      if (is_digit(c)) return number(at);
      return (is_alpha(c) || c == '_') && word(at);
  }
}

// Takes off everything before `at` and one space: what is left of an indentation belongs to the message.
bool PrefixReader::done(Cursor at, Kind kind, bool space) {
  if (at.pos > text_.size()) at.pos = text_.size();
  if (space && (at.peek() == ' ' || at.peek() == '\t')) ++at.pos;
  pos_ = at.pos;
  last_ = kind;
  first_ = false;
  if (kind == Kind::kTime || kind == Kind::kLevel) stamped_ = true;
  return true;
}

void PrefixReader::set_rank(std::int64_t rank, RankWord word) {
  if (rank < 0 || rank >= kMaxRank) return;
  if (label_ >= 0 && word >= RankWord::kLoose) habits_->srun.compare(label_, static_cast<int>(rank));
  if (word <= word_) return;
  word_ = word;
  context_->rank = static_cast<int>(rank);
}

// The outer clock stands unless the inner one knows more about the same moment.
void PrefixReader::set_time(const Timestamp& time) {
  if (!own_time_) {
    own_time_ = true;
    context_->time = time;
    return;
  }
  const Timestamp& known = *context_->time;
  const bool dates = time.has_date && !known.has_date;
  const bool wall = known.uptime && !time.uptime;
  const bool years = known.has_date && time.has_year && !known.has_year;
  const bool finer = known.whole_second && !time.whole_second && known.has_year == time.has_year &&
                     known.has_date == time.has_date &&
                     std::llabs(time.nanoseconds - known.nanoseconds) < kSameMoment;
  if (dates || wall || years || finer) context_->time = time;
}

// Ray: "(RayTrainWorker pid=12, ip=10.0.0.1) ", "(raylet) ", "(autoscaler +5s) ".
bool PrefixReader::parenthesis(Cursor at) {
  const std::size_t close = text_.substr(0, at.pos + 160).find(')', at.pos);
  if (close == std::string_view::npos) return false;
  const std::string_view inside = text_.substr(at.pos + 1, close - at.pos - 1);
  const std::size_t pid = inside.find("pid=");
  static constexpr std::string_view kManagers[] = {"raylet", "autoscaler", "gcs_server", "TrainController",
                                                   "dashboard"};
  bool manager = false;
  for (const std::string_view name : kManagers) manager = manager || inside.starts_with(name);
  if (!manager && (pid == std::string_view::npos || (pid > 0 && is_word(inside[pid - 1])))) return false;
  if (pid != std::string_view::npos) {
    Cursor value{inside, pid + 4};
    std::int64_t number = 0;
    if (!value.number(&number)) return false;
    context_->pid = number;
  }
  if (const std::size_t ip = inside.find("ip="); ip != std::string_view::npos) {
    const std::string_view host = inside.substr(ip + 3);
    context_->host = host.substr(0, host.find_first_of(", "));
  }
  if (manager) context_->launcher = true;
  at.pos = close + 1;
  return done(at, Kind::kOther);
}

// What stands between a time, a level and a message: " - ", " | ", ": ", " -- ", " >> ", " || ".
bool PrefixReader::separator(Cursor at) {
  // SageMaker and docker compose put a bar before the time.
  const bool before_time = at.peek() == '|' && at.peek(1) == ' ' && is_digit(at.peek(2)) && at.peek(6) == '-';
  if (!before_time && !after_stamp()) return false;
  if (indented_ && !before_time && at.pos > pos_ + 1) return false;
  static constexpr std::string_view kSeparators[] = {"|| ", "-- ", ">> ", "| ", "- ", ": "};
  for (const std::string_view word : kSeparators) {
    if (!at.eat(word)) continue;
    --at.pos;
    dash_ = word == "- ";
    return done(at, Kind::kSeparator);
  }
  return false;
}

// "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 2] ...": the stamp is inside the message and stays there.
void PrefixReader::look_inside() {
  if (word_ >= RankWord::kStamp) return;
  Cursor at{text_, pos_};
  at.skip_spaces(8);
  if (!at.eat("what():")) return;
  at.skip_spaces(4);
  while (at.eat("what():")) at.skip_spaces(4);
  if (at.peek() != '[') return;
  const std::size_t body = pos_;
  nccl_log_ = true;
  if (!bracket_group(at)) bracket_rank(at);
  pos_ = body;
}

// A progress bar without a line break and a message on one line: "... 2.88s/it][rank5]:[E602 ...".
void PrefixReader::find_late_rank() {
  const std::size_t bar =
      text_.find("/it", pos_) != std::string_view::npos ? text_.find("/it", pos_) : text_.find("it/s", pos_);
  if (bar == std::string_view::npos) return;
  const std::size_t mark = text_.find("][rank", bar);
  if (mark == std::string_view::npos) return;
  Cursor at{text_, mark + 6};
  std::int64_t rank = 0;
  if (!at.number(&rank, 6) || !at.eat("]:")) return;
  pos_ = mark + 1;
  for (int i = 0; i < kMaxPrefixes && step(); ++i) {
  }
}

void PrefixReader::settle() {
  if (!context_->launcher) {
    if (label_ >= 0 && context_->device) habits_->srun.device(label_, *context_->device);
    return;
  }
  if (word_ == RankWord::kPrefix) {  // only a worker that has joined the job prints this
    context_->launcher = false;
    return;
  }
  if (word_ == RankWord::kLabel) {  // the agent of a node speaks, not the rank of that number
    context_->rank.reset();
    word_ = RankWord::kNone;
    if (agent_) habits_->srun.agent();
  }
}

}  // namespace firstfault
