// The rules on small logs, with a library of a few signatures made for the test.
#include <doctest/doctest.h>

#include "attribution/incident.hpp"
#include "events/scanner.hpp"

using namespace firstfault;

namespace {

// What a test signature needs of a JSON file; examples are left to the real ones.
SignatureFile file(const std::string& id, const std::string& rest) {
  return {"test/" + id + ".json",
          R"({"id": ")" + id + R"(", "title": "Title of )" + id + "\", " + rest + "}"};
}

constexpr const char* kExamples = R"("examples": {"positive": ["a", "b"], "negative": ["c", "d"]})";

std::string cause(const std::string& taxonomy, const std::string& pattern, const std::string& more = "") {
  return R"("cause": ")" + taxonomy + R"(", "role": "cause", )" + more + R"("match": {"patterns": [")" +
         pattern + R"("]}, )" + kExamples;
}

std::string hook(const std::string& gives, const std::string& pattern) {
  return R"("role": "context", "gives": ")" + gives + R"(", "match": {"patterns": [")" + pattern +
         R"("]}, )" + kExamples;
}

std::string derived(const std::string& taxonomy, const std::string& name) {
  return R"("cause": ")" + taxonomy + R"(", "role": "cause", "specificity": 15, "match": {"derived": ")" +
         name + R"("}, "examples": {})";
}

std::shared_ptr<const Library> test_library() {
  static const std::shared_ptr<const Library> library = [] {
    std::vector<SignatureFile> files = {
        {"taxonomy.json", R"({"version": 1, "causes": [
          {"id": "memory/cuda-oom", "layer": "software", "means": "m"},
          {"id": "gpu/xid-79", "layer": "hardware", "means": "m"},
          {"id": "storage/permission-denied", "layer": "storage", "means": "m"},
          {"id": "storage/file-not-found", "layer": "storage", "means": "m"},
          {"id": "collective/shape-mismatch", "layer": "software", "means": "m"},
          {"id": "collective/op-mismatch", "layer": "software", "means": "m"},
          {"id": "collective/straggler-timeout", "layer": "software", "means": "m"},
          {"id": "collective/timeout-unattributed", "layer": "software", "means": "m"},
          {"id": "collective/peer-died", "layer": "software", "means": "m"},
          {"id": "process/killed-unexplained", "layer": "software", "means": "m"},
          {"id": "process/python-exception", "layer": "software", "means": "m"},
          {"id": "unknown", "layer": "unknown", "means": "m"}]})"},
        file("oom", cause("memory/cuda-oom", "CUDA out of memory")),
        file("xid", cause("gpu/xid-79", R"(NVRM: Xid \\(PCI:(?P<bus>[0-9a-f:]+)\\): 79, pid=(?P<pid>[0-9]+))",
                          R"("tier": "physical", "gives": "kill", )")),
        file("forbidden", cause("storage/permission-denied", "403 Forbidden")),
        file("missing", cause("storage/file-not-found", "No such file or directory")),
        file("wait",
             hook("collective-timeout",
                  R"(Watchdog caught collective operation timeout: WorkNCCL\\(SeqNum=(?P<seq>[0-9]+), )"
                  R"(OpType=(?P<op>\\w+), NumelIn=(?P<numel_in>[0-9]+))")),
        file("status", hook("collective-status",
                            R"(last enqueued work: (?P<last_enqueued>[0-9]+), last completed work: )"
                            R"((?P<last_completed>[0-9]+))")),
        file("lost",
             R"("role": "consequence", "cause": "collective/peer-died", "gives": "peer-lost", "match": )"
             R"({"patterns": ["Connection closed by peer"]}, )" +
                 std::string(kExamples)),
        file("map", hook("rank-map", R"(rank (?P<rank>[0-9]+): local_rank (?P<local_rank>[0-9]+), pid )"
                                     R"((?P<pid>[0-9]+), bus (?P<bus>[0-9a-f:.]+))")),
        file("progress", hook("progress", R"(^step (?P<step>[0-9]+) )")),
        file("signalled", hook("signalled", R"(Sending process (?P<pid>[0-9]+) closing signal)")),
        file("restart", hook("attempt-start", "will restart worker group")),
        file("shape", derived("collective/shape-mismatch", "shape-mismatch")),
        file("op", derived("collective/op-mismatch", "op-mismatch")),
        file("straggler", derived("collective/straggler-timeout", "straggler")),
        file("equal", derived("collective/timeout-unattributed", "timeout-unattributed")),
        file("died", derived("collective/peer-died", "peer-died")),
        file("killed", derived("process/killed-unexplained", "killed-unexplained")),
        file("exception", derived("process/python-exception", "python-exception"))};
    auto loaded = Library::load(files);
    REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
    return *loaded;
  }();
  return library;
}

