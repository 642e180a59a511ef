// Prefixes that begin with a letter or a digit.
#include "context/prefix_reader.hpp"
#include "context/timestamp.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxPlace = 200;
constexpr std::int64_t kMaxPid = 4194304;  // larger numbers in a glog header are thread handles

bool is_token_char(char c) { return is_word(c) || c == '.' || c == '-' || c == '/'; }

std::string_view token_at(std::string_view text, std::size_t pos) {
  std::size_t end = pos;
  while (end < text.size() && end - pos < kMaxPlace && is_token_char(text[end])) ++end;
  return text.substr(pos, end - pos);
}

char glog_level(char c) {
  switch (c) {
    case 'I':
    case 'W':
    case 'E':
    case 'F':
    case 'D':
      return c;
    case 'C':
      return 'F';
    case 'V':
      return 'D';
    default:
      return 0;
  }
}

}  // namespace

char level_of(std::string_view text, std::size_t pos, std::size_t* size) {
  struct Level {
    std::string_view word;
    char level;
  };
  static constexpr Level kLevels[] = {{"INFO", 'I'},     {"WARNING", 'W'}, {"WARN", 'W'},  {"ERROR", 'E'},
                                      {"CRITICAL", 'F'}, {"FATAL", 'F'},   {"DEBUG", 'D'}, {"TRACE", 'D'},
                                      {"VERBOSE", 'D'},  {"NOTICE", 'I'}};
  if (pos >= text.size() || std::string_view("IWECFDTVN").find(text[pos]) == std::string_view::npos) return 0;
  for (const Level& level : kLevels) {
    const std::string_view here = text.substr(pos, level.word.size());
    if (here != level.word) continue;
    const std::size_t end = pos + level.word.size();
    if (end < text.size() && is_word(text[end])) continue;
    *size = level.word.size();
    return level.level;
  }
  return 0;
}

bool is_launcher_logger(std::string_view name) {
  if (name.starts_with("composer.cli.launcher")) return true;
  if (!name.starts_with("torch.distributed.")) return false;
  const std::string_view rest = name.substr(18);
  return (rest.starts_with("run") || rest.starts_with("launch") || rest.starts_with("elastic")) &&
         rest.find("error_handler") == std::string_view::npos;
}

bool is_launcher_path(std::string_view path) {
  const std::size_t at = path.find("torch/distributed/");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = path.substr(at + 18);
  return (rest.starts_with("run.py") || rest.starts_with("launch") || rest.starts_with("elastic/")) &&
         rest.find("error_handler") == std::string_view::npos;
}

bool PrefixReader::number(Cursor at) {
  if (plain_time(at)) return true;
  Cursor tail = at;
  std::int64_t label = 0;
  // srun -l pads the number, so it may stand behind spaces; it is the outermost prefix but for a time.
  if (word_ < RankWord::kStamp && label_ < 0 && tail.number(&label, 4) && tail.eat(':') &&
      (tail.peek() == ' ' || tail.at_end())) {
    if (first_ || stamped()) habits_->srun.note(static_cast<int>(label));
    if (!habits_->srun.active()) return false;
    label_ = static_cast<int>(label);
    if (!habits_->srun.counts_nodes()) set_rank(label, RankWord::kLabel);
    return done(tail, Kind::kOther);
  }
  return token(at);
}

bool PrefixReader::word(Cursor at) {
  const char c = at.peek();
  if (glog_level(c) != 0 && (is_digit(at.peek(1)) || (at.peek(1) == ' ' && after_line_head())) &&
      glog(at, false)) {
    return true;
  }
  if (is_upper(c) && (plain_time(at) || (!indented_ && level_word(at)))) return true;
  if (c == 's' && !indented_ && scheduler(at)) return true;
  if (c == 'r' && stamped() && composer(at)) return true;
  return token(at);
}

bool PrefixReader::after_line_head() const {
  return stamped_ && (after_stamp() || last_ == Kind::kSeparator);
}

