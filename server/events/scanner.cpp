#include "events/scanner.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "context/context_reader.hpp"
#include "events/elastic_block.hpp"
#include "events/event_store.hpp"
#include "events/needs.hpp"
#include "events/traceback.hpp"
#include "text/line_decoder.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kBlockBytes = 512 * 1024;
constexpr std::size_t kSniffBytes = 64 * 1024;
constexpr std::size_t kMaxLastText = 300;
// More ranks than any job has. What names more of them than this is no rank, and must not fill the memory.
constexpr std::size_t kMaxRanks = 1 << 17;
constexpr std::size_t kMaxIdentities = 1 << 18;
constexpr std::size_t kMaxStreams = 1 << 16;  // read at the same time
constexpr std::size_t kManyRecords = 4096;    // of these the first and the last of each writer are kept
constexpr std::size_t kMaxDumpBytes = 256 * 1024 * 1024;

// Lines of one writer: a rank, or what an unlabelled source says.
struct StreamState {
  TracebackAssembler traceback;
  ElasticBlockReader elastic;
};

std::uint64_t combine(std::uint64_t seed, std::uint64_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::uint64_t hash_text(std::string_view text) { return std::hash<std::string_view>{}(text); }

std::uint64_t stream_key(int source, const LineContext& context) {
  std::uint64_t key = static_cast<std::uint64_t>(source) * 7919;
  if (context.rank) return combine(key, 1000003ULL + static_cast<std::uint64_t>(*context.rank));
  if (context.local_rank) key = combine(key, 2000003ULL + static_cast<std::uint64_t>(*context.local_rank));
  if (!context.host.empty()) key = combine(key, hash_text(context.host));
  if (context.pid && !context.launcher) key = combine(key, static_cast<std::uint64_t>(*context.pid));
  return key;
}

// The writer of a record.
std::uint64_t writer_key(const Record& record) {
  std::uint64_t key = static_cast<std::uint64_t>(record.source);
  if (record.context.rank) return combine(key, 1000003ULL + static_cast<std::uint64_t>(*record.context.rank));
  key = combine(key, static_cast<std::uint64_t>(record.context.local_rank.value_or(-1)));
  key = combine(key, static_cast<std::uint64_t>(record.context.pid.value_or(-1)));
  return combine(key, hash_text(record.context.host));
}

std::string bounded(std::string_view text, std::size_t limit) {
  return std::string(text.substr(0, std::min(text.size(), limit)));
}

}  // namespace

struct Scanner::State {
  std::shared_ptr<const PatternSet> patterns;
  EventLog log;
  EventStore store;
  std::uint64_t order = 0;
  std::unordered_set<std::uint64_t> identities;
  std::vector<PatternSet::LineMatch> matches;  // reused between lines

  // Of the source that is being read.
  int source = -1;
  std::unordered_map<std::uint64_t, StreamState> streams;
  std::size_t many_records = kManyRecords;  // so many are looked through for ones that nothing needs

  void add_line(const Line& line, ContextReader* reader);
  void add_workspace_line(const Line& line);
  void drop_idle_streams();
  void drop_repeated_records();
  void note_activity(const Line& line, const LineContext& context);
  void note_identity(const Line& line, const LineContext& context);
  void add_event(const Line& line, PatternSet::LineMatch* match, EventContext context, int record,
                 std::uint64_t key);
  void begin_source(const Source& source, const SourceContext& context, bool workspace);
  Result<bool> read_dump(Source* input, std::string bytes, const CancellationToken& cancel);
  void settle_dumps();
  Result<bool> read_all(Source* input, const LineDecoder::Sink& sink, ContextReader* reader,
                        const CancellationToken& cancel, const ProgressCallback& progress);
};

// Forgets the writers that are in the middle of nothing, and all of them where that is not enough.
void Scanner::State::drop_idle_streams() {
  std::erase_if(streams, [](const auto& stream) { return stream.second.traceback.idle(); });
  if (streams.size() > kMaxStreams / 2) streams.clear();
}

// A job that prints a caught exception at every step prints millions: those that hold no kept event, and are
// neither among the first nor among the last ones of their writer, are dropped.
void Scanner::State::drop_repeated_records() {
  auto& records = log.records;
  std::vector<bool> used(records.size());
  store.mark_records(&used);
  for (const auto& [key, stream] : streams) stream.traceback.mark_records(&used);
  for (std::size_t at = records.size(); at-- > 0;) {
    const int cause = records[at].caused_by;
    if (used[at] && cause >= 0 && at - static_cast<std::size_t>(cause) <= kManyRecords) {
      used[static_cast<std::size_t>(cause)] = true;
    }
  }
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> writers;  // records, of them seen
  for (const Record& record : records) ++writers[writer_key(record)].first;
  const std::size_t share = std::max<std::size_t>(1, kManyRecords / 4 / writers.size());
  std::vector<int> numbers(records.size(), -1);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < records.size(); ++at) {
    auto& [count, seen] = writers[writer_key(records[at])];
    const std::size_t number = seen++;
    if (!used[at] && number >= share && number + share < count) continue;
    numbers[at] = static_cast<int>(kept);
    Record& record = records[at];
    if (record.caused_by >= 0) record.caused_by = numbers[static_cast<std::size_t>(record.caused_by)];
    if (kept != at) records[kept] = std::move(record);
    ++kept;
  }
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(kept), records.end());
  store.renumber_records(numbers);
  for (auto& [key, stream] : streams) stream.traceback.renumber_records(numbers);
  many_records = std::max(kManyRecords, kept * 2);
}

