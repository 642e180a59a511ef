// Rule 2: logical clocks. Collective sequence numbers, operations and sizes tell waiters from the rank they
// wait for.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "attribution/verdict.hpp"

namespace firstfault {

// What the collective lines of one attempt say together.
class Clocks {
 public:
  Clocks(const Findings& findings, const RankIndex& index);

  // Ranks that issued something else than their peers, lag behind them, or are named as absent. None where
  // the lines say nothing, or where they tell the ranks apart by an absence alone.
  std::optional<Verdict> strong() const;
  // A member that prints nothing while its peers wait or lose it.
  std::optional<Verdict> silent(const std::set<int>& speaking_members) const;
  // Collectives timed out or peers were lost and nothing tells the ranks apart.
  std::optional<Verdict> unattributed() const;

  // The ranks that wait in a collective or lost a peer, and the line that shows it.
  struct Wait {
    const Finding* finding = nullptr;
    int rank = -1;
    std::string group;
    std::string op;
    std::string shape;  // elements or tensor shape
    std::optional<std::int64_t> seq;
    std::optional<std::int64_t> enqueued;
    std::optional<std::int64_t> completed;
  };
  const std::vector<Wait>& waits() const { return waits_; }
  const Wait* wait_of(int rank) const;

 private:
  void read(const Finding& finding);
  std::string silent_host(const std::vector<int>& suspects, const std::set<int>& victims) const;
  std::optional<Verdict> absent() const;
  std::optional<Verdict> fingerprints() const;
  std::optional<Verdict> mismatch() const;
  std::optional<Verdict> behind() const;

  const RankIndex& index_;
  std::vector<Wait> waits_;               // one a rank and group
  std::vector<Wait> issued_;              // fingerprints
  std::vector<const Finding*> absences_;  // lines that name absent ranks
  std::vector<const Finding*> lost_;      // connections to peers that closed
};

}  // namespace firstfault