// "E1012 12:34:56.789012 1359 File.cpp:616] ", and with a time before it "W tensorflow/core/x.cc:12] ".
bool PrefixReader::glog(Cursor at, bool in_bracket) {
  const char level = glog_level(at.peek());
  if (level == 0) return false;
  ++at.pos;
  TimeMatch match;
  const bool timed = is_digit(at.peek());
  if (timed) {
    if (!match_glog_time(text_, at.pos, &match)) return false;
    at.pos = match.end;
  }
  if (!at.eat(' ')) return false;
  at.skip_spaces(8);
  if (!glog_place(at, in_bracket)) return false;
  set_level(level);
  if (timed) {
    set_time(match.time);
    stamped_ = true;
  }
  return true;
}

// The rest of the header: thread, names, "File.cpp:616]".
bool PrefixReader::glog_place(Cursor at, bool in_bracket) {
  const std::size_t close = text_.substr(0, at.pos + kMaxPlace).find(']', at.pos);
  if (close == std::string_view::npos) return false;
  std::int64_t thread = -1;
  for (int i = 0; i < 4 && at.pos < close; ++i) {
    const std::string_view part = token_at(text_, at.pos);
    if (part.empty()) return false;
    Cursor word{part, 0};
    std::int64_t number = 0;
    at.pos += part.size();
    if (at.peek() == ':' && is_digit(at.peek(1))) {
      ++at.pos;
      if (!at.number(&number, 7) || at.pos != close) return false;
      // A C++ header has the thread, a Python one (since 2.5) the process.
      if (part.ends_with(".py") && thread > 0 && thread < kMaxPid) context_->pid = thread;
      if (is_launcher_path(part)) agent_speaks();
      nccl_log_ = part.find("ProcessGroupNCCL") != std::string_view::npos;
      ++at.pos;
      return done(at, Kind::kPlace);
    }
    if (word.eat_word("rank") && word.number(&number, 6) && word.at_end()) {
      set_rank(number, RankWord::kStamp);
    } else if (word.pos = 0; word.number(&number) && word.at_end() && !in_bracket) {
      thread = number;
    }
    at.skip_spaces(8);
  }
  return false;
}

// "INFO ", "ERROR: ", "WARNING:torch.distributed.run:". A bare "ERROR: text" at the line's start belongs to
// the text.
bool PrefixReader::level_word(Cursor at) {
  std::size_t size = 0;
  const char level = level_of(text_, at.pos, &size);
  if (level == 0) return false;
  at.pos += size;
  const bool inner = stamped();
  if (at.eat(':')) {
    const std::string_view name = token_at(text_, at.pos);
    const std::size_t end = at.pos + name.size();
    const bool basic = !name.empty() && end < text_.size() && text_[end] == ':';
    set_level(level);
    if (basic && is_launcher_logger(name)) {
      agent_speaks();
      at.pos = end + 1;
      return done(at, Kind::kLevel, false);
    }
    return (basic || inner) && done(at, Kind::kLevel, !basic);
  }
  if (at.peek() != ' ' && at.peek() != '\t' && !at.at_end()) return false;
  Cursor next = at;
  next.skip_spaces(8);
  TimeMatch match;
  if (next.peek() == '[' || next.peek() == '(') ++next.pos;
  if (!inner && !match_time(text_, next.pos, &match)) return false;
  set_level(level);
  if (text_[next.pos > 0 ? next.pos - 1 : 0] == '(' && match_time(text_, next.pos, &match)) {  // submitit
    set_time(match.time);
    next.pos = match.end;
    next.eat(')');
    return done(next, Kind::kTime);
  }
  at.skip_spaces(size < 8 ? 8 - size : 0);  // the level's column is padded
  return done(at, Kind::kLevel);
}

bool PrefixReader::plain_time(Cursor at) {
  TimeMatch match;
  if (!match_time(text_, at.pos, &match)) return false;
  if (indented_ && !match.time.has_date) return false;
  const bool outermost = !own_time_;
  set_time(match.time);
  at.pos = match.end;
  done(at, Kind::kTime);
  if (outermost && (match.syslog || match.time.has_year)) syslog_host(Cursor{text_, pos_});
  return true;
}

