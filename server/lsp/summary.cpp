#include "lsp/summary.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "diagnosis/diagnose.hpp"

namespace firstfault::lsp {
namespace {

constexpr std::size_t kHeadlineBytes = 90;
constexpr std::size_t kSimilarFindings = 3;  // of one signature on one rank; further ones are only counted

bool starts_failures(std::string_view role) { return role == "cause" || role == "either"; }

std::string rank_prefix(const std::optional<int>& rank) {
  return rank ? "rank " + std::to_string(*rank) + ": " : "";
}

// Whether a code point could change how the text around it is shown: bidirectional overrides and isolates.
bool is_directional(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\xE2\x80" && text.substr(at, 2) != "\xE2\x81") return false;
  if (at + 2 >= text.size()) return false;
  const auto last = static_cast<unsigned char>(text[at + 2]);
  return text[at + 1] == '\x80' ? last >= 0xAA && last <= 0xAE : last >= 0xA6 && last <= 0xA9;
}

std::string https_address(const std::vector<std::string>& references) {
  for (const std::string& reference : references) {
    if (reference.starts_with("https://") && reference.find_first_of(" \"<>") == std::string::npos)
      return reference;
  }
  return "";
}

bool by_line(std::uint64_t a_line, std::uint64_t a_end, std::uint64_t b_line, std::uint64_t b_end) {
  return a_line != b_line ? a_line < b_line : a_end < b_end;
}

class Summarizer {
 public:
  Summarizer(const Analysis& analysis, const Engine& engine, const std::string& workspace)
      : diagnosis_(analysis.diagnosis), log_(analysis.log), engine_(engine), workspace_(workspace) {}

  Summary build() {
    for (const SourceReport& source : diagnosis_.sources) summary_.files[source.path];
    for (const IncidentReport& incident : diagnosis_.incidents) add_incident(incident);
    for (const IncidentReport& incident : diagnosis_.incidents) add_collateral(incident);
    add_events();
    note_folded();
    for (auto& [path, file] : summary_.files) finish(&file);
    return std::move(summary_);
  }

 private:
  struct Taken {
    std::uint64_t line;
    std::uint64_t end_line;
    std::optional<int> rank;
  };

  const Signature& signature_of(const Event& event) const {
    return engine_.signatures()[static_cast<std::size_t>(event.signature)];
  }

  const std::string& path_of(const Event& event) const {
    return log_.sources[static_cast<std::size_t>(event.source)].path;
  }

  // The signature that recognised a line, the most specific one of several.
  const Signature* signature_at(const std::string& path, std::uint64_t line) {
    if (by_place_.empty()) {
      for (const Event& event : log_.events) {
        const Signature*& found = by_place_[{path_of(event), event.line}];
        const Signature& signature = signature_of(event);
        if (found == nullptr || found->specificity < signature.specificity) found = &signature;
      }
    }
    const auto found = by_place_.find({path, line});
    return found == by_place_.end() ? nullptr : found->second;
  }

  void add_incident(const IncidentReport& incident) {
    const std::vector<bool> initiating = initiating_evidence(incident);
    std::vector<Place> places;
    for (std::size_t i = 0; i < incident.evidence.size(); ++i) {
      const EvidenceReport& evidence = incident.evidence[i];
      if (evidence.line == 0) continue;
      const Place place{evidence.path, evidence.line, std::max(evidence.line, evidence.end_line)};
      places.insert(initiating[i] ? places.begin() : places.end(), place);
    }
    if (!places.empty()) initiators_[&incident] = places.front();
    for (std::size_t i = 0; i < incident.evidence.size(); ++i) {
      add_evidence(incident, incident.evidence[i], initiating[i]);
    }
    add_offers(incident, places);
  }

  // The evidence that shows where the incident began: the first of each initiating rank, otherwise the first
  // of all.
  static std::vector<bool> initiating_evidence(const IncidentReport& incident) {
    std::vector<bool> marks(incident.evidence.size(), false);
    std::set<int> seen;
    const bool has_ranks = incident.initiator && incident.initiator->ranks;
    for (std::size_t i = 0; has_ranks && i < marks.size(); ++i) {
      const EvidenceReport& evidence = incident.evidence[i];
      if (!evidence.rank || !starts_failures(evidence.role) || evidence.line == 0) continue;
      const auto& ranks = *incident.initiator->ranks;
      const bool initiator = std::find(ranks.begin(), ranks.end(), *evidence.rank) != ranks.end();
      marks[i] = initiator && seen.insert(*evidence.rank).second;
    }
    if (std::find(marks.begin(), marks.end(), true) != marks.end()) return marks;
    const auto first = std::find_if(
        incident.evidence.begin(), incident.evidence.end(),
        [](const auto& evidence) { return starts_failures(evidence.role) && evidence.line != 0; });
    if (first != incident.evidence.end()) {
      marks[static_cast<std::size_t>(first - incident.evidence.begin())] = true;
    } else if (!marks.empty()) {
      marks[0] = true;
    }
    return marks;
  }