Attribution diagnose_logs(const std::vector<std::pair<std::string, std::string>>& logs) {
  Scanner scanner(std::make_shared<const PatternSet>(test_library()));
  for (const auto& [path, text] : logs) {
    auto source = open_memory(path, text);
    REQUIRE(scanner.scan(*source, {}).ok());
  }
  return attribute(scanner.finish(), *test_library());
}

Attribution diagnose_log(const std::string& text) { return diagnose_logs({{"job.log", text}}); }

const Incident& primary(const Attribution& attribution) {
  REQUIRE_FALSE(attribution.incidents.empty());
  REQUIRE(attribution.incidents.back().primary);
  return attribution.incidents.back();
}

std::string timeout(int rank, int seq, const std::string& op, int numel) {
  return "[rank" + std::to_string(rank) + "]:[E1012 12:34:56.789012345 ProcessGroupNCCL.cpp:616] [Rank " +
         std::to_string(rank) +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + std::to_string(seq) +
         ", OpType=" + op + ", NumelIn=" + std::to_string(numel) + ", NumelOut=" + std::to_string(numel) +
         ", Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n";
}

std::vector<int> collateral_ranks(const Incident& incident) {
  std::vector<int> ranks;
  for (const auto& entry : incident.collateral) ranks.push_back(entry.rank);
  return ranks;
}

}  // namespace

TEST_CASE("a log without a failure has no incident") {
  CHECK(diagnose_log("[rank0]: step 1 loss 2.0\n[rank1]: step 1 loss 2.0\n").incidents.empty());
}

TEST_CASE("the rank with its own exception began it and those that lost it are collateral") {
  const auto attribution = diagnose_log(
      "[rank0]: step 1 loss\n[rank1]: step 1 loss\n[rank2]: step 1 loss\n"
      "[rank0]: RuntimeError: Connection closed by peer\n"
      "[rank2]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
      "[rank1]: RuntimeError: Connection closed by peer\n");
  const Incident& incident = primary(attribution);
  CHECK(incident.cause == "memory/cuda-oom");
  REQUIRE(incident.initiator);
  CHECK(incident.initiator->ranks == std::vector<int>{2});
  CHECK(collateral_ranks(incident) == std::vector<int>{0, 1});
  REQUIRE_FALSE(incident.evidence.empty());
  CHECK(incident.evidence[0].line == 5);
}

TEST_CASE("a fault that the rank left behind it is demoted") {
  const auto attribution = diagnose_log(
      "[rank1]: CUDA out of memory, retrying with a smaller batch\n[rank1]: step 2 loss\n[rank1]: step 3 "
      "loss\n"
      "[rank0]: PermissionError: 403 Forbidden\n");
  CHECK(primary(attribution).cause == "storage/permission-denied");
  CHECK(primary(attribution).initiator->ranks == std::vector<int>{0});
}

TEST_CASE("the one different error among many equal ones began it") {
  std::string log;
  for (int rank = 1; rank < 6; ++rank) {
    log += "[rank" + std::to_string(rank) + "]: FileNotFoundError: No such file or directory: /ckpt\n";
  }
  log += "[rank0]: ClientError: 403 Forbidden\n";
  CHECK(primary(diagnose_log(log)).initiator->ranks == std::vector<int>{0});
}

