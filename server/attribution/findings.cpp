#include "attribution/findings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace firstfault {
namespace {

constexpr std::uint64_t kSpawnTracebackDistance =
    6;                                         // lines between "-- Process 3 terminated" and its traceback
constexpr std::uint64_t kProgressMargin = 25;  // lines that buffered output of others may take
constexpr double kProgressSeconds = 20;

std::string capture(const Captures& captures, std::string_view name) {
  const auto found = captures.find(name);
  return found == captures.end() ? std::string() : found->second;
}

// "9", "-9", "SIGKILL", "Killed", "Segmentation fault" -> 9, 9, 9, 9, 11.
std::optional<int> signal_of(std::string_view text) {
  if (const auto number = parse_number(text)) return static_cast<int>(std::abs(*number));
  struct Name {
    std::string_view text;
    int signal;
  };
  static constexpr std::array<Name, 20> kNames = {{{"SIGKILL", 9},
                                                   {"killed", 9},
                                                   {"SIGSEGV", 11},
                                                   {"segmentation fault", 11},
                                                   {"SIGABRT", 6},
                                                   {"aborted", 6},
                                                   {"abort", 6},
                                                   {"SIGBUS", 7},
                                                   {"bus error", 7},
                                                   {"SIGILL", 4},
                                                   {"illegal instruction", 4},
                                                   {"SIGFPE", 8},
                                                   {"floating point exception", 8},
                                                   {"SIGTERM", 15},
                                                   {"terminated", 15},
                                                   {"SIGINT", 2},
                                                   {"interrupt", 2},
                                                   {"SIGHUP", 1},
                                                   {"hangup", 1},
                                                   {"out of memory", 9}}};
  for (const Name& name : kNames) {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    if (std::search(text.begin(), text.end(), name.text.begin(), name.text.end(), same) != text.end()) {
      return name.signal;
    }
  }
  return std::nullopt;
}

// A shell's 128 + n, and -n, stand for signal n.
void normalise(ProcessExit* exit) {
  if (exit->exit_code && *exit->exit_code < 0) {
    exit->signal = -*exit->exit_code;
    exit->exit_code.reset();
  }
  if (exit->exit_code && *exit->exit_code > 128 && *exit->exit_code <= 128 + 31) {
    exit->signal = *exit->exit_code - 128;
    exit->exit_code.reset();
  }
}

class Collector {
 public:
  Collector(const EventLog& log, const Library& library, const RankIndex& index, const ClockSkew& skew)
      : log_(log), library_(library), index_(index), skew_(skew) {
    find_attempt_starts();
  }

  std::vector<Findings> collect() {
    for (const Event& event : log_.events) read_event(event);
    for (std::size_t number = 0; number < log_.records.size(); ++number)
      read_record(static_cast<int>(number));
    for (const ProcessExit& exit : log_.exits)
      add_exit(exit, attempt_of(exit.attempt, exit.source, exit.order));
    std::vector<Findings> attempts;
    for (auto& [attempt, findings] : attempts_) {
      findings.attempt = attempt;
      std::stable_sort(findings.all.begin(), findings.all.end(),
                       [](const Finding& a, const Finding& b) { return a.order < b.order; });
      mark_recovered(&findings);
      mark_launcher_exits(&findings);
      attempts.push_back(std::move(findings));
    }
    return attempts;
  }

 private:
  const Signature& signature_of(const Event& event) const {
    return library_.signatures()[static_cast<std::size_t>(event.signature)];
  }

  // A restart is announced, or shows itself: after a process has ended, a rank comes back under another pid.
  void find_attempt_starts() {
    std::map<std::pair<int, int>, std::int64_t> pids;  // source, rank
    bool ended = false;
    bool active =
        false;  // the attempt has done or said something: the line that starts the first one starts no second
    for (const Event& event : log_.events) {
      const Signature& signature = signature_of(event);
      const Gives gives = signature.gives;
      if (gives == Gives::kExit) ended = true;
      active = active || gives == Gives::kProgress || signature.role != Role::kContext;
      if (gives == Gives::kAttemptStart && active && tells_attempt(event)) {
        starts_.push_back(&event);
        pids.clear();
        ended = false;
        active = false;
      }
      const auto pid = parse_number(capture(event.captures, "pid"));
      if (gives != Gives::kRankMap || !pid) continue;
      const auto ranks = index_.ranks_of(event);
      if (ranks.size() != 1) continue;
      const auto [known, inserted] = pids.try_emplace({event.source, ranks.front()}, *pid);
      if (inserted || known->second == *pid) continue;
      known->second = *pid;
      if (!ended) continue;
      starts_.push_back(&event);
      ended = false;
      pids = {{{event.source, ranks.front()}, *pid}};
    }
  }

  // A command typed again starts a new attempt where one log shows it; in several logs it is another node's
  // command.
  bool tells_attempt(const Event& event) const {
    if (event.context.launcher || event.captures.count("attempt") != 0) return true;
    const auto logs = std::count_if(log_.sources.begin(), log_.sources.end(),
                                    [](const ScannedSource& source) { return !source.workspace; });
    return logs == 1;
  }