// Behind a syslog time: "host kernel: ", "host slurmd[123]: ". Daemons keep their name in the message.
bool PrefixReader::syslog_host(Cursor at) {
  const std::string_view host = token_at(text_, at.pos);
  if (host.empty() || text_.size() <= at.pos + host.size() || text_[at.pos + host.size()] != ' ')
    return false;
  Cursor tag{text_, at.pos + host.size() + 1};
  const std::string_view name = token_at(text_, tag.pos);
  tag.pos += name.size();
  if (name == "kernel" && tag.eat("[0:")) {  // the unified log of macOS: "Df kernel[0:5f1a] "
    const std::size_t close = text_.find(']', tag.pos);
    if (close == std::string_view::npos) return false;
    context_->launcher = true;
    tag.pos = close + 1;
    return done(tag, Kind::kOther);
  }
  std::int64_t pid = 0;
  const bool numbered = tag.peek() == '[';
  if (numbered && (!tag.eat('[') || !tag.number(&pid, 9) || !tag.eat(']'))) return false;
  if (name.empty() || tag.peek() != ':' || name.find('/') != std::string_view::npos) return false;
  if (name != "kernel" && !numbered) return false;
  context_->host = host;
  context_->launcher = true;
  if (name != "kernel") {
    at.pos += host.size();
    return done(at, Kind::kOther);
  }
  ++tag.pos;
  return done(tag, Kind::kOther);
}

// "slurmstepd: error: ", "slurmstepd-node: error: ", "srun: error: host: task 1: ", "submitit INFO (time) - "
bool PrefixReader::scheduler(Cursor at) {
  if (at.eat("submitit ")) {
    std::size_t size = 0;
    if (level_of(text_, at.pos, &size) == 0) return false;
    return done(at, Kind::kOther);
  }
  const std::size_t begin = at.pos;
  const bool srun = at.eat("srun: ");
  if (!srun) {
    if (!at.eat("slurmstepd")) return false;
    if (at.eat('-')) {
      context_->host = token_at(text_, at.pos);
      at.pos += context_->host.size();
    }
    if (!at.eat(": ")) return false;
  }
  scheduler_at_ = begin;
  context_->launcher = true;
  if (at.eat("error: ")) set_level('E');
  if (at.eat("warning: ")) set_level('W');
  --at.pos;
  done(at, Kind::kOther);
  const std::string_view host = token_at(text_, pos_);
  if (srun && text_.substr(pos_ + host.size()).starts_with(": task")) context_->host = host;
  return true;
}

// Composer: "rank1[772][MainThread]: INFO: "
bool PrefixReader::composer(Cursor at) {
  std::int64_t rank = 0;
  std::int64_t pid = 0;
  if (!at.eat("rank") || !at.number(&rank, 6) || !at.eat('[') || !at.number(&pid, 9) || !at.eat("]["))
    return false;
  const std::size_t close = text_.substr(0, at.pos + 60).find("]: ", at.pos);
  if (close == std::string_view::npos) return false;
  set_rank(rank, RankWord::kStamp);
  context_->pid = pid;
  at.pos = close + 2;
  return done(at, Kind::kOther);
}

// A name that a host, a pod, a logger or a source file may have.
bool PrefixReader::token(Cursor at) {
  const std::string_view name = token_at(text_, at.pos);
  if (name.size() < 2) return false;
  at.pos += name.size();
  if (at.peek() == ':') return token_colon(name, at);
  if (indented_ || at.peek() != ' ') return false;
  return token_space(name, at);
}

