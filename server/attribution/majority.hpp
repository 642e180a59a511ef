// Whom a vote leaves alone: the reference is what a strict majority has.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

namespace firstfault {

// The members whose value differs from that of a strict majority, none where there is no majority.
template <typename Value>
std::vector<int> odd_ones(const std::map<int, Value>& by_rank) {
  std::map<Value, std::vector<int>> same;
  for (const auto& [rank, value] : by_rank) same[value].push_back(rank);
  const auto most = std::max_element(same.begin(), same.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  if (most == same.end() || most->second.size() < 2 || most->second.size() * 2 <= by_rank.size()) return {};
  std::vector<int> odd;
  for (const auto& [rank, value] : by_rank) {
    if (value != most->first) odd.push_back(rank);
  }
  return odd;
}

}  // namespace firstfault
