#include "context/context_reader.hpp"

#include <utility>

#include "context/prefix_reader.hpp"
#include "text/line_decoder.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kSniffedBytes = 64 * 1024;

}  // namespace

struct ContextReader::State {
  SourceContext source;
  SourceHabits habits;
  bool rank_is_guess = false;  // the path told a local rank, which is the global one on a single node only
};

ContextReader::ContextReader(SourceContext source) : state_(std::make_unique<State>()) {
  state_->rank_is_guess = source.rank && source.local_rank == source.rank;
  state_->source = std::move(source);
}

ContextReader::~ContextReader() = default;
ContextReader::ContextReader(ContextReader&&) noexcept = default;
ContextReader& ContextReader::operator=(ContextReader&&) noexcept = default;

void ContextReader::sniff(std::string_view head) {
  LineDecoder decoder([this](const Line& line) { read(line); });
  decoder.feed(head.substr(0, kSniffedBytes));
}

LineContext ContextReader::read(const Line& line) {
  SourceHabits& habits = state_->habits;
  if (!line.text.empty()) {
    habits.srun.line();
    habits.bracket.line();
    habits.host.line();
    habits.pod.line();
  }
  const SourceContext& source = state_->source;
  LineContext context;
  context.rank = source.rank;
  context.local_rank = source.local_rank;
  context.attempt = source.attempt;
  context.host = source.host;
  context.stream = source.stream;
  RankWord known = RankWord::kNone;
  if (source.rank) known = state_->rank_is_guess ? RankWord::kPathGuess : RankWord::kPath;
  PrefixReader reader(line.text, &habits, known, &context);
  reader.read();
  if (reader.rank_word() == RankWord::kPrefix && source.local_rank && context.rank != source.rank &&
      (state_->rank_is_guess || !source.rank)) {
    // The file belongs to one process: its own word settles what the path could only guess.
    state_->source.rank = context.rank;
    state_->rank_is_guess = false;
  }
  return context;
}

}  // namespace firstfault
