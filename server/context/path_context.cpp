// What a path says of the lines in its file.
#include <algorithm>
#include <cctype>
#include <vector>

#include "context/context_reader.hpp"
#include "context/scan.hpp"
#include "context/source_habits.hpp"

namespace firstfault {
namespace {

using std::string_view;

std::vector<string_view> split(string_view text, string_view separators) {
  std::vector<string_view> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool all_digits(string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool equals(string_view text, string_view lower) {
  return text.size() == lower.size() && has_word(text, 0, lower);
}

// "rank3", "rank_3", "Rank-3", "rank.3" at `pos` of a name; the number ends the word.
std::optional<int> numbered(string_view name, string_view word, std::size_t* begin = nullptr) {
  for (std::size_t i = 0; i + word.size() < name.size(); ++i) {
    if ((i > 0 && is_alnum(name[i - 1])) || !has_word(name, i, word)) continue;
    Cursor at{name, i + word.size()};
    if (std::string_view("_-.=").find(at.peek()) != string_view::npos) ++at.pos;
    std::int64_t number = 0;
    if (!at.number(&number, 6) || is_alnum(at.peek())) continue;
    if (begin != nullptr) *begin = i;
    return static_cast<int>(number);
  }
  return std::nullopt;
}

// Words that tell what a file is, not where it comes from.
bool is_file_word(string_view word) {
  static constexpr string_view kWords[] = {
      "kern",    "kernel",     "dmesg",   "smi",    "nvidia", "syslog",   "messages", "status",
      "journal", "journalctl", "log",     "logs",   "out",    "output",   "err",      "error",
      "stdout",  "stderr",     "console", "train",  "agent",  "launcher", "launch",   "ecc",
      "after",   "before",     "worklog", "serial", "sel",    "bmc",      "k",        "q",
      "host",    "system",     "debug",   "info",   "txt",    "main",     "xid",      "topo"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](string_view known) { return equals(word, known); });
}

// Words that number something else than hosts.
bool numbers_no_host(string_view word) {
  static constexpr string_view kWords[] = {
      "slurm", "job",        "run",      "runs",    "exp",      "version",  "epoch",   "step",   "fold",
      "seed",  "trial",      "task",     "train",   "pretrain", "finetune", "tune",    "sft",    "dpo",
      "ppo",   "rank",       "local",    "attempt", "part",     "test",     "phase",   "try",    "model",
      "ckpt",  "checkpoint", "restart",  "session", "stage",    "iter",     "eval",    "gpu",    "cuda",
      "proc",  "process",    "pid",      "log",     "gpt",      "bert",     "llama",   "resnet", "vit",
      "array", "batch",      "config",   "sweep",   "layer",    "nohup",    "console", "output", "shard",
      "split", "bench",      "notebook", "case",    "dp",       "tp",       "pp",      "ep",     "lr",
      "bs",    "v",          "r",        "t",       "unit",     "round"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](string_view known) { return equals(word, known); });
}

string_view leading_letters(string_view word) {
  std::size_t end = 0;
  while (end < word.size() && is_alpha(word[end])) ++end;
  return word.substr(0, end);
}

bool is_address(string_view name) {
  return std::count(name.begin(), name.end(), '.') == 3 &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// Whether a name without file words can be a host's: "node02", "gpu-st-p4d-22", "fir-b".
bool names_host(string_view name) {
  const std::vector<string_view> parts = split(name, "-");
  if (parts.empty() || !is_alpha(name.front()) || name.find_first_not_of("-_") == string_view::npos)
    return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '-'; })) return false;
  const string_view first = leading_letters(parts[0]);
  const bool with_more = parts.size() > 2;  // "gpu-st-p4d-22" is a host, "gpu-3" is not
  const bool kind = (first.size() > 1 || parts.size() == 1) && numbers_no_host(first) &&
                    !(equals(first, "gpu") && (with_more || is_alpha(name.back())));
  const bool sure_part = parts.size() > 1 && is_alpha(parts.back()[0]) && is_digit(parts.back().back());
  if (kind && !(equals(first, "gpu") && sure_part)) return false;
  string_view digits = name;
  while (!digits.empty() && is_digit(digits.back())) digits.remove_suffix(1);
  if (name.size() - digits.size() > 4) return false;  // a job's number
  const bool letter = parts.size() > 1 && parts.back().size() == 1 && is_alpha(parts.back()[0]);
  return letter || std::any_of(name.begin(), name.end(), is_digit);
}

