// Ranks that a program writes into its own messages: "INFO rank=3 step=5", "rank 3/8 on node1 pid 77". Text
// that speaks of another rank ("Rank 2 failed to pass ...", "waiting for rank 3") must not count.
#include <algorithm>

#include "context/prefix_reader.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kReach = 120;  // a stamp stands near the line's beginning
constexpr int kMaxWords = 5;

// Words that make what follows a sentence about a rank.
bool is_sentence_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {"for",   "from",   "to",   "on",     "of",   "by",    "with",
                                                "at",    "that",   "and",  "in",     "the",  "is",    "was",
                                                "than",  "as",     "peer", "remote", "when", "while", "until",
                                                "after", "before", "not",  "no",     "Root", "root"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// A word that a logger or a printed banner may put before the stamp: not prose.
bool is_tag(std::string_view word) {
  if (word.ends_with("Error:") || word.ends_with("Exception:") || word.ends_with("Warning:")) return false;
  if (word.starts_with("--") || word == "$" || word == "+") return false;
  return std::any_of(word.begin(), word.end(), [](char c) { return !is_alpha(c); });
}

// What may follow "rank 3 " when the line is that rank's own report.
bool is_report_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "step",    "epoch",      "iter",     "iteration",  "it",       "local",   "local_rank", "of",
      "on",      "host",       "pid",      "device",     "loss",     "torch",   "tp_rank",    "dp_rank",
      "pp_rank", "shard",      "world",    "world_size", "gpu",      "cuda",    "batch",      "sample",
      "ready",   "up",         "starting", "started",    "loading",  "loaded",  "using",      "INFO",
      "WARNING", "ERROR",      "FATAL",    "begin",      "done",     "alive",   "wrote",      "writing",
      "saved",   "saving",     "reading",  "waiting",    "entering", "entered", "Skipping",   "successfully",
      "running", "initialized"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string_view word_at(std::string_view text, std::size_t pos) {
  const std::size_t end = text.find_first_of(" \t", pos);
  return text.substr(pos, end == std::string_view::npos ? end : end - pos);
}

std::string_view letters_at(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return {};  // the number ended the line
  std::size_t end = pos;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(pos, end - pos);
}

}  // namespace

void PrefixReader::loose_stamp() {
  std::size_t pos = pos_;
  const std::size_t end = std::min(text_.size(), pos_ + kReach);
  if (text_.size() - pos_ < 5 || text_[pos_] == ' ' || known_sentence()) return;
  int plain = 0;
  for (int i = 0; i < kMaxWords && pos < end; ++i) {
    std::size_t begin = pos;
    while (begin < end && !is_word(text_[begin]) && text_[begin] != ' ' && text_[begin] != '-') ++begin;
    const bool dashed = begin > 0 && text_[begin - (begin > pos_ ? 1 : 0)] == '-' && begin > pos_;
    if (!dashed && (has_word(text_, begin, "r") || has_word(text_, begin, "l")) && stamp_at(begin, i + plain))
      return;
    const std::string_view word = word_at(text_, pos);
    if (is_sentence_word(word) || word.empty()) return;
    if (!is_tag(word)) {
      static constexpr std::string_view kNouns[] = {"Process", "Global",      "global", "worker",
                                                    "Worker",  "distributed", "init"};
      const bool noun = std::find(std::begin(kNouns), std::end(kNouns), word) != std::end(kNouns);
      if (!noun && ++plain > 1) return;
      if (!noun && word.ends_with(':') && !is_lower(word[0])) return;
    }
    pos += word.size();
    if (pos < end) ++pos;
  }
}

