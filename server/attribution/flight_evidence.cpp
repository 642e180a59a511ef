#include "attribution/flight_evidence.hpp"

#include <algorithm>
#include <set>

#include "attribution/collateral.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kMaxEvidence = 8;
constexpr std::size_t kShownFrames = 4;

std::string sizes_text(const std::vector<std::vector<std::int64_t>>& sizes) {
  std::string text;
  for (const auto& tensor : sizes) {
    if (text.size() > 60) return text + ", ...";
    text += text.empty() ? "[" : ", [";
    for (std::size_t i = 0; i < tensor.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(tensor[i]);
    text += "]";
  }
  return text;
}

Record record_of(const FlightDump& dump, const FlightEntry& entry) {
  Record record;
  if (entry.stack < 0) return record;
  const auto& frames = dump.stacks[static_cast<std::size_t>(entry.stack)];
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    record.frames.push_back({frame->file, frame->line, frame->function, ""});
  }
  return record;
}

// "train_step (train.py:88), main (train.py:120)": from the innermost frame that is no library's outwards.
std::string stack_text(const FlightDump& dump, const FlightEntry& entry) {
  const Record record = record_of(dump, entry);
  const Frame* from = user_frame(record);
  if (from == nullptr) return {};
  std::string text;
  std::size_t shown = 0;
  for (const Frame* frame = from; shown < kShownFrames; --frame, ++shown) {
    text += (shown == 0 ? "" : ", ") + frame->function + " (" + frame->file + ":" +
            std::to_string(frame->line) + ")";
    if (frame == record.frames.data()) break;
  }
  return text;
}

}  // namespace

std::string call_text(const FlightDump& dump, const FlightCall& call) {
  std::string text = call.op + " " + std::to_string(call.seq);
  const FlightShape& shape = dump.shapes[static_cast<std::size_t>(call.entry->shape)];
  const std::string sizes = sizes_text(shape.input_sizes);
  if (!sizes.empty()) text += " on " + sizes;
  if (!shape.input_dtypes.empty()) text += " " + shape.input_dtypes.front();
  return text;
}

void bind_call(const FlightGroupView& group, const FlightDump& dump, const FlightCall& call,
               Verdict* verdict) {
  Captures& bindings = verdict->bindings;
  bindings["op"] = call.op;
  bindings["seq"] = std::to_string(call.seq);
  bindings["group"] = group.desc.empty() ? group.name : group.desc;
  const Record record = record_of(dump, *call.entry);
  if (const Frame* frame = user_frame(record)) {
    bindings["file"] = frame->file;
    bindings["line"] = std::to_string(frame->line);
    if (!frame->function.empty()) bindings["function"] = frame->function;
  }
}

void blame(std::vector<int> ranks, std::string why, Verdict* verdict) {
  verdict->initiator.scope = ranks.empty()       ? Scope::kUnknown
                             : ranks.size() == 1 ? Scope::kRank
                                                 : Scope::kRanks;
  verdict->initiator.ranks = std::move(ranks);
  verdict->initiator.why = std::move(why);
}

std::string awaited_text(const FlightGroupView& group, std::optional<std::int64_t> seq) {
  const std::string place = " of " + group.label();
  if (!seq) return "a send or receive" + place;
  for (const auto& [rank, member] : group.members) {
    if (const FlightCall* call = member.call(*seq)) return call->op + " " + std::to_string(*seq) + place;
  }
  return "collective " + std::to_string(*seq) + place;
}

void add_evidence(const FlightGroupView& group, int rank, const FlightCall* call, std::string_view verb,
                  bool suspect, Verdict* verdict) {
  if (verdict->evidence.size() >= kMaxEvidence) return;
  const FlightMember& member = group.members.at(rank);
  Evidence evidence;
  evidence.source = member.flight->source;
  evidence.rank = rank;
  evidence.role = suspect ? Role::kCause : Role::kConsequence;
  evidence.text = "rank " + std::to_string(rank) + ": " + std::string(verb) + " ";
  if (call != nullptr) {
    evidence.text += call_text(member.dump(), *call) + " of " + group.label();
    const std::string stack = stack_text(member.dump(), *call->entry);
    if (!stack.empty()) evidence.text += ", called from " + stack;
  } else if (member.enqueued >= 0) {
    evidence.text +=
        "collective " + std::to_string(member.waits.value_or(member.enqueued)) + " of " + group.label();
  } else {
    evidence.text += "nothing in " + group.label();
  }
  evidence.why = suspect ? "the dump of a rank that differs from its peers" : "the dump of a rank that waits";
  verdict->evidence.push_back(std::move(evidence));
}

void add_waits(const std::vector<FlightGroupView>& groups, Verdict* verdict) {
  const auto& suspects = verdict->initiator.ranks;
  std::set<int> told(suspects.begin(), suspects.end());
  const std::string whom = suspects.empty() ? "" : " with " + ranks_text(suspects);
  for (const FlightGroupView& group : groups) {
    for (const auto& [rank, member] : group.members) {
      const bool exchange = group.peer_waits.count(rank) != 0;
      if ((!member.waits && !exchange) || !told.insert(rank).second) continue;
      Collateral entry;
      entry.rank = rank;
      entry.source = member.flight->source;
      entry.why = "waited in " + awaited_text(group, member.waits) + whom;
      verdict->collateral.push_back(std::move(entry));
    }
  }
}

}  // namespace firstfault
