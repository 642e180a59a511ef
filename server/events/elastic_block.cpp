#include "events/elastic_block.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>

#include "context/scan.hpp"

namespace firstfault {
namespace {

using re2::StringPiece;

constexpr std::size_t kMaxExits = 1 << 17;  // more processes than any job has
constexpr std::size_t kMaxHost = 255;

StringPiece piece(std::string_view text) { return StringPiece(text.data(), text.size()); }

bool is_rank(std::optional<int> number) { return !number || *number < kMaxRank; }

void set_exit(int code, ProcessExit* exit) {
  constexpr int kMostSignals = 1 << 16;  // a hostile table's number must not overflow when it is negated
  if (code < 0) {
    exit->signal = -std::max(code, -kMostSignals);
  } else {
    exit->exit_code = code;
  }
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The whole table on one line, as some platforms print it.
bool add_flattened(std::string_view body, const ProcessExit& base, std::vector<ProcessExit>* exits) {
  static const RE2 entry(
      R"(host\s*:\s+(\S+)\s+rank\s*:\s+(\d+)\s+\(local_rank:\s+(\d+)\)\s+exitcode\s*:\s+(-?\d+)\s+\(pid:\s+(\d+)\))",
      RE2::Latin1);
  StringPiece rest = piece(body);
  const char* const begin = body.data();
  const auto root = body.find("Root Cause");
  int rank = 0;
  int local_rank = 0;
  int code = 0;
  std::int64_t pid = 0;
  std::string host;
  bool found = false;
  while (exits->size() < kMaxExits &&
         RE2::FindAndConsume(&rest, entry, &host, &rank, &local_rank, &code, &pid)) {
    if (!is_rank(rank) || !is_rank(local_rank)) continue;
    ProcessExit exit = base;
    exit.host = host.substr(0, kMaxHost);
    exit.rank = rank;
    exit.local_rank = local_rank;
    exit.pid = pid;
    set_exit(code, &exit);
    const auto at = static_cast<std::size_t>(rest.data() - begin);
    exit.launcher_root_cause = root != std::string_view::npos && at > root;
    exits->push_back(std::move(exit));
    found = true;
  }
  return found;
}

}  // namespace

void ElasticBlockReader::flush(std::vector<ProcessExit>* exits) {
  if (entry_ && (entry_->rank || entry_->local_rank) && is_rank(entry_->rank) &&
      is_rank(entry_->local_rank) && exits->size() < kMaxExits) {
    exits->push_back(std::move(*entry_));
  }
  entry_.reset();
}

void ElasticBlockReader::add(std::string_view body, std::uint64_t line, std::uint64_t order,
                             const EventContext& context, int source, std::vector<ProcessExit>* exits) {
  // Cheap tests first: every line of the log comes by.
  const std::string_view text = trimmed(body);
  if (text.empty()) return;
  if (text.find("(local_rank:") != std::string_view::npos &&
      text.find("exitcode") != std::string_view::npos) {
    ProcessExit base;
    base.source = source;
    base.line = line;
    base.order = order;
    base.attempt = context.attempt;
    if (add_flattened(text, base, exits)) return;
  }
  if (text.find("Root Cause (first observed failure)") != std::string_view::npos) {
    flush(exits);
    in_block_ = true;
    root_cause_ = true;
    return;
  }
  if (text == "Failures:" || text.find(" FAILED") != std::string_view::npos) {
    flush(exits);
    in_block_ = true;
    root_cause_ = false;
    return;
  }
  if (!in_block_) return;
  if (text.find("=====") == 0) {
    flush(exits);
    in_block_ = !root_cause_;  // the line above the table, or the one below it
    return;
  }
  if (text[0] == '[' && text.size() > 3 && text.substr(text.size() - 2) == "]:") {
    flush(exits);
    entry_.emplace();
    entry_->source = source;
    entry_->line = line;
    entry_->order = order;
    entry_->attempt = context.attempt;
    entry_->launcher_root_cause = root_cause_;
    return;
  }
  if (!entry_) return;
  static const RE2 rank_line(R"(^rank\s*: (\d+) \(local_rank: (\d+)\))", RE2::Latin1);
  static const RE2 exit_line(R"(^exitcode\s*: (-?\d+) \(pid: (\d+)\))", RE2::Latin1);
  static const RE2 host_line(R"(^host\s*: (\S+))", RE2::Latin1);
  static const RE2 trace_line(R"(^traceback\s*: (.*))", RE2::Latin1);
  int a = 0;
  int b = 0;
  std::int64_t pid = 0;
  std::string words;
  if (RE2::PartialMatch(piece(text), rank_line, &a, &b)) {
    entry_->rank = a;
    entry_->local_rank = b;
    entry_->line = line;
  } else if (RE2::PartialMatch(piece(text), exit_line, &a, &pid)) {
    set_exit(a, &*entry_);
    entry_->pid = pid;
  } else if (RE2::PartialMatch(piece(text), host_line, &words)) {
    entry_->host = words.substr(0, kMaxHost);
  } else if (RE2::PartialMatch(piece(text), trace_line, &words)) {
    if (words.find("To enable traceback") != 0) entry_->message = words.substr(0, kMaxEventText);
  }
}

}  // namespace firstfault
