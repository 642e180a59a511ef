// Prefixes that begin with "[".
#include "context/prefix_reader.hpp"
#include "context/timestamp.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxBracket = 160;

// The text between the bracket at `at` and its end; false where it does not end soon.
bool enclosed(Cursor at, std::string_view* inside) {
  const std::size_t close = at.text.substr(0, at.pos + kMaxBracket).find(']', at.pos);
  if (close == std::string_view::npos) return false;
  *inside = at.text.substr(at.pos + 1, close - at.pos - 1);
  return true;
}

bool all_of(std::string_view text, bool (*test)(char)) {
  for (const char c : text) {
    if (!test(c)) return false;
  }
  return !text.empty();
}

bool is_path_char(char c) { return is_word(c) || c == '.' || c == '/' || c == '-' || c == '<' || c == '>'; }

// "<stdout>:" behind an MPI or Horovod rank.
bool eat_stream(Cursor* at, Stream* stream) {
  if (at->eat("<stdout>:")) {
    *stream = Stream::kStdout;
  } else if (at->eat("<stderr>:") || at->eat("<stddiag>:")) {
    *stream = Stream::kStderr;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool PrefixReader::bracket(Cursor at) {
  const char next = at.peek(1);
  if (is_digit(next) || next == ' ' || next == '+') return bracket_number(at);
  return is_alpha(next) && bracket_word(at);
}

bool PrefixReader::bracket_number(Cursor at) {
  if (bracket_time(at) || bracket_uptime(at)) return true;
  Cursor tail{text_, at.pos + 1};
  std::int64_t number = 0;
  if (!tail.number(&number, 9)) return bracket_level(at);
  std::int64_t second = 0;
  if (tail.eat(',')) {  // mpirun --tag-output: [job,rank]
    if (!tail.number(&second, 9) || !tail.eat(']') || !eat_stream(&tail, &context_->stream)) return false;
    set_rank(second, RankWord::kTag);
    return done(tail, Kind::kOther, false);
  }
  if (tail.eat('/')) {  // [time][rank/world size][level]
    if (at.pos == 0 || text_[at.pos - 1] != ']' || !stamped() || !tail.number(&second, 9)) return false;
    if (!tail.eat(']') || tail.peek() != '[' || number >= second) return false;
    set_rank(number, RankWord::kStamp);
    return done(tail, Kind::kOther);
  }
  if (!tail.eat(']')) return false;
  if (eat_stream(&tail, &context_->stream)) {  // horovodrun, mpirun 5
    set_rank(number, RankWord::kTag);
    return done(tail, Kind::kOther, false);
  }
  return !indented_ && bracket_label(tail, number);
}

// "[3] " means a rank (Intel MPI, print(f"[{rank}] ...")), a device (NCCL) or a line number, as what follows
// tells.
bool PrefixReader::bracket_label(Cursor tail, std::int64_t number) {
  const bool colon = tail.eat(':');
  const bool space = tail.peek() == ' ';
  const std::size_t next = tail.pos + (space ? 1 : 0);
  if (!space && !colon) return false;
  if (has_word(text_, next, "[rank")) return done(tail, Kind::kOther);
  const std::string_view rest = text_.substr(next < text_.size() ? next : text_.size()).substr(0, 120);
  const std::size_t nccl = rest.find("NCCL ");
  if (nccl != std::string_view::npos) {
    const std::string_view before = rest.substr(0, nccl);
    const std::size_t word = before.find(' ');
    if (before.find("] ") != std::string_view::npos &&
        before.substr(0, word).find(':') != std::string_view::npos) {
      set_rank(number, RankWord::kStamp);  // the launcher's number before NCCL's own "host:pid:tid [device] "
      return done(tail, Kind::kOther);
    }
    const bool place = word != std::string_view::npos && word > 0 && is_digit(before[word - 1]);
    if (before.empty() ||
        (place && (word + 1 == before.size() || before.substr(word + 1).starts_with('(')))) {
      context_->device = static_cast<int>(number);  // the host's part of the prefix was lost
      return done(tail, Kind::kOther);
    }
  }
  const bool text = !rest.empty() && (is_alnum(rest[0]) || rest[0] == ' ');
  if (number >= 4096 || (!text && !habits_->bracket.active()) || (colon && rest.empty())) return false;
  if (text && word_ < RankWord::kStamp) habits_->bracket.note(static_cast<int>(number));
  if (!habits_->bracket.active()) return false;
  set_rank(number, RankWord::kLoose);
  return done(tail, Kind::kOther);
}

// [2026-06-03 11:04:30], [Wed Jun  3 11:08:33 2026], [09:31:31 r0], [2022-07-18 02:47:33.5: W
// stall_inspector.cc:105]
bool PrefixReader::bracket_time(Cursor at) {
  TimeMatch match;
  if (!match_time(text_, at.pos + 1, &match)) return false;
  std::string_view inside;
  if (!enclosed(at, &inside)) return false;
  Cursor tail{text_, match.end};
  const std::size_t close = at.pos + 1 + inside.size();
  if (indented_ && !match.time.has_date) return false;
  tail.eat(':');
  while (tail.pos < close) {
    tail.skip_spaces();
    const std::size_t begin = tail.pos;
    while (tail.pos < close && tail.peek() != ' ') ++tail.pos;
    const std::string_view part = text_.substr(begin, tail.pos - begin);
    Cursor word{part, 0};
    std::int64_t number = 0;
    std::size_t size = 0;
    if (part.size() == 1 && std::string_view("IWEFD").find(part[0]) != std::string_view::npos) {
      set_level(part[0]);
    } else if (const char level = level_of(part, 0, &size); level != 0 && size == part.size()) {
      set_level(level);
    } else if ((word.eat_word("rank") || word.eat_word("r")) && word.number(&number, 6) && word.at_end()) {
      set_rank(number, RankWord::kStamp);
    } else if (word.pos = 0; word.eat("TP") && word.number(&number, 6) && word.at_end()) {
      context_->group = part.substr(0, 2);
      context_->group_rank = static_cast<int>(number);
    }
  }
  set_time(match.time);
  // dmesg -T; but "[Wed Jun ... 2026][rank3]" is a rank's own.
  if (match.ctime && text_.size() > close + 1 && text_[close + 1] == ' ') context_->launcher = true;
  tail.pos = close + 1;
  return done(tail, Kind::kTime);
}

// The kernel log: "[12345.678901] ", with "[ T123]" behind it in newer kernels, and dmesg -d's "[  +0.000316]
// ".
bool PrefixReader::bracket_uptime(Cursor at) {
  ++at.pos;
  at.skip_spaces(12);
  const bool delta = at.eat('+');
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  int digits = 0;
  if (!at.number(&seconds, 9) || !at.eat('.') || !at.number(&micros, 6, &digits) || digits != 6) return false;
  if (!at.eat(']') || (at.peek() != ' ' && at.peek() != '[' && !at.at_end())) return false;
  if (!delta) {
    Timestamp time;
    time.nanoseconds = seconds * 1'000'000'000 + micros * 1000;
    time.whole_second = false;
    time.uptime = true;
    set_time(time);
  }
  Cursor caller = at;
  if (caller.eat('[')) {
    caller.skip_spaces(8);
    if ((caller.eat('T') || caller.eat('C')) && caller.number(&seconds, 9) && caller.eat(']')) at = caller;
  }
  context_->launcher = true;
  return done(at, Kind::kTime);
}

bool PrefixReader::bracket_word(Cursor at) {
  const char next = at.peek(1);
  if ((next == 'r' || next == 'R' || next == 'l' || next == 'L') && bracket_rank(at)) return true;
  if (bracket_glog(at)) return true;
  if (indented_) return is_upper(next) && bracket_time(at);
  return (next == 'P' && bracket_group(at)) || bracket_level(at) || (is_upper(next) && bracket_time(at)) ||
         (next == 'N' && bracket_nemo(at)) || (next == 'p' && bracket_pod(at)) || bracket_role(at) ||
         bracket_place(at) || bracket_process(at) || bracket_name(at);
}

// [rank3]: (global), [Rank 3], [RANK:3], [rank 3/8], [rank=0, world_size=16], [r3], [local rank 3]
bool PrefixReader::bracket_rank(Cursor at) {
  const bool lower = at.peek(1) == 'r';
  ++at.pos;
  const bool local = at.eat_word("local");
  if (local && !at.eat('_') && !at.eat(' ')) return false;
  const bool full = at.eat_word("rank");
  if (!full && (local || !at.eat_word("r"))) return false;
  const bool glued = is_digit(at.peek());
  if (!glued) {
    if (!full) return false;
    for (int i = 0; i < 3 && std::string_view(" =:_#-").find(at.peek()) != std::string_view::npos; ++i)
      ++at.pos;
  }
  std::int64_t rank = 0;
  if (!at.number(&rank, 6)) return false;
  const bool plain = at.peek() == ']';
  if (!plain) {
    if (at.peek() != '/' && at.peek() != ',' && at.peek() != '|' && !at.rest().starts_with(" of ") &&
        !at.rest().starts_with(" / "))
      return false;
    const std::size_t close = text_.substr(0, at.pos + 60).find(']', at.pos);
    if (close == std::string_view::npos) return false;
    at.pos = close;
  }
  ++at.pos;
  if (local) {
    if (!context_->local_rank) context_->local_rank = static_cast<int>(rank);
  } else if (nccl_log_ && !glued) {
    if (!context_->group_rank) context_->group_rank = static_cast<int>(rank);
    set_rank(rank, RankWord::kGroupText);
  } else {
    set_rank(rank,
             plain && full && lower && glued && at.peek() == ':' ? RankWord::kPrefix : RankWord::kStamp);
  }
  at.eat(':');
  return done(at, Kind::kOther);
}

// [PG ID 0 PG GUID 0(default_pg) Rank 3], [PG 0 (default_pg) Rank 3], [PG 1 Rank 11]
bool PrefixReader::bracket_group(Cursor at) {
  if (!at.eat("[PG ")) return false;
  const bool long_form = at.eat("ID ");
  const std::size_t begin = at.pos;
  while (!at.at_end() && at.peek() != ' ' && at.peek() != ']') ++at.pos;
  std::string_view name = text_.substr(begin, at.pos - begin);
  bool first = name == "0";
  if (long_form) {
    if (!at.eat(" PG GUID ")) return false;
    const std::size_t guid = at.pos;
    while (!at.at_end() && at.peek() != '(' && at.peek() != ' ' && at.peek() != ']') ++at.pos;
    name = text_.substr(guid, at.pos - guid);
    first = first && name == "0";
  }
  at.eat(' ');
  if (at.eat('(')) {
    const std::size_t close = text_.substr(0, at.pos + kMaxBracket).find(')', at.pos);
    if (close == std::string_view::npos) return false;
    name = text_.substr(at.pos, close - at.pos);
    first = name == "default_pg" || (first && name == "undefined");
    at.pos = close + 1;
    at.eat(' ');
  }
  std::int64_t rank = 0;
  if (!at.eat("Rank ") || !at.number(&rank, 6) || !at.eat(']')) return false;
  context_->group = name;
  context_->group_rank = static_cast<int>(rank);
  if (first) set_rank(rank, RankWord::kStamp);
  return done(at, Kind::kOther);
}

// [E1012 12:34:56.789 File.cpp:12], [E File.cpp:12]
bool PrefixReader::bracket_glog(Cursor at) {
  ++at.pos;
  return glog(at, true);
}

// [ERROR], [ INFO ], [INFO:swift], [INFO|trainer.py:2411], [INFO|2025-07-04 13:09:50]
bool PrefixReader::bracket_level(Cursor at) {
  std::string_view inside;
  if (!enclosed(at, &inside)) return false;
  Cursor word{inside, 0};
  word.skip_spaces(4);
  std::size_t size = 0;
  const char level = level_of(inside, word.pos, &size);
  if (level == 0) return false;
  word.pos += size;
  word.skip_spaces(8);
  if (!word.at_end() && word.peek() != ':' && word.peek() != '|') return false;
  if (word.eat('|')) {
    TimeMatch match;
    if (match_time(inside, word.pos, &match)) set_time(match.time);
  }
  set_level(level);
  at.pos += inside.size() + 2;
  at.eat(':');
  return done(at, Kind::kLevel);
}

// [NeMo W 2024-02-09 08:48:11 optimizers:65]
bool PrefixReader::bracket_nemo(Cursor at) {
  std::string_view inside;
  if (!at.rest().starts_with("[NeMo ") || !enclosed(at, &inside)) return false;
  TimeMatch match;
  if (inside.size() < 8 || !match_time(inside, 7, &match)) return false;
  set_level(inside[5] == 'C' ? 'F' : inside[5]);
  set_time(match.time);
  at.pos += inside.size() + 2;
  return done(at, Kind::kTime);
}

// kubectl logs --prefix: [pod/name/container]
bool PrefixReader::bracket_pod(Cursor at) {
  std::string_view inside;
  if (!at.rest().starts_with("[pod/") || !enclosed(at, &inside)) return false;
  const std::string_view name = inside.substr(4);
  context_->host = name.substr(0, name.find('/'));
  at.pos += inside.size() + 2;
  return done(at, Kind::kOther);
}

// torchrun --tee: [default3]: is a local rank.
bool PrefixReader::bracket_role(Cursor at) {
  const std::size_t begin = ++at.pos;
  while (is_alpha(at.peek()) || at.peek() == '_' || at.peek() == '-') ++at.pos;
  const std::string_view role = text_.substr(begin, at.pos - begin);
  std::int64_t rank = 0;
  if (!at.number(&rank, 4) || !at.eat("]:")) return false;
  static constexpr std::string_view kOther[] = {"node", "host", "epoch", "step",  "iter", "stage",
                                                "pod",  "job",  "line",  "batch", "task", "PID"};
  for (const std::string_view word : kOther) {
    if (role == word) return false;
  }
  context_->local_rank = static_cast<int>(rank);
  return done(at, Kind::kOther, false);
}

// Where in the source a logger was called: [logging.py:96:log_dist], [axolotl.utils.config:237]
bool PrefixReader::bracket_place(Cursor at) {
  if (!after_stamp()) return false;
  std::string_view inside;
  if (!enclosed(at, &inside)) return false;
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos || !all_of(inside.substr(0, colon), is_path_char)) return false;
  Cursor line{inside, colon + 1};
  std::int64_t number = 0;
  if (!line.number(&number, 7) || (!line.at_end() && line.peek() != ':')) return false;
  const std::string_view file = inside.substr(0, colon);
  if (has_word(file, 0, "pid") || has_word(file, 0, "rank")) return bracket_process(at);
  const bool agent = file == "api.py" && (inside.ends_with(":_poll") || inside.ends_with(":close"));
  if (agent || file == "launch.py" || file == "runner.py" || is_launcher_path(file))
    context_->launcher = true;
  at.pos += inside.size() + 2;
  return done(at, Kind::kPlace);
}

// [PID:1204], [pid 1204]; Open MPI's [host:pid] *** Process received signal ***
bool PrefixReader::bracket_process(Cursor at) {
  std::string_view inside;
  if (!enclosed(at, &inside)) return false;
  if (const std::size_t job = inside.find('@');
      job != std::string_view::npos) {  // mpirun 5: [prterun-host-9@1,3]
    Cursor numbers{inside, job + 1};
    std::int64_t rank = 0;
    if (!numbers.number(&rank, 9) || !numbers.eat(',') || !numbers.number(&rank, 9)) return false;
    at.pos += inside.size() + 2;
    if (!eat_stream(&at, &context_->stream)) return false;
    set_rank(rank, RankWord::kTag);
    return done(at, Kind::kOther, false);
  }
  const std::size_t colon = inside.find_first_of(":= ");
  if (colon == std::string_view::npos) return false;
  Cursor value{inside, colon + 1};
  std::int64_t pid = 0;
  if (!value.number(&pid, 9) || !value.at_end()) return false;
  at.pos += inside.size() + 2;
  const std::string_view name = inside.substr(0, colon);
  if (!(name.size() == 3 && has_word(name, 0, "pid"))) {
    static constexpr std::string_view kCues[] = {" *** ", " [ ", " Signal", " Failing at", " Associated"};
    bool cue = at.rest().starts_with(" [") && is_digit(at.peek(2));
    for (const std::string_view word : kCues) cue = cue || at.rest().starts_with(word);
    if (!cue || inside[colon] != ':') return false;
    context_->host = name;
  }
  context_->pid = pid;
  return done(at, Kind::kOther);
}

// "[titan] 2026-08-04 22:27:41,429 ..." and Hydra's "[time][main][INFO] - ..."
bool PrefixReader::bracket_name(Cursor at) {
  std::string_view inside;
  if (!enclosed(at, &inside) || inside.size() > 60 || !all_of(inside, is_path_char)) return false;
  Cursor tail{text_, at.pos + inside.size() + 2};
  std::string_view next;
  std::size_t size = 0;
  if (stamped()) {
    if (!enclosed(tail, &next) || tail.peek() != '[' || level_of(next, 0, &size) == 0 ||
        size != next.size()) {
      return false;
    }
    return done(tail, Kind::kOther);
  }
  TimeMatch match;
  if (tail.peek() != ' ' || !match_time(text_, tail.pos + 1, &match) || !match.time.has_date) return false;
  return done(tail, Kind::kOther);
}

}  // namespace firstfault