bool PrefixReader::token_colon(std::string_view name, Cursor at) {
  if (is_digit(at.peek(1))) {
    if (nccl(name, at)) return true;
    Cursor place = at;
    std::int64_t line = 0;
    ++place.pos;
    if (!stamped() || !place.number(&line, 7)) return false;
    if (!place.eat(']') && !place.eat(" -- ") && !place.eat(" >> ")) return false;
    if (place.text[place.pos - 1] == ' ') --place.pos;
    if (is_launcher_path(name)) agent_speaks();
    return done(place, Kind::kPlace);
  }
  if (indented_ || (at.peek(1) != ' ' && at.pos + 1 < text_.size())) return false;
  ++at.pos;
  if (stamped()) {  // "torch.distributed.run: [WARNING] "
    std::size_t size = 0;
    const bool launcher = is_launcher_logger(name);
    const bool level = at.peek() == ' ' && at.peek(1) == '[' && level_of(text_, at.pos + 2, &size) != 0;
    if (!launcher && !level) return false;
    if (launcher) agent_speaks();
    return done(at, Kind::kOther);
  }
  if (!first_ || !plausible_host(name)) return false;
  habits_->host.note(name);
  if (!habits_->host.active()) return false;
  context_->host = name;
  return done(at, Kind::kOther);
}

// Behind a time: a job's id ("|| ") or a logger's name (" - ").
bool PrefixReader::logger_name(std::string_view name, Cursor at) {
  const std::string_view rest = text_.substr(at.pos);
  std::size_t size = 0;
  if (rest.starts_with(" || ")) return done(at, Kind::kTime) && separator(Cursor{text_, pos_});  // Determined
  if (!rest.starts_with(" - ") || last_ != Kind::kSeparator || !dash_) return false;
  const bool launcher = is_launcher_logger(name);
  const char level = level_of(text_, at.pos + 3, &size);
  if (level == 0 && context_->level == 0) return false;
  if (launcher) agent_speaks();
  at.pos += 2;
  return done(at, Kind::kSeparator);
}

bool PrefixReader::token_space(std::string_view name, Cursor at) {
  const std::string_view rest = text_.substr(at.pos);
  if (stamped()) return logger_name(name, at);
  if (rest.starts_with(" [stderr] ") || rest.starts_with(" [stdout] ")) {  // milabench: benchmark.node.part
    context_->stream = rest[5] == 'e' ? Stream::kStderr : Stream::kStdout;
    const std::size_t dot = name.find('.');
    const std::string_view node = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    if (plausible_host(node.substr(0, node.find('.')))) context_->host = node.substr(0, node.find('.'));
    at.pos += 9;
    return done(at, Kind::kOther);
  }
  Cursor bar = at;
  if (!first_ || !plausible_host(name)) return false;
  if (bar.skip_spaces(24) > 0 && bar.eat("| ")) {  // docker compose
    habits_->host.note(name);
    if (!habits_->host.active()) return false;
    context_->host = name;
    --bar.pos;
    return done(bar, Kind::kOther);
  }
  const std::string_view container = token_at(text_, at.pos + 1);
  const std::size_t end = at.pos + 1 + container.size();
  if (name.find('-') == std::string_view::npos || container.empty() ||
      (end < text_.size() && text_[end] != ' ')) {
    return false;
  }
  habits_->pod.note(container);  // stern: "pod-name container "
  if (!habits_->pod.active()) return false;
  context_->host = name;
  at.pos = end;
  return done(at, Kind::kOther);
}

// "host:pid:tid [device] NCCL INFO ...": what begins at NCCL is the message.
bool PrefixReader::nccl(std::string_view host, Cursor at) {
  std::int64_t pid = 0;
  std::int64_t thread = 0;
  std::int64_t device = 0;
  ++at.pos;
  if (!at.number(&pid, 9)) return false;
  if (at.eat(':') && !at.number(&thread, 9)) return false;
  if (!at.eat(" [") || !at.number(&device, 4) || !at.eat(']') || at.peek() != ' ') return false;
  context_->host = host;
  context_->pid = pid;
  context_->device = static_cast<int>(device);
  const std::string_view rest = text_.substr(at.pos, 160);
  if (rest.find("NCCL WARN") != std::string_view::npos) {
    set_level('W');
  } else if (rest.find("NCCL INFO") != std::string_view::npos) {
    set_level('I');
  }
  return done(at, Kind::kOther);
}

}  // namespace firstfault
