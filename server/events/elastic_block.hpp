// Reads torchelastic's tables of failures ("Failures:", "Root Cause (first observed failure):"), line by line
// or flattened to one line, into process exits. One reader per stream of lines. Not thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "events/event.hpp"

namespace firstfault {

class ElasticBlockReader {
 public:
  // Looks at the next line; finished entries are appended to `exits`.
  void add(std::string_view body, std::uint64_t line, std::uint64_t order, const EventContext& context,
           int source, std::vector<ProcessExit>* exits);

 private:
  void flush(std::vector<ProcessExit>* exits);

  bool in_block_ = false;
  bool root_cause_ = false;
  std::optional<ProcessExit> entry_;
};

}  // namespace firstfault
