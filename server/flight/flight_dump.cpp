#include "flight/flight_dump.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "flight/json_reader.hpp"
#include "flight/pickle_reader.hpp"

namespace firstfault {
namespace {

using Id = ValueTree::Id;
using Kind = ValueTree::Kind;

constexpr std::size_t kMaxListedRanks = 65536;
constexpr std::int64_t kMaxRank = 1 << 20;
constexpr std::size_t kMaxStackFrames = 128;
constexpr std::size_t kMaxText = 1000;
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kMaxVisits = 40'000'000;  // shared lists could otherwise be read without end

std::optional<std::int64_t> parse(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class DumpReader {
 public:
  explicit DumpReader(const ValueTree& values) : values_(values) {}

  FlightDump read() {
    const Id root = values_.root();
    const bool bare = values_.at(root).kind == Kind::kList;  // an early format: only the entries
    dump_.shapes.emplace_back();
    if (!bare) read_head(root);
    const Id entries = bare ? root : values_.find(root, "entries");
    if (values_.at(entries).kind == Kind::kList) {
      for (const Id entry : values_.at(entries).items) {
        if (!visit()) break;
        if (values_.at(entry).kind == Kind::kDict) read_entry(entry);
      }
    }
    if (!bare) read_status(values_.find(root, "pg_status"));
    return std::move(dump_);
  }

  bool too_large() const { return visits_ > kMaxVisits; }

 private:
  bool visit(std::size_t count = 1) {
    visits_ += count;
    return visits_ <= kMaxVisits;
  }

  std::optional<std::int64_t> integer(Id id) const {
    const ValueTree::Value& value = values_.at(id);
    if (value.kind == Kind::kInteger || value.kind == Kind::kBool) return value.integer;
    if (value.kind == Kind::kText) return parse(value.text);
    return std::nullopt;
  }

  std::string text(Id id) const {
    const ValueTree::Value& value = values_.at(id);
    if (value.kind == Kind::kInteger) return std::to_string(value.integer);
    return value.text.substr(0, kMaxText);
  }

  std::string first_text(Id dict, std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      std::string found = text(values_.find(dict, key));
      if (!found.empty()) return found;
    }
    return {};
  }

  void read_head(Id root) {
    dump_.version = text(values_.find(root, "version"));
    dump_.host = first_text(root, {"host_name", "hostname", "host"});
    dump_.reason = first_text(root, {"reason", "dump_reason"});
    for (const std::string_view key : {"rank", "global_rank"}) {
      const auto rank = integer(values_.find(root, key));
      if (rank && *rank >= 0 && *rank <= kMaxRank) dump_.rank = static_cast<int>(*rank);
    }
    const ValueTree::Value& config = values_.at(values_.find(root, "pg_config"));
    if (config.kind != Kind::kDict) return;
    for (std::size_t at = 0; at + 1 < config.items.size() && visit(); at += 2) {
      const Id info = config.items[at + 1];
      FlightGroup& group = dump_.groups[text(config.items[at])];
      const bool described = values_.at(info).kind == Kind::kDict;
      if (described) group.desc = text(values_.find(info, "desc"));
      group.ranks = ranks(described ? values_.find(info, "ranks") : info);
    }
  }

  // "[0, 1, 2]", or a list of numbers.
  std::vector<int> ranks(Id id) {
    std::vector<int> found;
    const auto add = [&found](std::optional<std::int64_t> rank) {
      if (rank && *rank >= 0 && *rank <= kMaxRank && found.size() < kMaxListedRanks) {
        found.push_back(static_cast<int>(*rank));
      }
    };
    const ValueTree::Value& value = values_.at(id);
    if (!visit(value.items.size() + value.text.size() / 2)) return {};
    for (const Id item : value.items) add(integer(item));
    for (std::size_t at = 0; at < value.text.size();) {
      const std::size_t begin = value.text.find_first_of("0123456789", at);
      if (begin == std::string::npos) break;
      at = std::min(value.text.find_first_not_of("0123456789", begin), value.text.size());
      add(parse(std::string_view(value.text).substr(begin, at - begin)));
    }
    return found;
  }

  void read_entry(Id id) {
    FlightEntry entry;
    entry.record_id = integer(values_.find(id, "record_id")).value_or(-1);
    entry.pg_id = integer(values_.find(id, "pg_id")).value_or(-1);
    entry.group = group_of(id, entry.pg_id);
    entry.seq =
        integer(values_.find(id, values_.has(id, "collective_seq_id") ? "collective_seq_id" : "seq_id"));
    entry.p2p_seq = integer(values_.find(id, "p2p_seq_id"));
    entry.op_id = integer(values_.find(id, "op_id"));
    entry.op = text(values_.find(id, "profiling_name"));
    entry.state = state_of(values_.at(values_.find(id, "state")).text);
    entry.retired = integer(values_.find(id, "retired")).value_or(0) != 0;
    entry.p2p = integer(values_.find(id, "is_p2p")).value_or(0) != 0 || is_point_to_point(entry.op);
    entry.created_ns = integer(values_.find(id, "time_created_ns"));
    if (const auto micros = integer(values_.find(id, "time_created_us")); micros && !entry.created_ns) {
      if (*micros < std::numeric_limits<std::int64_t>::max() / 1000 && *micros >= 0)
        entry.created_ns = *micros * 1000;
    }
    const ValueTree::Value& duration = values_.at(values_.find(id, "duration_ms"));
    if (duration.kind == Kind::kReal) entry.duration_ms = duration.real;
    entry.timeout_ms = integer(values_.find(id, "timeout_ms"));
    entry.shape = shape_of(id);
    if (values_.has(id, "frames")) entry.stack = stack_of(values_.find(id, "frames"));
    dump_.entries.push_back(std::move(entry));
  }

  static bool is_point_to_point(std::string_view op) {
    const std::string_view name = op.substr(op.find(':') == std::string_view::npos ? 0 : op.find(':') + 1);
    return name.substr(0, 5) == "send " || name.substr(0, 5) == "recv " || name == "send" || name == "recv";
  }

  static FlightState state_of(std::string_view name) {
    if (name == "completed") return FlightState::kCompleted;
    if (name == "started") return FlightState::kStarted;
    return name == "scheduled" ? FlightState::kScheduled : FlightState::kUnknown;
  }

  // The name, and the description beside it where pg_config has none. Formats 1.x only number the groups.
  std::string group_of(Id entry, std::int64_t pg_id) {
    const ValueTree::Value& named =
        values_.at(values_.find(entry, values_.has(entry, "process_group") ? "process_group" : "pg_name"));
    std::string name = named.text.substr(0, kMaxText);
    std::string desc;
    if (named.kind == Kind::kList && !named.items.empty()) {
      name = text(named.items[0]);
      if (named.items.size() > 1) desc = text(named.items[1]);
    }
    if (name.empty() && pg_id >= 0) name = std::to_string(pg_id);
    FlightGroup& group = dump_.groups[name];
    if (group.desc.empty()) group.desc = desc;
    if (pg_id >= 0) names_.try_emplace(pg_id, name);
    return name;
  }

  std::vector<std::vector<std::int64_t>> sizes(Id id) {
    std::vector<std::vector<std::int64_t>> all;
    const ValueTree::Value& list = values_.at(id);
    if (!visit(list.items.size())) return {};
    for (const Id tensor : list.items) {
      const ValueTree::Value& dimensions = values_.at(tensor);
      if (!visit(dimensions.items.size())) break;
      all.emplace_back();
      const std::size_t count = std::min(dimensions.items.size(), kMaxDimensions);
      for (std::size_t at = 0; at < count; ++at) {
        all.back().push_back(integer(dimensions.items[at]).value_or(-1));
      }
    }
    return all;
  }

  std::vector<std::string> texts(Id id) {
    std::vector<std::string> all;
    const ValueTree::Value& list = values_.at(id);
    if (!visit(list.items.size())) return {};
    for (const Id item : list.items) all.push_back(text(item));
    return all;
  }

  int shape_of(Id entry) {
    FlightShape shape;
    shape.input_sizes = sizes(values_.find(entry, "input_sizes"));
    shape.output_sizes = sizes(values_.find(entry, "output_sizes"));
    shape.input_dtypes = texts(values_.find(entry, "input_dtypes"));
    shape.output_dtypes = texts(values_.find(entry, "output_dtypes"));
    std::string key;
    for (const auto* list : {&shape.input_sizes, &shape.output_sizes}) {
      for (const auto& tensor : *list) {
        for (const std::int64_t size : tensor) key += std::to_string(size) + ",";
        key += ";";
      }
      key += "|";
    }
    for (const auto* list : {&shape.input_dtypes, &shape.output_dtypes}) {
      for (const std::string& dtype : *list) key += dtype + ",";
      key += "|";
    }
    const auto [known, added] = shapes_.try_emplace(std::move(key), static_cast<int>(dump_.shapes.size()));
    if (added) dump_.shapes.push_back(std::move(shape));
    return known->second;
  }

  int stack_of(Id id) {
    std::vector<FlightFrame> frames;
    std::string key;
    for (const Id item : values_.at(id).items) {
      if (frames.size() >= kMaxStackFrames || !visit()) break;
      FlightFrame frame;
      frame.function = text(values_.find(item, "name"));
      frame.file = text(values_.find(item, "filename"));
      frame.line = static_cast<int>(
          std::clamp<std::int64_t>(integer(values_.find(item, "line")).value_or(0), 0, 1'000'000'000));
      key += frame.file + ":" + std::to_string(frame.line) + ":" + frame.function + "\n";
      frames.push_back(std::move(frame));
    }
    const auto [known, added] = stacks_.try_emplace(std::move(key), static_cast<int>(dump_.stacks.size()));
    if (added) dump_.stacks.push_back(std::move(frames));
    return known->second;
  }

  // Keyed by the number of the group in this process, which the entries tie to its name.
  void read_status(Id id) {
    const ValueTree::Value& all = values_.at(id);
    if (all.kind != Kind::kDict) return;
    for (std::size_t at = 0; at + 1 < all.items.size() && visit(); at += 2) {
      std::string name = text(all.items[at]);
      if (const auto number = parse(name)) {
        const auto tied = names_.find(*number);
        if (tied != names_.end()) name = tied->second;
      }
      const Id info = all.items[at + 1];
      const auto counted = [&](std::string_view key) {
        auto value = integer(values_.find(info, key));
        return value && *value >= 0 ? value : std::nullopt;
      };
      dump_.status[name] = {counted("last_enqueued_collective"), counted("last_started_collective"),
                            counted("last_completed_collective")};
    }
  }

  const ValueTree& values_;
  FlightDump dump_;
  std::size_t visits_ = 0;
  std::unordered_map<std::int64_t, std::string> names_;
  std::unordered_map<std::string, int> shapes_;
  std::unordered_map<std::string, int> stacks_;
};

bool is_dump(const ValueTree& values) {
  const Id root = values.root();
  if (values.at(root).kind == Kind::kList) {
    return !values.at(root).items.empty() && values.has(values.at(root).items.front(), "record_id");
  }
  return values.has(root, "entries") || values.has(root, "pg_config") || values.has(root, "pg_status");
}

}  // namespace

bool FlightEntry::done() const {
  if (state == FlightState::kCompleted) return true;
  // On a CPU no event tells the state: what is no longer watched has ended.
  return retired && op.substr(0, 5) == "gloo:";
}

Result<FlightDump> read_flight_dump(std::string_view bytes, const std::string& path) {
  const bool pickled = !bytes.empty() && static_cast<unsigned char>(bytes[0]) == 0x80;
  auto values = pickled ? read_pickle(bytes, path) : read_json(bytes, path);
  if (!values) return values.error();
  if (!is_dump(*values)) {
    return Error{path +
                 ": holds none of a flight recorder dump's entries, pg_config and pg_status; leave it out"};
  }
  DumpReader reader(*values);
  FlightDump dump = reader.read();
  if (reader.too_large()) {
    return Error{path + ": refers to itself so often that it is no flight recorder dump; leave it out"};
  }
  dump.name_rank = rank_of_dump_name(path);
  return dump;
}

}  // namespace firstfault