TEST_CASE("a kernel event that maps to a rank by pid outranks the errors in the log") {
  const auto attribution = diagnose_logs(
      {{"train.log",
        "rank 0: local_rank 0, pid 500, bus 0000:07:00.0\nrank 1: local_rank 1, pid 501, bus 0000:0b:00.0\n"
        "[rank0]: PermissionError: 403 Forbidden\n"},
       {"kern.log", "Jun  3 11:08:33 gpu7 kernel: NVRM: Xid (PCI:0000:0b:00): 79, pid=501, name=python\n"}});
  const Incident& incident = primary(attribution);
  CHECK(incident.cause == "gpu/xid-79");
  CHECK(incident.initiator->ranks == std::vector<int>{1});
  CHECK(incident.initiator->devices == std::vector<std::string>{"0000:0b:00.0"});
}

TEST_CASE("at one sequence number the rank with another size is the odd one out") {
  const std::string log = timeout(0, 9, "ALLREDUCE", 64) + timeout(1, 9, "ALLREDUCE", 64) +
                          timeout(2, 9, "ALLREDUCE", 72) + timeout(3, 9, "ALLREDUCE", 64);
  const Incident incident = primary(diagnose_log(log));
  CHECK(incident.cause == "collective/shape-mismatch");
  CHECK(incident.initiator->ranks == std::vector<int>{2});
  CHECK(collateral_ranks(incident) == std::vector<int>{0, 1, 3});
}

TEST_CASE("two against two is a mismatch without an initiator") {
  const std::string log = timeout(0, 9, "ALLREDUCE", 64) + timeout(1, 9, "BROADCAST", 64) +
                          timeout(2, 9, "ALLREDUCE", 64) + timeout(3, 9, "BROADCAST", 64);
  const Incident incident = primary(diagnose_log(log));
  CHECK(incident.cause == "collective/op-mismatch");
  CHECK(incident.initiator->ranks.empty());
  CHECK(incident.initiator->scope == Scope::kUnknown);
}

TEST_CASE("when every rank waits alike nobody is named") {
  const std::string log = timeout(0, 9, "ALLREDUCE", 64) + timeout(1, 9, "ALLREDUCE", 64);
  const Incident incident = primary(diagnose_log(log));
  CHECK(incident.cause == "collective/timeout-unattributed");
  CHECK(incident.initiator->ranks.empty());
}

TEST_CASE("a rank whose last enqueued work is below its peers' is the suspect") {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string seq = rank == 1 ? "11" : "12";
    log += "[rank" + std::to_string(rank) +
           "]:[E1012 12:34:56.789 ProcessGroupNCCL.cpp:2] [PG ID 0 PG GUID "
           "0(default_pg) Rank " +
           std::to_string(rank) + "] last enqueued work: " + seq + ", last completed work: 11\n";
  }
  const Incident incident = primary(diagnose_log(log));
  CHECK(incident.initiator->ranks == std::vector<int>{1});
  CHECK(incident.cause == "collective/straggler-timeout");
}

TEST_CASE("the process that died by a signal its launcher did not send began it") {
  const auto attribution = diagnose_log(
      "[rank0]: RuntimeError: Connection closed by peer\n[rank2]: RuntimeError: Connection closed by peer\n"
      "train.py FAILED\nFailures:\n[1]:\n  host      : a\n  rank      : 1 (local_rank: 1)\n  exitcode  : -9 "
      "(pid: 77)\n"
      "  traceback : Signal 9 (SIGKILL) received by PID 77\nRoot Cause (first observed failure):\n[0]:\n  "
      "host      : a\n"
      "  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 76)\n");
  const Incident& incident = primary(attribution);
  CHECK(incident.cause == "process/killed-unexplained");
  CHECK(incident.initiator->ranks == std::vector<int>{1});
  CHECK(incident.initiator->pids == std::vector<std::int64_t>{77});
}

TEST_CASE("attempts are separate incidents and the last one is primary") {
  const auto attribution = diagnose_log(
      "[rank3]: CUDA out of memory\nworkers died, will restart worker group\n[rank1]: PermissionError: 403 "
      "Forbidden\n");
  REQUIRE(attribution.incidents.size() == 2);
  CHECK(attribution.incidents[0].initiator->ranks == std::vector<int>{3});
  CHECK_FALSE(attribution.incidents[0].primary);
  CHECK(attribution.incidents[1].initiator->ranks == std::vector<int>{1});
  CHECK(attribution.incidents[1].attempt == 1);
}
