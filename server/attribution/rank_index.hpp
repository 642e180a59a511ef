// Ties the numbers of processes together: local rank, host, pid, device and bus id to the global rank.
//
// Hosts are compared by their first label in lower case ("Node03.cluster" is "node03"). A number that the
// input maps to two ranks maps to none. Immutable after construction.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/event.hpp"
#include "signature/library.hpp"

namespace firstfault {

// What is known of one rank's process.
struct RankFacts {
  std::optional<int> local_rank;
  std::string host;  // as first printed
  std::vector<std::int64_t> pids;
  std::string bus;
};

class RankIndex {
 public:
  RankIndex(const EventLog& log, const Library& library);

  // The ranks that an event is about: those its captures name, else the rank of the process that it names by
  // pid, bus id or local rank, else the rank whose line it is. Empty where that cannot be told.
  std::vector<int> ranks_of(const Event& event) const;
  std::optional<int> rank_of(const EventContext& context, int source) const;
  std::optional<int> rank_of_exit(const ProcessExit& exit) const;

  std::optional<int> by_pid(std::int64_t pid, std::string_view host) const;
  std::optional<int> by_bus(std::string_view bus, std::string_view host) const;
  std::optional<int> by_local_rank(int local_rank, std::string_view host) const;
  // Whether any rank's pid on that host ("" for any) is known, so that an unknown pid is none of the job's
  // ranks.
  bool knows_pids_of(std::string_view host) const;

  std::vector<int> ranks_on(std::string_view host) const;
  const RankFacts* facts(int rank) const;
  const std::map<int, RankFacts>& ranks() const {
    return ranks_;
  }  // every rank that the input names as a process
  std::optional<int> world_size() const { return world_size_; }
  std::vector<std::string> hosts() const;  // in order of appearance, as printed
  // The host that a line of that source speaks of: what the path says, or the last section head ("Name:
  // pod-3") above it.
  std::string host_of_source(int source, std::uint64_t line = 0) const;
  std::string host_of(const Event& event) const;  // whose line it is

 private:
  void tie(std::optional<int> rank, std::optional<int> local_rank, std::string_view host,
           std::optional<std::int64_t> pid, std::string_view bus);
  void read_event(const Event& event, const Signature& signature);
  void read_map(const Event& event);
  std::vector<int> named_ranks(const Event& event) const;
  void read_lists(const Event& event, std::string_view host);
  void guess_local_ranks(const EventLog& log);
  void guess_bases();

  using Key = std::pair<std::string, std::string>;  // host key, number
  std::map<Key, std::set<int>> by_pid_;
  std::map<Key, std::set<int>> by_bus_;
  std::map<Key, std::set<int>> by_local_;
  std::map<int, RankFacts> ranks_;
  std::vector<std::string> hosts_;
  std::vector<std::string> source_hosts_;
  // A line that only says whom the lines below it are about: "Name: pod-3", "GPU 00000000:8B:00.0".
  struct Section {
    std::uint64_t line = 0;
    std::string host;
    std::string bus;
  };
  const Section& section_of(int source, std::uint64_t line) const;
  std::optional<int> by_device(int device, std::string_view host) const;

  std::map<int, std::vector<Section>> sections_;  // by source, in order of lines
  std::map<Key, std::set<int>> by_device_;
  std::map<Key, std::set<int>> local_of_pid_;  // where the log ties a pid or a bus id to a local rank alone
  std::map<Key, std::set<int>> local_of_bus_;
  std::map<std::string, std::set<int>> locals_;  // by host
  std::map<std::string, int> bases_;             // by host: global rank of its local rank 0
  // Tables that spread one process over several lines: what the lines just above said.
  struct Open {
    int source = -1;
    std::uint64_t line = 0;
    std::optional<int> rank;
    std::vector<int> locals;
  };
  Open open_;
  std::optional<int> world_size_;
  bool tasks_are_nodes_ = false;
  bool local_is_global_ = false;  // one node: the numbers are the same
};

// "Node03.cluster.local" -> "node03"; addresses stay whole.
std::string host_key(std::string_view host);
// "00000000:8A:00.0" and "0000:8a:00" -> "8a:00"; the domain is kept where it is not 0.
std::string bus_key(std::string_view bus);
// "0-3, 7" or "[0, 1, 2]" -> the numbers; at most 65,536 of them.
std::vector<int> parse_rank_list(std::string_view text);
std::optional<std::int64_t> parse_number(std::string_view text);

}  // namespace firstfault
