// What a verdict on flight recorder dumps says: calls, where in the source they were made, who waited in
// what. Functions of their arguments; a dump has no lines, so evidence names the file and line 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/flight_groups.hpp"
#include "attribution/verdict.hpp"

namespace firstfault {

// "all_reduce 918233 on [4, 4] Float"
std::string call_text(const FlightDump& dump, const FlightCall& call);
// "all_reduce 12 of group 0 (default_pg)"; without a number a send or receive.
std::string awaited_text(const FlightGroupView& group, std::optional<std::int64_t> seq);

// Binds operation, number, group, file, line and function.
void bind_call(const FlightGroupView& group, const FlightDump& dump, const FlightCall& call,
               Verdict* verdict);
void blame(std::vector<int> ranks, std::string why, Verdict* verdict);

// "rank 3: last issued all_reduce 7 of group 0 (default_pg), called from step (train.py:8)". `call` may be
// null.
void add_evidence(const FlightGroupView& group, int rank, const FlightCall* call, std::string_view verb,
                  bool suspect, Verdict* verdict);
// Everybody else who waits, and in what.
void add_waits(const std::vector<FlightGroupView>& groups, Verdict* verdict);

}  // namespace firstfault
