#include "report/wording.hpp"

#include <algorithm>
#include <cmath>

namespace firstfault {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view separator = ", ") {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

template <typename T>
std::string labelled(std::string_view singular, std::string_view plural, const std::vector<T>& values) {
  if (values.empty()) return {};
  std::vector<std::string> parts;
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      parts.push_back(value);
    } else {
      parts.push_back(std::to_string(value));
    }
  }
  return std::string(values.size() == 1 ? singular : plural) + " " + joined(parts);
}

std::string scope_text(const InitiatorReport& initiator) {
  if (initiator.ranks && !initiator.ranks->empty()) return ranks_label(*initiator.ranks);
  if (initiator.scope == "host") return "a host";
  if (initiator.scope == "launcher") return "the launcher";
  if (initiator.scope == "external") return "something outside the job";
  if (initiator.scope == "all") return "all ranks alike";
  return "no single rank can be told";
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits + " " + std::string(count == 1 ? singular : plural);
}

std::string numbers_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

std::string ranks_label(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + numbers_text(ranks);
}

std::string place(std::string_view path, std::uint64_t line) {
  if (path.empty() || line == 0) return std::string(path);
  return std::string(path) + ":" + std::to_string(line);
}

std::string initiator_text(const std::optional<InitiatorReport>& initiator) {
  if (!initiator) return "this input names no ranks";
  std::string local;
  // Many ranks share the numbers 0..n of their hosts: listed without their hosts they would only confuse.
  if (initiator->local_ranks.size() == 1) {
    local = "local rank " + std::to_string(initiator->local_ranks.front());
  }
  const std::string where =
      joined({local, labelled("host", "hosts", initiator->hosts), labelled("pid", "pids", initiator->pids),
              labelled("device", "devices", initiator->devices)});
  return scope_text(*initiator) + (where.empty() ? "" : " (" + where + ")");
}

std::string confidence_text(const CauseReport& cause) {
  if (!cause.confidence) {
    return cause.confidence_basis.empty() ? "not measured" : cause.confidence_basis;
  }
  const long percent = std::lround(std::clamp(*cause.confidence, 0.0, 1.0) * 100);
  return std::to_string(percent) + " %" +
         (cause.confidence_basis.empty() ? "" : " (" + cause.confidence_basis + ")");
}

std::string first_step(const IncidentReport& incident) {
  if (!incident.fix.summary.empty()) return incident.fix.summary;
  if (!incident.fix.steps.empty()) return incident.fix.steps.front();
  if (!incident.alternatives.empty()) return incident.alternatives.front().decide;
  return {};
}

std::vector<CollateralGroup> grouped(const std::vector<CollateralReport>& collateral) {
  std::vector<CollateralGroup> groups;
  for (const CollateralReport& rank : collateral) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const CollateralGroup& known) { return known.why == rank.why; });
    if (group == groups.end()) group = groups.insert(groups.end(), {{}, rank.why, {}, 0});
    group->ranks.push_back(rank.rank);
    if (rank.line == 0) continue;
    if (group->places++ == 0) group->first_place = place(rank.path, rank.line);
  }
  for (CollateralGroup& group : groups) {
    std::sort(group.ranks.begin(), group.ranks.end());
    group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
  }
  return groups;
}

std::vector<const IncidentReport*> by_importance(const Diagnosis& diagnosis) {
  std::vector<const IncidentReport*> incidents;
  for (const IncidentReport& incident : diagnosis.incidents) incidents.push_back(&incident);
  std::stable_partition(incidents.begin(), incidents.end(),
                        [](const IncidentReport* incident) { return incident->primary; });
  return incidents;
}

ChangeText change_text(const TextEdit& change) {
  ChangeText text;
  text.place = place(change.path, static_cast<std::uint64_t>(change.start.line) + 1);
  const std::string from = std::to_string(change.start.character + 1);
  if (change.start == change.end) {
    text.action = "insert at column " + from;
  } else if (change.start.line == change.end.line) {
    text.action = "replace columns " + from + "-" + std::to_string(change.end.character) + " with";
  } else {
    text.action = "replace column " + from + " to line " + std::to_string(change.end.line + 1) + " column " +
                  std::to_string(change.end.character) + " with";
  }
  for (std::string& line : quoted_lines(change.new_text, 50)) {
    if (!line.empty()) text.added.push_back(std::move(line));
  }
  return text;
}

std::string applicability_text(std::string_view applicability) {
  if (applicability == "safe") return "can be applied as it is";
  if (applicability == "placeholder") return "fill in the placeholder first";
  return "read it before you apply it";
}

std::string no_failure_text(const Diagnosis& diagnosis) {
  std::uint64_t lines = 0;
  for (const SourceReport& source : diagnosis.sources) lines += source.lines;
  return "No failure found in " + counted(lines, "line", "lines") + " of " +
         counted(diagnosis.sources.size(), "source", "sources") + ".";
}

std::string job_text(const JobReport& job) {
  std::string ranks;
  if (job.world_size) {
    ranks = counted(static_cast<std::uint64_t>(std::max(0, *job.world_size)), "rank", "ranks");
    if (!job.ranks_seen.empty() && static_cast<int>(job.ranks_seen.size()) != *job.world_size) {
      ranks += " (" + std::to_string(job.ranks_seen.size()) + " in the input)";
    }
  } else if (!job.ranks_seen.empty()) {
    ranks = ranks_label(job.ranks_seen);
  }
  const std::string hosts = job.hosts.size() > 8 ? std::to_string(job.hosts.size()) + " hosts"
                                                 : labelled("host", "hosts", job.hosts);
  const std::string attempts = job.attempts > 1 ? std::to_string(job.attempts) + " attempts" : "";
  return joined({ranks, hosts, job.launcher, joined(job.frameworks), attempts});
}

std::vector<std::string> quoted_lines(std::string_view text, std::size_t limit) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < limit) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (!text.empty()) lines.back() += " …";
  return lines;
}

}  // namespace firstfault