  int attempt_of(std::optional<int> stated, int source, std::uint64_t order) const {
    if (stated) return *stated;
    int attempt = 0;
    for (const Event* start : starts_) {
      if (start->order > order || (start->source != source && log_.sources.size() > 1)) continue;
      const auto number = parse_number(capture(start->captures, "attempt"));
      attempt = number ? static_cast<int>(*number) : attempt + 1;
    }
    return attempt;
  }

  Finding finding_of(const Event& event, const Signature& signature) const {
    Finding finding;
    finding.signature = &signature;
    finding.signature_index = event.signature;
    finding.ranks = index_.ranks_of(event);
    if (!event.context.launcher) finding.speaker = index_.rank_of(event.context, event.source);
    if (finding.ranks.empty() && event.record >= 0) finding.ranks = spawn_ranks(event.source, event.record);
    finding.host = capture(event.captures, "host");
    if (finding.host.empty()) finding.host = index_.host_of(event);
    finding.group = capture(event.captures, "group");
    if (finding.group.empty()) finding.group = event.context.group;
    finding.source = event.source;
    finding.line = event.line;
    finding.end_line = event.end_line;
    finding.order = event.order;
    finding.last_order = event.order;
    finding.text = event.text;
    finding.time = skew_.corrected(event.context.time, finding.host);
    finding.captures = event.captures;
    finding.record = event.record;
    finding.launcher = event.context.launcher;
    if (event.record >= 0 && log_.records[static_cast<std::size_t>(event.record)].launcher)
      finding.launcher = true;
    const auto pid = parse_number(capture(event.captures, "pid"));
    finding.unrelated = signature.tier == Tier::kPhysical && event.context.launcher && pid &&
                        finding.ranks.empty() && index_.knows_pids_of(finding.host);
    return finding;
  }

  // torch.multiprocessing names the process just above its traceback.
  std::vector<int> spawn_ranks(int source, int record) const {
    const Record& traceback = log_.records[static_cast<std::size_t>(record)];
    if (traceback.launcher) return {};
    for (const Event& event : log_.events) {
      if (event.source != source || signature_of(event).gives != Gives::kExit) continue;
      if (event.captures.count("rank") == 0) continue;
      if (event.line < traceback.first_line && traceback.first_line - event.line <= kSpawnTracebackDistance) {
        return index_.ranks_of(event);
      }
    }
    return {};
  }

  void read_event(const Event& event) {
    const Signature& signature = signature_of(event);
    const int attempt = attempt_of(event.context.attempt, event.source, event.order);
    Findings& findings = attempts_[attempt];
    switch (signature.gives) {
      case Gives::kProgress:
        note_progress(event, &findings);
        break;
      case Gives::kCompleted: {
        const auto ranks = index_.ranks_of(event);
        findings.completed.insert(ranks.begin(), ranks.end());
        if (ranks.empty()) findings.job_completed = true;
        break;
      }
      case Gives::kSignalled: {
        const auto ranks = index_.ranks_of(event);
        findings.signalled.insert(ranks.begin(), ranks.end());
        ++findings.signals_sent;
        break;
      }
      case Gives::kExit:
        read_exit(event, attempt);
        break;
      default:
        break;
    }
    if (signature.role == Role::kContext && !is_collective(signature.gives)) return;
    if (log_.sources[static_cast<std::size_t>(event.source)].workspace) return;
    findings.all.push_back(finding_of(event, signature));
  }

  static bool is_collective(Gives gives) {
    return gives == Gives::kCollectiveTimeout || gives == Gives::kCollectiveStatus ||
           gives == Gives::kCollectiveIssue || gives == Gives::kCollectiveAbsent || gives == Gives::kPeerLost;
  }

  void note_progress(const Event& event, Findings* findings) {
    std::vector<int> ranks = index_.ranks_of(event);
    if (ranks.empty()) ranks.push_back(-1);
    for (const int rank : ranks) {
      auto& last = findings->last_progress[{event.source, rank}];
      if (event.order > last.order) last = {event.order, event.context.time};
    }
  }

  void read_exit(const Event& event, int attempt) {
    ProcessExit exit;
    exit.source = event.source;
    exit.line = event.line;
    exit.order = event.order;
    exit.host = capture(event.captures, "host");
    exit.pid = parse_number(capture(event.captures, "pid"));
    exit.time = event.context.time;
    exit.message = event.text;
    if (const auto local = parse_number(capture(event.captures, "local_rank"))) {
      exit.local_rank = static_cast<int>(*local);
    }
    if (const auto code = parse_number(capture(event.captures, "exitcode")))
      exit.exit_code = static_cast<int>(*code);
    if (const auto signal = capture(event.captures, "signal"); !signal.empty())
      exit.signal = signal_of(signal);
    const auto ranks = index_.ranks_of(event);
    if (ranks.empty() || (exit.local_rank && capture(event.captures, "rank").empty())) {
      add_exit(exit, attempt);
      return;
    }
    for (const int rank : ranks) {
      exit.rank = rank;
      add_exit(exit, attempt);
    }
  }