// Sentences in which frameworks introduce the rank that prints them.
bool PrefixReader::known_sentence() {
  struct Sentence {
    std::string_view begin;   // of the message
    std::string_view before;  // directly before the number
    bool local;
  };
  static constexpr Sentence kSentences[] = {{"Setting up process group", "[rank=", false},  // Ray Train
                                            {"Initializing distributed", "GLOBAL_RANK: ", false},
                                            {"initializing d", "GLOBAL_RANK: ", false},  // Lightning
                                            {"Running ", " on rank ", false},
                                            {"WARNING: on rank ", "on rank ", false},
                                            {"on rank ", "on rank ", false},  // Megatron
                                            {"Process index: ", "index: ", false},
                                            {"Local process index: ", "index: ", true},  // accelerate
                                            {"LOCAL_RANK: ", "LOCAL_RANK: ", true}};
  const std::string_view body = text_.substr(pos_, kReach);
  for (const Sentence& sentence : kSentences) {
    if (body[0] != sentence.begin[0] || !body.starts_with(sentence.begin)) continue;
    const std::size_t found = body.find(sentence.before);
    if (found == std::string_view::npos) continue;
    Cursor at{body, found + sentence.before.size()};
    std::int64_t rank = 0;
    if (!at.number(&rank, 6)) continue;
    if (sentence.local) {
      context_->local_rank = static_cast<int>(rank);
    } else {
      set_rank(rank, RankWord::kLoose);
      companions(pos_ + at.pos);
    }
    return true;
  }
  return false;
}

// `index`: how many words stand before, those of prose counted twice.
bool PrefixReader::stamp_at(std::size_t pos, int index) {
  Cursor at{text_, pos};
  if (stamped_ && index == 0 && at.peek() == 'r' && is_digit(at.peek(1))) {  // "18:22:16 r7 bucket 0 reduced"
    std::int64_t rank = 0;
    ++at.pos;
    if (!at.number(&rank, 4) || at.peek() != ' ') return false;
    set_rank(rank, RankWord::kLoose);
    return true;
  }
  if (!at.eat_word("rank")) return false;
  const char separator = at.peek();
  if (std::string_view("=: _-").find(separator) != std::string_view::npos) ++at.pos;
  const bool spaced = separator == ' ';
  if (separator == ':' || separator == '=') at.skip_spaces(1);
  if (spaced) at.skip_spaces(3);
  std::int64_t rank = 0;
  if (!at.number(&rank, 6)) return false;
  const char next = at.peek();
  if (is_word(next) || next == '.' || (next == ',' && spaced && is_digit(at.peek(2)))) return false;
  if (separator == '=') {
    if (index > 4) return false;
  } else if (separator == ':') {
    if (index > 2) return false;
  } else if (spaced) {
    const bool ends =
        at.at_end() ? index == 0 : std::string_view(":|/,)]").find(next) != std::string_view::npos;
    const bool bar = next == ' ' && (at.peek(1) == '|' || at.peek(1) == ':');
    if (!ends && !bar && !is_report_word(letters_at(text_, at.pos + 1))) return false;
    if (index > 3) return false;
  } else if (index > 1 || (!is_digit(separator) && next != ' ' && next != ':')) {
    return false;
  }
  set_rank(rank, RankWord::kLoose);
  companions(at.pos);
  return true;
}

// "rank 0/4 on vm pid 28659", "> rank 8 on gk2: local_rank 0, pid 19050": who that rank is.
void PrefixReader::companions(std::size_t pos) {
  const std::string_view rest = text_.substr(pos, kReach);
  std::int64_t number = 0;
  for (const std::string_view name : {"local_rank", "local rank", "local"}) {
    const std::size_t found = rest.find(name);
    if (found == std::string_view::npos || context_->local_rank) continue;
    Cursor at{rest, found + name.size()};
    if (at.eat('=') || at.eat(": ") || at.eat(' ')) {
      if (at.number(&number, 4)) context_->local_rank = static_cast<int>(number);
    }
  }
  if (const std::size_t cuda = rest.find("cuda:"); cuda != std::string_view::npos && !context_->device) {
    Cursor at{rest, cuda + 5};
    if (at.number(&number, 3)) context_->device = static_cast<int>(number);
  }
  const std::size_t pid = rest.find("pid");
  if (pid == std::string_view::npos || (pid > 0 && is_word(rest[pid - 1])) || context_->pid) return;
  Cursor at{rest, pid + 3};
  if ((at.eat('=') || at.eat(": ") || at.eat(' ')) && at.number(&number, 9)) context_->pid = number;
}

}  // namespace firstfault
