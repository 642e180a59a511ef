// Assembles Python tracebacks out of lines that arrive interleaved between ranks. One assembler per stream of
// lines (source and rank). Not thread-safe; memory is one open record.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/event.hpp"

namespace firstfault {

class TracebackAssembler {
 public:
  // Looks at the next line of the stream. `stamped`: it begins with a time, a level or a logger of its own,
  // so it is no continuation of a message. Returns the index of the record that holds the line, or -1.
  int add(std::string_view body, std::uint64_t line, std::uint64_t order, bool stamped,
          const EventContext& context, int source, std::vector<Record>* records);

  // Whether the next line is read as if it were the stream's first one.
  bool idle() const { return state_ == State::kNone && !chained_; }
  // Sets used[n] for the records that later lines may change or refer to; then gives the new numbers.
  void mark_records(std::vector<bool>* used) const;
  void renumber_records(const std::vector<int>& numbers);

 private:
  enum class State { kNone, kFrames, kBoxed, kBoxClosed, kMessage };

  int open(std::string_view body, std::uint64_t line, std::uint64_t order, const EventContext& context,
           int source, std::vector<Record>* records);
  void add_frame_line(std::string_view body, Record* record);
  void end_message();

  State state_ = State::kNone;
  int record_ = -1;
  int previous_ = -1;            // the last closed record, for chains
  bool head_stamped_ = false;    // every line of this stream is stamped: a stamp then ends no message
  bool chained_ = false;         // a chain sentence was read since
  std::uint64_t last_line_ = 0;  // of the open record
  int foreign_ = 0;              // lines in between that were not part of it
  int continuation_ = 0;
  bool blank_ = false;  // the last line of the message was blank
};

// Whether a line looks like the end of a traceback: "torch.cuda.OutOfMemoryError: CUDA out of memory".
bool is_exception_line(std::string_view body);

}  // namespace firstfault