  void add_evidence(const IncidentReport& incident, const EvidenceReport& evidence, bool initiating) {
    if (evidence.line == 0) return;
    if (evidence.role == "context" && !initiating) return;
    const Signature* signature = signature_at(evidence.path, evidence.line);
    Finding finding;
    finding.line = evidence.line;
    finding.end_line = std::max(evidence.line, evidence.end_line);
    if (initiating) {
      finding.severity = Severity::kError;
      finding.code = incident.cause.signature.empty() ? incident.cause.id : incident.cause.signature;
      finding.reference = https_address(incident.references);
      finding.message = plain_line(incident.cause.summary, kHeadlineBytes);
      append_line(incident.cause.what, &finding.message);
      if (!incident.fix.summary.empty()) append_line("Fix: " + incident.fix.summary, &finding.message);
    } else {
      finding.severity = starts_failures(evidence.role) ? Severity::kWarning : Severity::kInformation;
      finding.code = signature != nullptr ? signature->id : incident.cause.id;
      const std::string& title = signature != nullptr ? signature->title : incident.cause.title;
      finding.message = plain_line(rank_prefix(evidence.rank) + title, kHeadlineBytes);
      append_line(evidence.why, &finding.message);
      point_to_initiator(incident, &finding);
    }
    if (finding.end_line > finding.line) {
      records_[evidence.path].push_back({finding.line, finding.end_line, evidence.rank});
    }
    add(evidence.path, std::move(finding));
  }

  void add_collateral(const IncidentReport& incident) {
    for (const CollateralReport& collateral : incident.collateral) {
      collateral_ranks_.insert(collateral.rank);
      if (collateral.line == 0) continue;
      const Signature* signature = signature_at(collateral.path, collateral.line);
      Finding finding;
      finding.line = finding.end_line = collateral.line;
      finding.code = signature != nullptr ? signature->id : incident.cause.id;
      const bool names_rank = collateral.why.starts_with("rank ");
      finding.message = plain_line((names_rank ? "" : rank_prefix(collateral.rank)) + collateral.why);
      point_to_initiator(incident, &finding);
      add(collateral.path, std::move(finding));
    }
  }

  void point_to_initiator(const IncidentReport& incident, Finding* finding) const {
    const auto found = initiators_.find(&incident);
    if (found == initiators_.end()) return;
    finding->initiator = found->second;
    finding->initiator_message = plain_line(incident.cause.summary, kHeadlineBytes);
  }

  void add_events() {
    // Of several events of one line only the most specific is shown.
    std::vector<const Event*> events;
    for (const Event& event : log_.events) {
      const bool shown = event.source >= 0 && !log_.sources[static_cast<std::size_t>(event.source)].workspace;
      if (shown) events.push_back(&event);
    }
    std::stable_sort(events.begin(), events.end(), [this](const Event* a, const Event* b) {
      return std::pair(a->order, -signature_of(*a).specificity) <
             std::pair(b->order, -signature_of(*b).specificity);
    });
    for (const Event* event : events) {
      add_line(*event);
      if (signature_of(*event).role != Role::kContext) add_event(*event);
    }
  }

  void add_event(const Event& event) {
    const Signature& signature = signature_of(event);
    const auto& rank = event.context.rank;
    const bool follows = signature.role == Role::kConsequence ||
                         (signature.role == Role::kEither && rank && collateral_ranks_.contains(*rank));
    Finding finding;
    finding.line = event.line;
    finding.end_line = std::max(event.line, event.end_line);
    const bool harmless = follows || diagnosis_.incidents.empty();
    finding.severity = harmless ? Severity::kInformation : Severity::kWarning;
    finding.code = signature.id;
    finding.reference = https_address(signature.references);
    finding.message = plain_line(rank_prefix(rank) + signature.title, kHeadlineBytes);
    append_line(signature.explain.what, &finding.message);
    if (event.repeats > 0) append_line(std::to_string(event.repeats) + " more like it.", &finding.message);
    if (const IncidentReport* incident = incident_of(event); incident != nullptr && follows) {
      point_to_initiator(*incident, &finding);
    }
    if (!is_taken(path_of(event), finding, rank)) fold(path_of(event), rank, std::move(finding));
  }

  // Shows the first few findings of a kind and counts the others.
  void fold(const std::string& path, const std::optional<int>& rank, Finding finding) {
    Similar& similar = similar_[{path, finding.code, rank.value_or(-1)}];
    if (++similar.count > kSimilarFindings) {
      similar.last_line = finding.line;
      return;
    }
    add(path, std::move(finding));
    similar.last_shown = summary_.files[path].findings.size() - 1;
  }

  void note_folded() {
    for (const auto& [key, similar] : similar_) {
      if (similar.count <= kSimilarFindings) continue;
      Finding& shown = summary_.files[std::get<0>(key)].findings[similar.last_shown];
      append_line(std::to_string(similar.count - kSimilarFindings) + " more like it, the last in line " +
                      std::to_string(similar.last_line) + ".",
                  &shown.message);
    }
  }

