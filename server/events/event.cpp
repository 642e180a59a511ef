#include "events/event.hpp"

namespace firstfault {

EventContext EventContext::of(const LineContext& line) {
  EventContext context;
  context.rank = line.rank;
  context.local_rank = line.local_rank;
  context.group_rank = line.group_rank;
  context.group = std::string(line.group);
  context.device = line.device;
  context.host = std::string(line.host);
  context.pid = line.pid;
  context.attempt = line.attempt;
  context.time = line.time;
  context.launcher = line.launcher;
  return context;
}

}  // namespace firstfault
