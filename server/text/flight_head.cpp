// Tells flight recorder dumps from other binary files and from logs.
#include <algorithm>
#include <array>

#include "text/source.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kPickleHead = 8192;
constexpr std::size_t kFrameBytes = 9;  // the opcode and its length

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_pickle(std::string_view head) {
  if (head.size() < 3 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return false;
  head.remove_prefix(2);
  if (head[0] == '\x95' && head.size() > kFrameBytes) head.remove_prefix(kFrameBytes);
  // Early formats were a bare list of entries.
  if (head[0] != '}' && head[0] != ']') return false;
  head = head.substr(0, kPickleHead);
  return contains(head, "pg_config") || contains(head, "pg_status") || contains(head, "nccl_comm_state") ||
         contains(head, "record_id") || (contains(head, "entries") && contains(head, "profiling_name"));
}

// A JSON log line is an object too: the first key must be one of a dump's, and others beside it.
bool is_json(std::string_view head) {
  constexpr std::string_view kBlank = " \t\r\n";
  if (head.substr(0, 3) == "\xef\xbb\xbf") head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(kBlank), head.size()));
  if (head.empty() || head[0] != '{') return false;
  std::string_view rest = head.substr(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
  if (rest.empty() || rest[0] != '"') return false;
  const std::string_view first = rest.substr(1, std::min(rest.find('"', 1), rest.size()) - 1);
  static constexpr auto kFirst = std::to_array<std::string_view>(
      {"comm_lib_version", "entries", "global_rank", "host", "host_name", "hostname", "nccl_comm_state",
       "nccl_version", "pg_config", "pg_status", "rank", "reason", "version"});
  if (std::find(kFirst.begin(), kFirst.end(), first) == kFirst.end()) return false;
  return contains(head, "\"pg_config\"") || contains(head, "\"pg_status\"") ||
         (contains(head, "\"entries\"") &&
          (contains(head, "\"record_id\"") || contains(head, "\"profiling_name\"") ||
           contains(head, "\"nccl_version\"")));
}

}  // namespace

bool looks_like_flight_dump(std::string_view head) { return is_pickle(head) || is_json(head); }

}  // namespace firstfault