void Scanner::State::note_activity(const Line& line, const LineContext& context) {
  RankActivity* activity = nullptr;
  if (context.rank) {
    if (log.ranks.size() >= kMaxRanks && log.ranks.count(*context.rank) == 0) return;
    activity = &log.ranks[*context.rank];
  } else if (context.local_rank && log.local_ranks.size() < kMaxRanks) {
    const auto& own_host = log.sources[static_cast<std::size_t>(source)].context.host;
    activity =
        &log.local_ranks[{context.host.empty() ? own_host : std::string(context.host), *context.local_rank}];
  } else {
    return;
  }
  if (activity->lines++ == 0) {
    activity->first_line = line.number;
    activity->source = source;
  }
  if (context.body < line.text.size()) {
    activity->source = source;
    activity->last_line = line.number;
    activity->last_text.assign(line.text.substr(0, kMaxLastText));
  }
  if (context.time) activity->last_time = context.time;
}

void Scanner::State::note_identity(const Line& line, const LineContext& context) {
  const int known = (context.rank ? 1 : 0) + (context.local_rank ? 1 : 0) + (context.pid ? 1 : 0) +
                    (context.device ? 1 : 0) + (context.host.empty() ? 0 : 1);
  if (known < 2 || context.launcher) return;
  std::uint64_t key = static_cast<std::uint64_t>(source);
  key = combine(key, static_cast<std::uint64_t>(context.rank.value_or(-1)));
  key = combine(key, static_cast<std::uint64_t>(context.local_rank.value_or(-1)));
  key = combine(key, static_cast<std::uint64_t>(context.pid.value_or(-1)));
  key = combine(key, static_cast<std::uint64_t>(context.device.value_or(-1)));
  key = combine(key, hash_text(context.host));
  if (identities.size() >= kMaxIdentities || !identities.insert(key).second) return;
  Identity identity;
  identity.source = source;
  identity.line = line.number;
  identity.rank = context.rank;
  identity.local_rank = context.local_rank;
  identity.host = std::string(context.host);
  identity.pid = context.pid;
  identity.device = context.device;
  log.identities.push_back(std::move(identity));
}

void Scanner::State::add_event(const Line& line, PatternSet::LineMatch* match, EventContext context,
                               int record, std::uint64_t key) {
  Event event;
  event.signature = match->signature;
  event.source = source;
  event.line = line.number;
  event.end_line = line.number;
  event.order = order;
  event.text = bounded(line.text, kMaxEventText);
  event.captures = std::move(match->captures);
  event.context = std::move(context);
  event.record = record;
  store.add(std::move(event), patterns->library().signatures()[static_cast<std::size_t>(match->signature)],
            key);
}

void Scanner::State::add_line(const Line& line, ContextReader* reader) {
  ++order;
  const LineContext context = reader->read(line);
  const std::string_view body = line.text.substr(std::min(context.body, line.text.size()));
  note_activity(line, context);
  note_identity(line, context);
  const std::uint64_t key = stream_key(source, context);
  if (streams.size() >= kMaxStreams && streams.count(key) == 0) drop_idle_streams();
  if (log.records.size() >= many_records) drop_repeated_records();
  StreamState& stream = streams[key];
  const bool stamped = context.time.has_value() || context.level != 0 || context.launcher;
  EventContext event_context = EventContext::of(context);
  const int record =
      stream.traceback.add(body, line.number, order, stamped, event_context, source, &log.records);
  stream.elastic.add(body, line.number, order, event_context, source, &log.exits);
  patterns->match(body, MatchIn::kLog, &matches);
  for (auto& match : matches) add_event(line, &match, event_context, record, key);
}

void Scanner::State::add_workspace_line(const Line& line) {
  ++order;
  patterns->match(line.text, MatchIn::kSource, &matches);
  for (auto& match : matches) add_event(line, &match, {}, -1, static_cast<std::uint64_t>(source) * 7919);
}

void Scanner::State::begin_source(const Source& input, const SourceContext& context, bool workspace) {
  ScannedSource scanned;
  scanned.path = input.path();
  scanned.workspace = workspace;
  scanned.context = context;
  log.sources.push_back(std::move(scanned));
  source = static_cast<int>(log.sources.size()) - 1;
  streams.clear();
}

