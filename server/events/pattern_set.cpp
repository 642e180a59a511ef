// One RE2::Set over all patterns says which signatures a line may hold; single patterns then yield the
// captures.
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <mutex>

#include "events/scanner.hpp"

namespace firstfault {
namespace {

RE2::Options pattern_options() {
  RE2::Options options;
  options.set_encoding(
      RE2::Options::EncodingLatin1);  // a log holds bad bytes, and UTF-8 mode loses matches across them
  options.set_log_errors(false);
  return options;
}

// Compiled on first use: most signatures never match, and compiling them all costs more than a small log's
// scan.
class LazyRegex {
 public:
  explicit LazyRegex(std::string pattern) : pattern_(std::move(pattern)) {}
  const RE2& get() const {
    std::call_once(once_, [this] { regex_ = std::make_unique<RE2>(pattern_, pattern_options()); });
    return *regex_;
  }

 private:
  std::string pattern_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<RE2> regex_;
};

using Regexes = std::vector<std::unique_ptr<LazyRegex>>;

Regexes make_regexes(const std::vector<std::string>& patterns) {
  Regexes regexes;
  for (const auto& pattern : patterns) regexes.push_back(std::make_unique<LazyRegex>(pattern));
  return regexes;
}

bool any_matches(const Regexes& regexes, std::string_view text) {
  return std::any_of(regexes.begin(), regexes.end(), [text](const auto& regex) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex->get());
  });
}

bool all_match(const Regexes& regexes, std::string_view text) {
  return std::all_of(regexes.begin(), regexes.end(), [text](const auto& regex) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex->get());
  });
}

struct Entry {
  Regexes patterns;
  Regexes unless;
  Regexes record;
  Regexes record_unless;
};

// The set over the patterns that look in one kind of input.
struct SetOf {
  std::unique_ptr<RE2::Set> set;
  std::vector<std::pair<int, int>> owner;  // pattern number in the set -> signature, pattern of it
  bool usable = false;
};

bool capture(const RE2& regex, std::string_view body, Captures* captures) {
  const int groups = regex.NumberOfCapturingGroups();
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups) + 1);
  if (!regex.Match(re2::StringPiece(body.data(), body.size()), 0, body.size(), RE2::UNANCHORED, found.data(),
                   groups + 1)) {
    return false;
  }
  for (const auto& [name, index] : regex.NamedCapturingGroups()) {
    const auto& piece = found[static_cast<std::size_t>(index)];
    // A group name may stand in several alternatives under suffixed names: rank, rank_2.
    if (piece.data() != nullptr && !piece.empty())
      (*captures)[name] = std::string(piece.data(), piece.size());
  }
  return true;
}

}  // namespace

struct PatternSet::Compiled {
  std::shared_ptr<const Library> library;
  std::vector<Entry> entries;
  SetOf log;
  SetOf source;

  const SetOf& of(MatchIn in) const { return in == MatchIn::kLog ? log : source; }
};

namespace {

SetOf build_set(const Library& library, MatchIn in) {
  SetOf result;
  auto options = pattern_options();
  options.set_max_mem(256 << 20);
  result.set = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
  const auto& signatures = library.signatures();
  for (std::size_t index = 0; index < signatures.size(); ++index) {
    if (signatures[index].match.in != in) continue;
    const auto& patterns = signatures[index].match.patterns;
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      std::string error;
      if (result.set->Add(patterns[pattern], &error) < 0) continue;  // the loader has refused it already
      result.owner.emplace_back(static_cast<int>(index), static_cast<int>(pattern));
    }
  }
  result.usable = !result.owner.empty() && result.set->Compile();
  return result;
}

}  // namespace

PatternSet::PatternSet(std::shared_ptr<const Library> library) : compiled_(std::make_unique<Compiled>()) {
  compiled_->library = std::move(library);
  for (const auto& signature : compiled_->library->signatures()) {
    compiled_->entries.push_back({make_regexes(signature.match.patterns),
                                  make_regexes(signature.match.unless), make_regexes(signature.match.record),
                                  make_regexes(signature.match.record_unless)});
  }
  compiled_->log = build_set(*compiled_->library, MatchIn::kLog);
  compiled_->source = build_set(*compiled_->library, MatchIn::kSource);
}

PatternSet::~PatternSet() = default;

const Library& PatternSet::library() const { return *compiled_->library; }

void PatternSet::match(std::string_view body, MatchIn in, std::vector<LineMatch>* out) const {
  out->clear();
  const SetOf& set = compiled_->of(in);
  if (!set.usable || body.empty()) return;
  std::vector<int> hits;
  RE2::Set::ErrorInfo error{};
  const re2::StringPiece text(body.data(), body.size());
  if (!set.set->Match(text, &hits, &error)) {
    if (error.kind == RE2::Set::kNoError) return;
    // The DFA ran out of memory on this line: ask every pattern, slower and just as right.
    hits.clear();
    for (std::size_t number = 0; number < set.owner.size(); ++number)
      hits.push_back(static_cast<int>(number));
  }
  std::sort(hits.begin(), hits.end());
  int last = -1;
  for (const int hit : hits) {
    const auto [signature, pattern] = set.owner[static_cast<std::size_t>(hit)];
    if (signature == last) continue;
    const Entry& entry = compiled_->entries[static_cast<std::size_t>(signature)];
    if (any_matches(entry.unless, body)) continue;
    LineMatch match;
    match.signature = signature;
    if (!capture(entry.patterns[static_cast<std::size_t>(pattern)]->get(), body, &match.captures)) continue;
    last = signature;
    out->push_back(std::move(match));
  }
  const auto& signatures = compiled_->library->signatures();
  std::stable_sort(out->begin(), out->end(), [&](const LineMatch& a, const LineMatch& b) {
    return signatures[static_cast<std::size_t>(a.signature)].specificity >
           signatures[static_cast<std::size_t>(b.signature)].specificity;
  });
}

bool PatternSet::record_holds(int signature, std::string_view record_text) const {
  const Entry& entry = compiled_->entries[static_cast<std::size_t>(signature)];
  return all_match(entry.record, record_text) && !any_matches(entry.record_unless, record_text);
}

}  // namespace firstfault