  const IncidentReport* incident_of(const Event& event) const {
    const IncidentReport* primary = nullptr;
    for (const IncidentReport& incident : diagnosis_.incidents) {
      if (event.context.attempt && *event.context.attempt == incident.attempt) return &incident;
      if (primary == nullptr || incident.primary) primary = &incident;
    }
    return primary;
  }

  // Whether a line is shown already, by itself or as part of the same rank's record.
  bool is_taken(const std::string& path, const Finding& finding, const std::optional<int>& rank) const {
    if (const auto found = taken_.find(path); found != taken_.end() && found->second.contains(finding.line)) {
      return true;
    }
    const auto found = records_.find(path);
    if (found == records_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](const Taken& taken) {
      return taken.rank == rank && taken.line <= finding.line && finding.end_line <= taken.end_line;
    });
  }

  void add(const std::string& path, Finding finding) {
    if (!taken_[path].insert(finding.line).second) return;
    summary_.files[path].findings.push_back(std::move(finding));
  }

  void add_line(const Event& event) {
    const Signature& signature = signature_of(event);
    if (signature.explain.what.empty()) return;
    RecognisedLine line{event.line, std::max(event.line, event.end_line), &signature, "", ""};
    line.fix = fix_of(signature, event.captures);
    for (const IncidentReport& incident : diagnosis_.incidents) {
      if (incident.cause.signature != signature.id) continue;
      const bool evidence = std::any_of(
          incident.evidence.begin(), incident.evidence.end(),
          [&](const auto& each) { return each.line == event.line && each.path == path_of(event); });
      if (!evidence) continue;
      line.headline = incident.cause.summary;
      line.fix = incident.fix.summary;
    }
    summary_.files[path_of(event)].lines.push_back(std::move(line));
  }

  void add_offers(const IncidentReport& incident, const std::vector<Place>& places) {
    const Signature* signature = find_signature(engine_, incident.cause.signature);
    if (signature == nullptr || workspace_.empty()) return;
    std::set<std::pair<std::string, const EditRecipe*>> seen;
    for (const EditReport& edit : incident.fix.edits) {
      const auto recipe =
          std::find_if(signature->edits.begin(), signature->edits.end(),
                       [&](const EditRecipe& each) { return edit.title.starts_with(each.title); });
      if (recipe == signature->edits.end()) continue;
      for (const TextEdit& change : edit.changes) {
        if (!seen.insert({change.path, &*recipe}).second) continue;
        summary_.offers.push_back({workspace_, change.path, &*recipe, recipe->title, recipe->preferred,
                                   incident.cause.title, signature->id, places});
      }
    }
  }

  void finish(FileSummary* file) {
    auto& findings = file->findings;
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    if (findings.size() > kMaxFindings) findings.resize(kMaxFindings);
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
      return by_line(a.line, a.end_line, b.line, b.end_line);
    });
    std::stable_sort(file->lines.begin(), file->lines.end(),
                     [](const RecognisedLine& a, const RecognisedLine& b) {
                       return by_line(a.line, a.end_line, b.line, b.end_line);
                     });
  }

  static void append_line(std::string_view text, std::string* message) {
    if (!text.empty()) *message += "\n" + plain_line(text);
  }

  struct Similar {
    std::size_t count = 0;
    std::size_t last_shown = 0;  // index in the file's findings
    std::uint64_t last_line = 0;
  };

  const Diagnosis& diagnosis_;
  const EventLog& log_;
  const Engine& engine_;
  const std::string& workspace_;
  Summary summary_;
  std::map<const IncidentReport*, Place> initiators_;
  std::set<int> collateral_ranks_;
  std::map<std::pair<std::string, std::uint64_t>, const Signature*> by_place_;
  std::map<std::string, std::set<std::uint64_t>> taken_;  // lines with a finding
  std::map<std::string, std::vector<Taken>> records_;     // evidence of several lines
  std::map<std::tuple<std::string, std::string, int>, Similar> similar_;
};

}  // namespace

std::string fix_of(const Signature& signature, const Captures& captures) {
  // Whether a condition on the rest of the log holds is not known here.
  if (!signature.fix.summary.needs.empty()) return "";
  return bind_text(signature.fix.summary.text, captures);
}

std::string plain_line(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (is_directional(text, at)) {
      at += 2;
    } else if (byte < 0x20 || byte == 0x7F) {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
    } else if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) {
      ++at;  // a C1 control character
    } else {
      out.push_back(text[at]);
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (out.size() <= limit) return out;
  std::size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
  return out.substr(0, end) + "...";
}

Summary summarise(const Analysis& analysis, const Engine& engine, const std::string& workspace) {
  return Summarizer(analysis, engine, workspace).build();
}

}  // namespace firstfault::lsp
