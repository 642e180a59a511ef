// Verdicts on flight recorder dumps that are built here, one fact at a time.
#include "attribution/flight_rule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace firstfault;

namespace {

using State = FlightState;

// The dumps of one job; ranks are sources in order of their creation.
class Dumps {
 public:
  explicit Dumps(int world, std::set<int> without = {}) : world_(world) {
    for (int rank = 0; rank < world; ++rank) {
      if (without.count(rank) == 0) add(rank);
    }
  }

  void add(int rank) {
    ScannedSource source;
    source.path = "trace_" + std::to_string(rank);
    log.sources.push_back(source);
    FlightSource flight;
    flight.source = static_cast<int>(log.sources.size()) - 1;
    flight.dump.rank = rank;
    flight.dump.version = "2.4";
    flight.dump.shapes.emplace_back();
    for (int member = 0; member < world_; ++member) flight.dump.groups["0"].ranks.push_back(member);
    flight.dump.groups["0"].desc = "default_pg";
    log.flights.push_back(flight);
  }

  FlightDump& dump(int rank) {
    for (FlightSource& flight : log.flights) {
      if (flight.dump.rank == rank) return flight.dump;
    }
    FAIL("no such dump");
    return log.flights.front().dump;
  }

  void group(const std::string& name, const std::vector<int>& ranks) {
    for (FlightSource& flight : log.flights) {
      if (std::find(ranks.begin(), ranks.end(), *flight.dump.rank) == ranks.end()) continue;
      flight.dump.groups[name] = {name + " group", ranks};
    }
  }

  FlightEntry& call(int rank, int seq, State state, const std::string& op = "all_reduce", int elements = 8,
                    const std::string& in = "0") {
    FlightDump& of = dump(rank);
    FlightShape shape;
    shape.input_sizes = {{elements}};
    shape.output_sizes = {{elements}};
    shape.input_dtypes = {"Float"};
    of.shapes.push_back(shape);
    FlightEntry entry;
    entry.record_id = static_cast<std::int64_t>(of.entries.size());
    entry.group = in;
    entry.seq = seq;
    entry.op = "nccl:" + op;
    entry.state = state;
    entry.retired = state != State::kScheduled;
    entry.created_ns = seq * 1000;
    entry.shape = static_cast<int>(of.shapes.size()) - 1;
    of.entries.push_back(entry);
    return of.entries.back();
  }

  FlightEntry& exchange(int rank, int number, const std::string& op, State state,
                        const std::string& in = "0") {
    FlightEntry& entry = call(rank, 0, state, op, 8, in);
    entry.p2p = true;
    entry.p2p_seq = number;
    return entry;
  }

  // Everybody has finished `upto` calls of sizes that tell them apart.
  void finished(int upto, std::set<int> except = {}) {
    for (const FlightSource& flight : log.flights) {
      if (except.count(*flight.dump.rank) != 0) continue;
      for (int seq = 1; seq <= upto; ++seq)
        call(*flight.dump.rank, seq, State::kCompleted, "all_reduce", 8 + seq);
    }
  }

  void waiting(int seq, std::set<int> except = {}, State state = State::kStarted) {
    for (const FlightSource& flight : log.flights) {
      if (except.count(*flight.dump.rank) == 0) call(*flight.dump.rank, seq, state, "all_reduce", 8 + seq);
    }
  }

  Verdict judge() const {
    auto verdict = flight_rule(log);
    REQUIRE(verdict);
    return *verdict;
  }

  EventLog log;

