// The report on a source, as data: the C++ twin of the JSON contract in DESIGN.md ("firstfault.diagnosis/1").
// Text fields hold plain text (log text included, unescaped): each report form escapes at its own door.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edit/python_edit.hpp"

namespace firstfault {

struct SourceReport {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
};

struct JobReport {
  std::optional<int> world_size;
  std::vector<int> ranks_seen;
  std::vector<std::string> hosts;
  std::string launcher;
  std::vector<std::string> frameworks;
  int attempts = 1;
};

struct CauseReport {
  std::string id;         // taxonomy
  std::string signature;  // "" for an unknown cause
  std::string title;
  std::string layer;
  std::string owner;
  std::optional<double> confidence;  // measured frequency; none: not measured
  std::string confidence_basis;  // "right in 38 of 41 recorded incidents with this evidence" / "not measured"
  std::string summary;           // one sentence naming rank and cause, <= 90 characters
  std::string what;              // one sentence
  std::string mechanism;
  std::string confused_with;
  std::vector<std::string> confirm;
  std::vector<std::string> refute;
};

struct InitiatorReport {
  std::string scope;                      // rank|ranks|host|launcher|external|all|unknown
  std::optional<std::vector<int>> ranks;  // none: no single rank
  std::vector<std::string> hosts;
  std::vector<int> local_ranks;
  std::vector<std::int64_t> pids;
  std::vector<std::string> devices;
  std::string why;
};

struct EvidenceReport {
  std::string path;
  std::uint64_t line = 0;
  std::uint64_t end_line = 0;
  std::string text;
  std::string role;  // cause|consequence|either|context
  std::optional<int> rank;
  std::string why;
};

struct CollateralReport {
  int rank = 0;
  std::string path;        // "" where the rank printed nothing
  std::uint64_t line = 0;  // 0 where the rank printed nothing
  std::string why;
};

struct AlternativeReport {
  std::string id;
  std::optional<double> confidence;
  std::string decide;
};

struct EditReport {
  std::string title;
  std::string applicability;
  bool preferred = false;
  std::vector<TextEdit> changes;
};

struct FixReport {
  std::string summary;
  std::vector<std::string> steps;
  std::vector<EditReport> edits;
  std::vector<std::string> edits_not_offered;  // why
};

struct VerifyReport {
  std::string command;
  std::string expect;
  std::string refutes;
  bool needs_root = false;
};

struct IncidentReport {
  bool primary = false;
  int attempt = 0;
  CauseReport cause;
  std::optional<InitiatorReport> initiator;
  std::vector<EvidenceReport> evidence;
  std::vector<CollateralReport> collateral;
  std::vector<AlternativeReport> alternatives;
  FixReport fix;
  VerifyReport verify;
  std::vector<std::string> prevent;
  std::vector<std::string> references;
};

struct TimelineEntry {
  std::optional<int> rank;
  std::string time;  // ISO 8601 or "", as far as the log says
  std::string path;
  std::uint64_t line = 0;
  std::string role;
  std::string label;
};

struct Diagnosis {
  std::vector<SourceReport> sources;
  JobReport job;
  std::vector<IncidentReport> incidents;  // empty: no failure in the input
  std::vector<TimelineEntry> timeline;
};

}  // namespace firstfault