// The host that a file's or folder's name begins (or ends) with, "" where there is none.
string_view host_of(string_view name, bool file) {
  if (file) {
    // An address has dots of its own: "dmesg_10.6.12.31.txt".
    for (string_view part : split(name, "_-")) {
      while (!part.empty() && !is_digit(part.back())) {
        const std::size_t dot = part.rfind('.');
        if (dot == string_view::npos) break;
        part = part.substr(0, dot);
      }
      if (is_address(part)) return part;
    }
    name = name.substr(0, name.find('.'));
  } else if (is_address(name)) {
    return name;
  } else {
    name = name.substr(0, name.find('.'));
  }
  for (bool cut = true; cut;) {
    cut = false;
    const std::size_t front = name.find_first_of("-_");
    if (front != string_view::npos && is_file_word(name.substr(0, front))) {
      name = name.substr(front + 1);
      cut = true;
    }
    const std::size_t back = name.find_last_of("-_");
    if (back != string_view::npos && is_file_word(name.substr(back + 1))) {
      name = name.substr(0, back);
      cut = true;
    }
  }
  if (names_host(name)) return name;
  for (const string_view part : split(name, "_")) {
    if (part.size() < name.size() && numbered(part, "node") && names_host(part)) return part;
  }
  return "";
}

// submitit: <job>_<task>_log.err, <job>_<array>_<task>_log.out
std::optional<int> submitit_rank(string_view file) {
  if (!file.ends_with("_log.out") && !file.ends_with("_log.err")) return std::nullopt;
  const std::vector<string_view> parts = split(file.substr(0, file.size() - 8), "_");
  if (parts.size() < 2 || parts.size() > 3 || !std::all_of(parts.begin(), parts.end(), all_digits))
    return std::nullopt;
  std::int64_t rank = 0;
  Cursor at{parts.back(), 0};
  if (!at.number(&rank, 6)) return std::nullopt;
  return static_cast<int>(rank);
}

Stream stream_of(string_view file) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (has_word(file, i, "stderr")) return Stream::kStderr;
    if (has_word(file, i, "stdout")) return Stream::kStdout;
  }
  if (file.ends_with(".err")) return Stream::kStderr;
  return file.ends_with("_log.out") ? Stream::kStdout : Stream::kUnknown;
}

// Ranks, nodes and attempts in one part of the path.
void read_part(string_view part, SourceContext* context) {
  std::size_t begin = 0;
  if (const auto attempt = numbered(part, "attempt")) context->attempt = attempt;
  if (const auto node = numbered(part, "node_rank")) {
    context->node = node;
    return;
  }
  if (const auto node = numbered(part, "node")) context->node = node;
  if (const auto local = numbered(part, "local_rank")) {
    context->local_rank = local;
    return;
  }
  if (const auto rank = numbered(part, "rank", &begin)) {
    const string_view before = part.substr(0, begin);
    if (before.ends_with("local_") || before.ends_with("local-")) {
      context->local_rank = rank;
    } else if (!before.ends_with("node_") && !before.ends_with("group_")) {
      context->rank = rank;
    }
  }
}

}  // namespace

SourceContext context_of_path(string_view path) {
  SourceContext context;
  const std::vector<string_view> parts = split(path, "/");
  if (parts.empty()) return context;
  bool below_attempt = false;
  bool tree = false;  // torchrun's attempt_0/3/
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool file = i + 1 == parts.size();
    if (below_attempt && !file && all_digits(parts[i]) && parts[i].size() < 5) {
      context.local_rank = std::stoi(std::string(parts[i]));
      tree = true;
      below_attempt = false;
      continue;
    }
    read_part(parts[i], &context);
    below_attempt = has_word(parts[i], 0, "attempt") && numbered(parts[i], "attempt");
    const string_view host = host_of(parts[i], file);
    if (!host.empty()) context.host = host;
  }
  const string_view file = parts.back();
  if (const auto rank = submitit_rank(file)) context.rank = rank;
  if (has_word(file, 0, "task") && !context.rank) {  // srun --output=task-%t
    const string_view stem = file.substr(0, file.rfind('.'));
    std::size_t begin = 0;
    const auto task = numbered(stem, "task", &begin);
    const bool whole = stem.size() <= 10 && (stem.size() == 4 || is_digit(stem.back()));
    if (task && begin == 0 && whole) context.rank = task;
  }
  if (tree && !context.rank && !context.node && context.host.empty()) context.rank = context.local_rank;
  context.stream = stream_of(file);
  return context;
}

}  // namespace firstfault