// A dump is small beside a log and makes sense only as a whole.
Result<bool> Scanner::State::read_dump(Source* input, std::string bytes, const CancellationToken& cancel) {
  std::string block(kBlockBytes, '\0');
  for (;;) {
    if (cancel.cancelled()) return Error{"cancelled"};
    const auto got = input->read(block.data(), block.size());
    if (!got) return got.error();
    if (*got == 0) break;
    bytes.append(block, 0, *got);
    if (bytes.size() > kMaxDumpBytes) {
      return Error{input->path() +
                   ": a flight recorder dump of more than 256 MB; record fewer entries "
                   "(TORCH_NCCL_TRACE_BUFFER_SIZE) or leave the file out"};
    }
  }
  auto dump = read_flight_dump(bytes, input->path());
  if (!dump) return dump.error();
  auto& scanned = log.sources[static_cast<std::size_t>(source)];
  scanned.bytes = bytes.size();
  if (!dump->name_rank) dump->name_rank = scanned.context.rank;
  if (dump->host.empty()) dump->host = scanned.context.host;
  log.flights.push_back({source, std::move(*dump)});
  return true;
}

// The ranks that wrote dumps are ranks of the job, whether or not they printed a line.
void Scanner::State::settle_dumps() {
  std::vector<FlightDump*> dumps;
  for (FlightSource& flight : log.flights) dumps.push_back(&flight.dump);
  settle_dump_ranks(dumps);
  for (const FlightSource& flight : log.flights) {
    if (!flight.dump.rank) continue;
    RankActivity activity;
    activity.source = flight.source;
    log.ranks.try_emplace(*flight.dump.rank, std::move(activity));
  }
  const std::vector<int> world = flight_world({dumps.begin(), dumps.end()});
  if (!world.empty()) log.world_size = static_cast<int>(world.size());
}

Result<bool> Scanner::State::read_all(Source* input, const LineDecoder::Sink& sink, ContextReader* reader,
                                      const CancellationToken& cancel, const ProgressCallback& progress) {
  LineDecoder decoder(sink);
  std::string block(kBlockBytes, '\0');
  bool first = true;
  for (;;) {
    if (cancel.cancelled()) return Error{"cancelled"};
    const auto got = input->read(block.data(), block.size());
    if (!got) return got.error();
    if (*got == 0) break;
    const std::string_view bytes(block.data(), *got);
    if (first) {
      first = false;
      if (reader != nullptr && looks_like_flight_dump(bytes.substr(0, kSniffBytes))) {
        return read_dump(input, std::string(bytes), cancel);
      }
      if (looks_binary(bytes.substr(0, kSniffBytes))) {
        return Error{input->path() + ": binary data, not a log; give the text output of the run instead"};
      }
      if (reader != nullptr) reader->sniff(bytes.substr(0, kSniffBytes));
    }
    decoder.feed(bytes);
    if (progress) progress(decoder.bytes(), input->size());
  }
  decoder.finish();
  auto& scanned = log.sources[static_cast<std::size_t>(source)];
  scanned.bytes = decoder.bytes();
  scanned.lines = decoder.lines();
  return true;
}

Scanner::Scanner(std::shared_ptr<const PatternSet> patterns) : state_(std::make_unique<State>()) {
  state_->patterns = std::move(patterns);
}

Scanner::~Scanner() = default;

Result<bool> Scanner::scan(Source& source, const SourceContext& context, const CancellationToken& cancel,
                           const ProgressCallback& progress) {
  state_->begin_source(source, context, false);
  ContextReader reader(state_->log.sources.back().context);
  return state_->read_all(
      &source, [this, &reader](const Line& line) { state_->add_line(line, &reader); }, &reader, cancel,
      progress);
}

Result<bool> Scanner::scan_workspace_file(Source& source, const CancellationToken& cancel) {
  state_->begin_source(source, {}, true);
  return state_->read_all(&source, [this](const Line& line) { state_->add_workspace_line(line); }, nullptr,
                          cancel, {});
}

EventLog Scanner::finish() {
  state_->settle_dumps();
  EventLog log = std::move(state_->log);
  log.events = state_->store.take();
  const auto& signatures = state_->patterns->library().signatures();
  std::erase_if(log.events, [&](const Event& event) {
    const Match& match = signatures[static_cast<std::size_t>(event.signature)].match;
    if (match.record.empty() && match.record_unless.empty()) return false;
    const std::string_view text =
        event.record >= 0 ? std::string_view(log.records[static_cast<std::size_t>(event.record)].text)
                          : std::string_view(event.text);
    return !state_->patterns->record_holds(event.signature, text);
  });
  for (Event& event : log.events) {
    if (event.record < 0) continue;
    const Record& record = log.records[static_cast<std::size_t>(event.record)];
    if (event.line == record.exception_line) event.end_line = std::max(event.line, record.last_line);
  }
  drop_unmet_needs(state_->patterns->library(), &log.events);
  return log;
}

}  // namespace firstfault