 private:
  int world_;
};

using Ranks = std::vector<int>;

Ranks waited(const Verdict& verdict) {
  Ranks ranks;
  for (const Collateral& entry : verdict.collateral) ranks.push_back(entry.rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

TEST_CASE("dumps of a job that runs say nothing") {
  Dumps job(4);
  job.finished(5);
  CHECK_FALSE(flight_rule(job.log));
  CHECK_FALSE(flight_rule(EventLog{}));
}

TEST_CASE("a call that is not given up yet hangs too") {
  Dumps job(4);
  job.finished(5);
  for (int rank = 0; rank < 3; ++rank) job.call(rank, 6, State::kStarted).retired = false;
  CHECK(job.judge().initiator.ranks == Ranks{3});
}

TEST_CASE("a rank that issued another operation is the odd one") {
  Dumps job(8);
  job.finished(5);
  job.waiting(6, {3});
  FlightEntry& odd = job.call(3, 6, State::kStarted, "broadcast", 2);
  odd.stack = 0;
  job.dump(3).stacks = {{{"broadcast", "/lib/python3/site-packages/torch/distributed/distributed_c10d.py", 9},
                         {"save", "train.py", 97},
                         {"main", "train.py", 12}}};
  const Verdict verdict = job.judge();
  CHECK(verdict.strong);
  CHECK(verdict.pattern == "flight/mismatch-minority");
  CHECK(verdict.conclusion == "op-mismatch");
  CHECK(verdict.initiator.ranks == Ranks{3});
  CHECK(verdict.initiator.why ==
        "rank 3 issued broadcast 6 on [2] Float in group 0 (default_pg) where the others issued all_reduce 6 "
        "on [14] "
        "Float");
  CHECK(verdict.bindings.at("op") == "broadcast");
  CHECK(verdict.bindings.at("seq") == "6");
  CHECK(verdict.bindings.at("file") == "train.py");
  CHECK(verdict.bindings.at("line") == "97");
  CHECK(verdict.bindings.at("function") == "save");
  REQUIRE(!verdict.evidence.empty());
  CHECK(verdict.evidence[0].source == 3);
  CHECK(verdict.evidence[0].line == 0);
  CHECK(verdict.evidence[0].rank == 3);
  CHECK(
      verdict.evidence[0].text ==
      "rank 3: issued broadcast 6 on [2] Float of group 0 (default_pg), called from save (train.py:97), main "
      "(train.py:12)");
  CHECK(waited(verdict) == Ranks{0, 1, 2, 4, 5, 6, 7});
}

TEST_CASE("two ranks with another size are both named") {
  Dumps job(8);
  job.finished(5);
  job.waiting(6, {1, 6});
  job.call(1, 6, State::kStarted, "all_reduce", 3);
  job.call(6, 6, State::kStarted, "all_reduce", 4);
  const Verdict verdict = job.judge();
  CHECK(verdict.conclusion == "shape-mismatch");
  CHECK(verdict.initiator.ranks == Ranks{1, 6});
  CHECK(verdict.initiator.scope == Scope::kRanks);
}

TEST_CASE("another type of elements is a mismatch too") {
  Dumps job(4);
  job.finished(2);
  job.waiting(3);
  job.dump(2).shapes.back().input_dtypes = {"BFloat16"};
  const Verdict verdict = job.judge();
  CHECK(verdict.conclusion == "shape-mismatch");
  CHECK(verdict.initiator.ranks == Ranks{2});
}

TEST_CASE("dimensions that hold as many elements are equal, and so are sizes that may differ") {
  Dumps job(4);
  job.waiting(1, {2});
  job.call(2, 1, State::kStarted, "all_reduce", 9);
  job.dump(2).shapes.back().input_sizes = {{3, 3}};
  CHECK(job.judge().pattern == "flight/all-equal");
  Dumps uneven(4);
  for (int rank = 0; rank < 4; ++rank) uneven.call(rank, 1, State::kStarted, "all_to_all", 5 + rank);
  CHECK(uneven.judge().pattern == "flight/all-equal");
}

TEST_CASE("without a majority nobody is named") {
  Dumps job(4);
  job.finished(3);
  job.waiting(4, {2, 3});
  job.call(2, 4, State::kStarted, "broadcast");
  job.call(3, 4, State::kStarted, "broadcast");
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/mismatch-tie");
  CHECK(verdict.conclusion == "op-mismatch");
  CHECK(verdict.initiator.ranks.empty());
  CHECK(verdict.initiator.scope == Scope::kUnknown);
  CHECK(waited(verdict) == Ranks{0, 1, 2, 3});
}

TEST_CASE("the first number that differs counts, not what follows from it") {
  Dumps job(4);
  job.finished(3);
  for (int rank = 0; rank < 4; ++rank) {
    job.call(rank, 4, State::kCompleted, rank == 1 ? "broadcast" : "all_reduce");
    job.call(rank, 5, State::kStarted, rank == 1 ? "all_reduce" : "barrier");
  }
  const Verdict verdict = job.judge();
  CHECK(verdict.bindings.at("seq") == "4");
  CHECK(verdict.initiator.ranks == Ranks{1});
}

TEST_CASE("a rank that goes on where the others are later left a call out") {
  Dumps job(4);
  job.finished(3);
  for (int rank = 0; rank < 4; ++rank) {
    for (int seq = 4; seq <= 9; ++seq) {
      const int ahead = rank == 2 ? 1 : 0;
      job.call(rank, seq, State::kScheduled, "all_reduce", 100 + seq + ahead).retired = true;
    }
  }
  const Verdict verdict = job.judge();
  CHECK(verdict.conclusion == "skipped-by-rank");
  CHECK(verdict.pattern == "flight/skipped");
  CHECK(verdict.initiator.ranks == Ranks{2});
}

TEST_CASE("one or two ranks that never came are behind") {
  for (const std::set<int>& late : {std::set<int>{5}, std::set<int>{2, 7}}) {
    Dumps job(8);
    job.finished(6);
    job.waiting(7, late);
    const Verdict verdict = job.judge();
    CHECK(verdict.strong);
    CHECK(verdict.pattern == "flight/behind");
    CHECK(verdict.conclusion == "straggler");
    CHECK(verdict.initiator.ranks == Ranks(late.begin(), late.end()));
    CHECK(waited(verdict).size() == 8 - late.size());
    CHECK(verdict.evidence[0].text.find("last issued all_reduce 6") != std::string::npos);
  }
}

TEST_CASE("a rank that is behind and called elsewhere afterwards skipped the call") {
  Dumps job(4);
  job.group("7", {1, 2});
  job.finished(6);
  job.waiting(7, {1});
  job.call(1, 3, State::kCompleted, "all_reduce", 8, "7").created_ns = 9000;
  job.call(2, 3, State::kCompleted, "all_reduce", 8, "7").created_ns = 9000;
  const Verdict verdict = job.judge();
  CHECK(verdict.initiator.ranks == Ranks{1});
  CHECK(verdict.conclusion == "skipped-by-rank");
}

TEST_CASE("the counters beside the records count where there are no records") {
  Dumps job(4);
  for (int rank = 0; rank < 4; ++rank) {
    job.dump(rank).status["0"] = rank == 3 ? FlightStatus{11, 11, 11} : FlightStatus{12, 12, 11};
  }
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/behind");
  CHECK(verdict.initiator.ranks == Ranks{3});
  CHECK(verdict.bindings.at("seq") == "12");
}

TEST_CASE("counters of a group that sends and receives are not believed") {
  Dumps job(4);
  job.finished(4);
  job.waiting(5);
  job.exchange(3, 1, "send 3->0", State::kCompleted);
  job.exchange(0, 1, "recv 0<-3", State::kCompleted);
  for (int rank = 0; rank < 4; ++rank) job.dump(rank).status["0"] = {rank % 3 == 0 ? 1 : 5, 1, 1};
  CHECK(job.judge().pattern == "flight/all-equal");
}

TEST_CASE("a rank that issued all and finished less lags") {
  Dumps job(4);
  job.finished(4, {2});
  for (int seq = 1; seq <= 4; ++seq)
    job.call(2, seq, seq < 4 ? State::kCompleted : State::kStarted, "all_reduce", 8 + seq);
  job.waiting(5, {}, State::kScheduled);
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/laggard");
  CHECK(verdict.initiator.ranks == Ranks{2});
  CHECK(verdict.evidence[0].text.find("has not finished all_reduce 4") != std::string::npos);
}

TEST_CASE("a rank whose kernel never began lags") {
  Dumps job(4);
  job.finished(4);
  job.waiting(5, {1});
  job.call(1, 5, State::kScheduled, "all_reduce", 13).retired = true;
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/laggard");
  CHECK(verdict.initiator.ranks == Ranks{1});
}

TEST_CASE("where all wait alike nobody is named, and beside a log nothing is said") {
  Dumps job(4);
  job.finished(4);
  job.waiting(5);
  const Verdict verdict = job.judge();
  CHECK_FALSE(verdict.strong);
  CHECK(verdict.pattern == "flight/all-equal");
  CHECK(verdict.conclusion == "timeout-unattributed");
  CHECK(verdict.initiator.ranks.empty());
  CHECK(waited(verdict) == Ranks{0, 1, 2, 3});
  ScannedSource text;
  text.lines = 10;
  job.log.sources.push_back(text);
  CHECK_FALSE(flight_rule(job.log));
}

TEST_CASE("one, two or four missing dumps of eight make their ranks the first suspects") {
  for (const std::set<int>& without : {std::set<int>{3}, std::set<int>{0, 6}, std::set<int>{1, 2, 5, 7}}) {
    Dumps job(8, without);
    job.finished(6);
    job.waiting(7);
    const Verdict verdict = job.judge();
    CHECK_FALSE(verdict.strong);
    CHECK(verdict.pattern == "flight/no-dump");
    CHECK(verdict.conclusion == "peer-died");
    CHECK(verdict.initiator.ranks == Ranks(without.begin(), without.end()));
    CHECK(waited(verdict).size() == 8 - without.size());
    CHECK(verdict.initiator.why.rfind("there is no dump of rank", 0) == 0);
  }
}

TEST_CASE("a missing dump comes before a rank that is behind in the same group") {
  Dumps job(8, {4});
  job.finished(6);
  job.waiting(7, {2});
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/no-dump");
  CHECK(verdict.initiator.ranks == Ranks{4});
  CHECK(verdict.evidence[0].rank == 2);
}

TEST_CASE("a mismatch among the dumps that are there is seen although others are missing") {
  Dumps job(8, {0, 4});
  job.finished(6);
  job.waiting(7, {2});
  job.call(2, 7, State::kStarted, "broadcast");
  CHECK(job.judge().initiator.ranks == Ranks{2});
}

TEST_CASE("where most dumps are missing the collection is to blame and nobody is named") {
  Dumps job(8, {0, 1, 2, 3, 4});
  job.finished(6);
  job.waiting(7);
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/few-dumps");
  CHECK(verdict.initiator.ranks.empty());
  CHECK(waited(verdict) == Ranks{5, 6, 7});
}

TEST_CASE("nobody is missing for certain while a dump's rank is unknown") {
  Dumps job(4, {3});
  job.finished(6);
  job.waiting(7);
  job.add(9);
  job.log.flights.back().dump.rank.reset();
  CHECK(job.judge().pattern == "flight/all-equal");
}

TEST_CASE("the wait is followed over groups to the rank that waits for nobody") {
  Dumps job(8);
  job.group("tp0", {0, 1});
  job.group("tp1", {2, 3});
  job.group("dp0", {0, 2, 4, 6});
  job.group("dp1", {1, 3, 5, 7});
  for (const int rank : {0, 4, 6}) job.call(rank, 9, State::kStarted, "reduce_scatter", 8, "dp0");
  for (const int rank : {1, 5, 7}) job.call(rank, 9, State::kStarted, "reduce_scatter", 8, "dp1");
  for (const int rank : {2, 3})
    job.call(rank, 40, State::kCompleted, "all_reduce", 8, "tp1").created_ns = 3000;
  job.call(3, 41, State::kStarted, "all_reduce", 8, "tp1").created_ns = 4000;
  const Verdict verdict = job.judge();
  CHECK(verdict.initiator.ranks == Ranks{2});
  CHECK(verdict.initiator.why ==
        "rank 2 never issued all_reduce 41 of group tp1 (tp1 group) that its peers wait in");
  CHECK(verdict.conclusion == "straggler");
  CHECK(waited(verdict) == Ranks{0, 1, 3, 4, 5, 6, 7});
}

TEST_CASE("a receive that waits names the sender that never sent") {
  Dumps job(4);
  job.group("pp", {0, 1, 2, 3});
  job.exchange(1, 5, "recv 1<-0", State::kStarted, "pp");
  job.exchange(2, 5, "recv 2<-1", State::kStarted, "pp");
  job.exchange(3, 5, "recv 3<-2", State::kStarted, "pp");
  job.exchange(0, 4, "send 0->1", State::kCompleted, "pp");
  const Verdict verdict = job.judge();
  CHECK(verdict.initiator.ranks == Ranks{0});
  CHECK(waited(verdict) == Ranks{1, 2, 3});
}

TEST_CASE("a peer without a dump is no suspect while a dump's rank is unknown") {
  Dumps job(3, {0});
  job.exchange(1, 5, "recv 1<-0", State::kStarted);
  job.add(9);
  job.log.flights.back().dump.rank.reset();
  const auto verdict = flight_rule(job.log);
  CHECK((!verdict || verdict->initiator.ranks.empty()));
}

TEST_CASE("where nearly all are behind one, that one left the common path") {
  Dumps job(8);
  job.finished(6);
  job.call(0, 7, State::kStarted, "barrier");
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/ahead");
  CHECK(verdict.conclusion == "op-mismatch");
  CHECK(verdict.initiator.ranks == Ranks{0});
}

TEST_CASE("half against half is a tie") {
  Dumps job(8);
  job.finished(6);
  job.waiting(7, {0, 1, 2, 3});
  CHECK(job.judge().pattern == "flight/all-equal");
  CHECK(job.judge().initiator.ranks.empty());
}

TEST_CASE("several records of one coalesced call are one call") {
  Dumps job(4);
  job.finished(3);
  for (int rank = 0; rank < 4; ++rank) {
    job.call(rank, 4, State::kScheduled, "all_gather", 5);
    job.call(rank, 4, State::kScheduled, "all_gather", 6);
    job.call(rank, 4, State::kCompleted, "coalesced", 0);
  }
  job.waiting(5, {1});
  const Verdict verdict = job.judge();
  CHECK(verdict.pattern == "flight/behind");
  CHECK(verdict.initiator.ranks == Ranks{1});
}

TEST_CASE("groups that only share their number are kept apart by their members") {
  Dumps job(4);
  for (int rank = 0; rank < 4; ++rank) {
    job.dump(rank).version = "1.4";
    job.dump(rank).groups["1"].ranks = rank < 2 ? Ranks{0, 1} : Ranks{2, 3};
    job.call(rank, rank < 2 ? 5 : 9, State::kCompleted, "all_reduce", 8, "1");
  }
  job.call(0, 6, State::kStarted, "all_reduce", 8, "1");
  const Verdict verdict = job.judge();
  CHECK(verdict.initiator.ranks == Ranks{1});
}

TEST_CASE("in formats 1.x numbers that sends share are not compared") {
  Dumps job(4);
  for (int rank = 0; rank < 4; ++rank) {
    job.dump(rank).version = "1.4";
    if (rank == 0) job.exchange(0, 1, "send 0->1", State::kCompleted);
    job.call(rank, rank == 0 ? 8 : 7, State::kStarted, "all_reduce", rank);
  }
  const auto verdict = flight_rule(job.log);
  CHECK((!verdict || verdict->initiator.ranks.empty()));
}
