// A signature: what one kind of failure looks like in a log and what it means. Plain data, read from
// signatures/*.json. signatures/schema.json describes the file form field by field; the loader checks every
// rule it states.
#pragma once

#include <string>
#include <vector>

namespace firstfault {

// Can this event start a failure?
enum class Role { kCause, kConsequence, kEither, kContext };

// Which of the attribution rules (DESIGN.md, strongest first) an event feeds.
enum class Tier {
  kPhysical,   // rule 1: hardware, kernel, scheduler, full disk
  kClock,      // rule 2: derived from collective sequence numbers; has no pattern of its own
  kException,  // rule 3: a rank's own exception or native error
  kKill,       // rule 4: a kill seen from outside
  kSymptom,    // consequences, generic fall-backs
  kFact,       // role context: world size, dtype, progress, a mapping
};

// What else an event tells the attribution engine, beyond "this happened". The captures named are those it
// reads.
enum class Gives {
  kNothing,
  kRankMap,       // rank, local_rank, host, pid, bus, device, world_size: any two or more tie them together
  kWorldSize,     // world_size
  kProgress,      // step (optional): training went on after everything above
  kCompleted,     // the work ended well
  kAttemptStart,  // a new attempt (elastic restart, requeue) begins; attempt (optional)
  kExit,  // rank | ranks | local_rank | pid, host, exitcode | signal: how a process ended, from its launcher
  kKill,  // pid | rank | ranks | host | bus: killed or broken from outside
  kSignalled,          // pid | rank: the launcher ended this process because another failed
  kCollectiveTimeout,  // rank, group, group_rank, seq, op, numel_in, numel_out, timeout_ms, ran_ms: waited in
                       // a collective
  kCollectiveStatus,   // rank, group, last_enqueued, last_started, last_completed
  kCollectiveIssue,    // rank, seq, op, shape, dtype, ranks: what a rank was about to run (fingerprints)
  kCollectiveAbsent,   // ranks | peer_rank: ranks that did not join what others wait in
  kPeerLost,           // peer_rank | peer_host | peer_addr: a connection to a peer closed
};

enum class MatchIn { kLog, kSource };  // lines of the log, or of source and config files below --workspace

// Ids of other signatures whose events the input must (all, any) or must not (none) hold.
struct Needs {
  std::vector<std::string> all;
  std::vector<std::string> any;
  std::vector<std::string> none;
  bool empty() const { return all.empty() && any.empty() && none.empty(); }
};

struct Match {
  MatchIn in = MatchIn::kLog;
  std::vector<std::string> patterns;  // RE2, Latin-1; any of them, on one line after its prefixes
  std::vector<std::string> unless;    // none of them on that line
  std::vector<std::string> record;    // each somewhere in the record (traceback, block) that holds the line
  std::vector<std::string> record_unless;  // none of them there
  Needs needs;
  std::string
      derived;  // instead of patterns: the name of an engine conclusion ("op-mismatch", "peer-died", ...)
};

struct Explain {
  std::string what;                  // one sentence
  std::string mechanism;             // how it comes about
  std::string confused_with;         // what it is mistaken for and why
  std::vector<std::string> confirm;  // what would confirm it
  std::vector<std::string> refute;   // what would refute it
};

// A text shown only where `needs` holds and every {capture} in it is bound.
struct ConditionalText {
  std::string text;
  Needs needs;
};

struct Fix {
  ConditionalText summary;
  std::vector<ConditionalText> steps;  // in order of preference
};

struct EditRecipe {
  std::string recipe;  // "python-keyword-argument"
  std::string title;
  std::string applicability;  // safe | review | placeholder
  bool preferred = false;
  std::vector<std::string> callables;  // qualified names: torch.optim.AdamW
  std::string keyword;                 // eps
  std::string value;                   // 1e-5
  std::string replace_if;  // RE2 on an existing value's text: replace only then; "" replaces any other value
  Needs needs;             // not offered where the log or the source contradict it
};

struct Verify {
  ConditionalText command;
  std::string expect;
  std::string refutes;
  bool needs_root = false;
};

struct Example {
  std::string text;    // lines of a log, with their prefixes
  std::string source;  // content of a Python file in the workspace, "" for none
};

struct Signature {
  std::string id;
  std::string cause;  // taxonomy id; "" only for role context
  std::string title;
  Role role = Role::kCause;
  Tier tier = Tier::kException;
  Gives gives = Gives::kNothing;
  int specificity = 50;  // 0 generic fall-back .. 100 names exactly one failure
  std::string owner;     // researcher | cluster-admin
  std::string layer;     // from the taxonomy
  std::string
      scope;  // "" (the event's rank), host, launcher, all, external: where this kind of failure begins
  std::vector<std::string> frameworks;
  std::string versions;
  Match match;
  Explain explain;
  Fix fix;
  std::vector<EditRecipe> edits;
  Verify verify;
  std::vector<std::string> prevent;
  std::vector<std::string> references;
  std::vector<Example> positive;
  std::vector<Example> negative;
  std::string file;  // path below the signature folder, for messages
};

}  // namespace firstfault