  void add_exit(ProcessExit exit, int attempt) {
    normalise(&exit);
    Findings& findings = attempts_[attempt];
    const auto rank = index_.rank_of_exit(exit);
    if (!rank) {
      findings.unknown_exits.push_back(std::move(exit));
      return;
    }
    exit.rank = rank;
    const auto [place, inserted] = findings.exits.try_emplace(*rank, RankExit{exit, false});
    if (inserted) return;
    // Two tables tell of the same process: a signal says more than an exit code.
    if (exit.signal && !place->second.exit.signal) place->second.exit = exit;
    if (exit.launcher_root_cause) place->second.exit.launcher_root_cause = true;
  }

  // An exception that no signature knows is still the rank's own.
  void read_record(int number) {
    const Record& record = log_.records[static_cast<std::size_t>(number)];
    if (record.exception_line == 0 || record.launcher) return;
    const int index = derived_index("python-exception");
    if (index < 0) return;
    for (const Event& event : log_.events) {
      if (event.source == record.source && event.line >= record.exception_line &&
          event.line <= record.last_line && signature_of(event).role != Role::kContext) {
        return;
      }
      // Raised while another known failure was handled: that one is the cause.
      for (int at = record.caused_by, steps = 0; at >= 0 && steps < 16; ++steps) {
        const Record& cause = log_.records[static_cast<std::size_t>(at)];
        if (event.source == cause.source && event.line >= cause.exception_line &&
            event.line <= cause.last_line && signature_of(event).role != Role::kContext) {
          return;
        }
        at = cause.caused_by;
      }
    }
    Finding finding;
    finding.signature = &library_.signatures()[static_cast<std::size_t>(index)];
    finding.signature_index = index;
    if (const auto rank = index_.rank_of(record.context, record.source)) finding.ranks = {*rank};
    if (finding.ranks.empty()) finding.ranks = spawn_ranks(record.source, number);
    finding.host = record.context.host.empty() ? index_.host_of_source(record.source, record.exception_line)
                                               : record.context.host;
    finding.source = record.source;
    finding.line = record.exception_line;
    finding.end_line = record.last_line;
    finding.order = record.order;
    finding.last_order = record.order;
    finding.time = skew_.corrected(record.context.time, finding.host);
    finding.record = number;
    finding.text = record.exception_type + (record.message.empty() ? "" : ": " + record.message);
    finding.captures["exception"] = record.exception_type;
    if (!record.message.empty()) finding.captures["message"] = record.message;
    attempts_[attempt_of(record.context.attempt, record.source, record.order)].all.push_back(
        std::move(finding));
  }

  int derived_index(std::string_view name) const {
    const Signature* signature = library_.derived(name);
    return signature == nullptr ? -1 : library_.index_of(signature->id);
  }

  // A fault that the same rank left behind it is no failure.
  static void mark_recovered(Findings* findings) {
    std::map<std::pair<int, int>, std::uint64_t> last;  // signature, first rank -> last order
    for (const Finding& finding : findings->all) {
      auto& order = last[{finding.signature_index, finding.ranks.empty() ? -1 : finding.ranks.front()}];
      order = std::max(order, finding.order);
    }
    for (Finding& finding : findings->all) {
      finding.last_order =
          last[{finding.signature_index, finding.ranks.empty() ? -1 : finding.ranks.front()}];
      if (finding.signature->tier == Tier::kPhysical) continue;
      const auto own = finding.ranks.size() == 1
                           ? findings->last_progress.find({finding.source, finding.ranks.front()})
                           : findings->last_progress.end();
      if (own != findings->last_progress.end()) {
        finding.recovered = own->second.order > finding.last_order;
        continue;
      }
      const auto any = findings->last_progress.find({finding.source, -1});
      if (any == findings->last_progress.end() || any->second.order <= finding.last_order + kProgressMargin)
        continue;
      const auto gap = seconds_between(any->second.time, finding.time);
      finding.recovered = !gap || *gap > kProgressSeconds;
    }
  }

  static void mark_launcher_exits(Findings* findings) {
    for (auto& [rank, exit] : findings->exits) {
      const int signal = exit.exit.signal.value_or(0);
      exit.by_launcher = findings->signalled.count(rank) != 0 && (signal == 15 || signal == 9 || signal == 0);
    }
  }

  const EventLog& log_;
  const Library& library_;
  const RankIndex& index_;
  const ClockSkew& skew_;
  std::vector<const Event*> starts_;
  std::map<int, Findings> attempts_;
};

}  // namespace

std::vector<Findings> collect_findings(const EventLog& log, const Library& library, const RankIndex& index,
                                       const ClockSkew& skew) {
  return Collector(log, library, index, skew).collect();
}

std::optional<double> seconds_between(const std::optional<Timestamp>& a, const std::optional<Timestamp>& b) {
  if (!a || !b || a->uptime != b->uptime || a->has_date != b->has_date || a->has_year != b->has_year) {
    return std::nullopt;
  }
  return static_cast<double>(a->nanoseconds - b->nanoseconds) / 1e9;
}

}  // namespace firstfault
