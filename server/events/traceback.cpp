#include "events/traceback.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace firstfault {
namespace {

constexpr std::string_view kHead = "Traceback (most recent call last)";
constexpr std::size_t kMaxName = 1000;  // of a file, a function or an exception
constexpr int kMaxForeign = 400;        // lines of others between two lines of one traceback
constexpr int kMaxContinuation = 80;    // lines of one message
constexpr int kMaxStampedContinuation =
    12;  // where every line is stamped and nothing tells the message's end

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void append_line(Record* record, std::string_view body) {
  if (record->text.size() + body.size() + 1 > kMaxRecordText) return;
  if (!record->text.empty()) record->text += '\n';
  record->text += body;
}

// "  File "x.py", line 12, in main" (leading white space may be gone or longer).
std::optional<Frame> parse_frame(std::string_view body) {
  const auto start = body.find_first_not_of(" \t|+");
  if (start == std::string_view::npos || body.substr(start, 6) != "File \"") return std::nullopt;
  const auto name_end = body.find('"', start + 6);
  if (name_end == std::string_view::npos) return std::nullopt;
  Frame frame;
  frame.file = std::string(body.substr(start + 6, std::min(name_end - start - 6, kMaxName)));
  const auto line = body.find("line ", name_end);
  if (line == std::string_view::npos) return std::nullopt;
  std::size_t at = line + 5;
  while (at < body.size() && std::isdigit(static_cast<unsigned char>(body[at])) != 0 &&
         frame.line < 100000000) {
    frame.line = frame.line * 10 + (body[at++] - '0');
  }
  if (const auto in = body.find(", in ", at); in != std::string_view::npos) {
    frame.function = std::string(body.substr(in + 5, kMaxName));
  }
  return frame;
}

bool is_chain_sentence(std::string_view body) {
  return body.find("During handling of the above exception, another exception occurred") !=
             std::string_view::npos ||
         body.find("The above exception was the direct cause of the following exception") !=
             std::string_view::npos;
}

bool names_an_exception(std::string_view name) {
  static constexpr std::array<std::string_view, 18> kParts = {
      "Error",  "Exception", "Interrupt", "Exit",  "Warning",   "Failed",  "Failure", "Timeout",  "Abort",
      "Killed", "Stop",      "NotFound",  "Fault", "Exhausted", "Invalid", "Expired", "Conflict", "Exceeded"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [name](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

bool is_exception_line(std::string_view body) {
  if (body.empty() || !is_identifier(body[0]) || std::isdigit(static_cast<unsigned char>(body[0])) != 0)
    return false;
  std::size_t end = 0;
  while (end < body.size() &&
         (is_identifier(body[end]) || body[end] == '.' || body[end] == '<' || body[end] == '>')) {
    ++end;
  }
  if (end < body.size() && body[end] != ':') return false;
  if (end < body.size() && end + 1 < body.size() && body[end + 1] != ' ') return false;
  const std::string_view dotted = body.substr(0, end);
  const auto dot = dotted.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
  if (last.empty()) return false;
  if (names_an_exception(last)) return true;
  return dot != std::string_view::npos && std::isupper(static_cast<unsigned char>(last[0])) != 0;
}

int TracebackAssembler::open(std::string_view body, std::uint64_t line, std::uint64_t order,
                             const EventContext& context, int source, std::vector<Record>* records) {
  Record record;
  record.source = source;
  record.first_line = line;
  record.last_line = line;
  record.order = order;
  record.context = context;
  if (chained_ && previous_ >= 0) record.caused_by = previous_;
  chained_ = false;
  append_line(&record, body);
  records->push_back(std::move(record));
  record_ = static_cast<int>(records->size()) - 1;
  const bool boxed =
      body.find("\xe2\x94\x80") != std::string_view::npos || body.find("+---") != std::string_view::npos;
  state_ = boxed ? State::kBoxed : State::kFrames;
  foreign_ = 0;
  continuation_ = 0;
  blank_ = false;
  last_line_ = line;
  return record_;
}

void TracebackAssembler::end_message() {
  previous_ = record_;
  record_ = -1;
  state_ = State::kNone;
}

void TracebackAssembler::mark_records(std::vector<bool>* used) const {
  if (record_ >= 0) (*used)[static_cast<std::size_t>(record_)] = true;
  if (previous_ >= 0 && chained_) (*used)[static_cast<std::size_t>(previous_)] = true;
}

void TracebackAssembler::renumber_records(const std::vector<int>& numbers) {
  if (record_ >= 0) record_ = numbers[static_cast<std::size_t>(record_)];
  if (previous_ >= 0) previous_ = numbers[static_cast<std::size_t>(previous_)];
}

void TracebackAssembler::add_frame_line(std::string_view body, Record* record) {
  if (auto frame = parse_frame(body)) {
    if (record->frames.size() >= kMaxFrames) record->frames.erase(record->frames.begin() + 1);
    record->frames.push_back(std::move(*frame));
    return;
  }
  if (record->frames.empty() || !record->frames.back().code.empty()) return;
  const auto start = body.find_first_not_of(" \t");
  if (start != std::string_view::npos && body[start] != '^' && body[start] != '~') {
    record->frames.back().code = std::string(body.substr(start, 300));
  }
}

int TracebackAssembler::add(std::string_view body, std::uint64_t line, std::uint64_t order, bool stamped,
                            const EventContext& context, int source, std::vector<Record>* records) {
  if (body.find(kHead) != std::string_view::npos) {
    if (state_ != State::kNone) end_message();
    head_stamped_ = stamped;
    return open(body, line, order, context, source, records);
  }
  if (state_ == State::kNone) {
    if (is_chain_sentence(body)) chained_ = true;
    return -1;
  }
  Record& record = (*records)[static_cast<std::size_t>(record_)];
  const int max_continuation = head_stamped_ ? kMaxStampedContinuation : kMaxContinuation;
  stamped = stamped && !head_stamped_;
  const bool indented = !body.empty() && (body[0] == ' ' || body[0] == '\t');
  const auto keep = [&]() {
    append_line(&record, body);
    record.last_line = line;
    last_line_ = line;
    return record_;
  };
  switch (state_) {
    case State::kBoxed:
      if (body.find("\xe2\x95\xb0") != std::string_view::npos)
        state_ = State::kBoxClosed;  // the box's lower left corner
      return keep();
    case State::kFrames:
    case State::kBoxClosed: {
      if (state_ == State::kFrames && indented && (!stamped || parse_frame(body))) {
        add_frame_line(body, &record);
        return keep();
      }
      if (body.empty()) return -1;
      if (is_exception_line(body)) {
        const auto colon = body.find(": ");
        record.exception_type = std::string(body.substr(0, std::min(body.find(':'), kMaxName)));
        if (colon != std::string_view::npos)
          record.message = std::string(body.substr(colon + 2, kMaxEventText));
        record.exception_line = line;
        record.launcher = record.exception_type.find("ChildFailedError") != std::string::npos ||
                          record.exception_type.find("CalledProcessError") != std::string::npos ||
                          record.exception_type.find("ProcessRaisedException") != std::string::npos ||
                          record.exception_type.find("ProcessExitedException") != std::string::npos ||
                          record.exception_type.find("SignalException") != std::string::npos;
        state_ = State::kMessage;
        continuation_ = 0;
        return keep();
      }
      if (++foreign_ > kMaxForeign) end_message();
      return -1;
    }
    case State::kMessage: {
      if (is_chain_sentence(body)) {
        end_message();
        chained_ = true;
        return -1;
      }
      // The message goes on over unstamped lines; a blank line may stand in it, two end it.
      const bool follows =
          line <= last_line_ + 1 || context.rank.has_value() || context.local_rank.has_value();
      if (stamped || !follows || (body.empty() && blank_) || ++continuation_ > max_continuation) {
        end_message();
        return -1;
      }
      blank_ = body.empty();
      return keep();
    }
    case State::kNone:
      break;
  }
  return -1;
}

}  // namespace firstfault
