#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "context/context_reader.hpp"

using namespace firstfault;

namespace {

constexpr int kNo = -1;

struct Row {
  std::string path;
  int rank;
  int local_rank;
  int attempt;
  int node;
  std::string host;
  Stream stream;
};

}  // namespace

TEST_CASE("A path tells rank, attempt, node, host and stream") {
  const std::vector<Row> rows = {
      {"attempt_0/3/stderr.log", 3, 3, 0, kNo, "", Stream::kStderr},
      {"none_x1y2/attempt_2/11/stdout.log", 11, 11, 2, kNo, "", Stream::kStdout},
      {"node02/attempt_0/3/stderr.log", kNo, 3, 0, 2, "node02", Stream::kStderr},
      {"attempt_1/rank_3.stderr.log", 3, kNo, 1, kNo, "", Stream::kStderr},
      {"logs/rank5/stdout", 5, kNo, kNo, kNo, "", Stream::kStdout},
      {"1/rank.12/stderr", 12, kNo, kNo, kNo, "", Stream::kStderr},
      {"node02/rank7.log", 7, kNo, kNo, 2, "node02", Stream::kUnknown},
      {"train_rank9.log", 9, kNo, kNo, kNo, "", Stream::kUnknown},
      {"local_rank_3.log", kNo, 3, kNo, kNo, "", Stream::kUnknown},
      {"node_rank_1.log", kNo, kNo, kNo, 1, "", Stream::kUnknown},
      {"gpu-st-p5-31.log", kNo, kNo, kNo, kNo, "gpu-st-p5-31", Stream::kUnknown},
      {"n0522.kern.log", kNo, kNo, kNo, kNo, "n0522", Stream::kUnknown},
      {"delphi-4/dmesg.txt", kNo, kNo, kNo, kNo, "delphi-4", Stream::kUnknown},
      {"oak2-dmesg.txt", kNo, kNo, kNo, kNo, "oak2", Stream::kUnknown},
      {"dmesg_10.7.0.31.txt", kNo, kNo, kNo, kNo, "10.7.0.31", Stream::kUnknown},
      {"agent_r12-n07.log", kNo, kNo, kNo, kNo, "r12-n07", Stream::kUnknown},
      {"pods/big-train-worker-1.log", kNo, kNo, kNo, kNo, "big-train-worker-1", Stream::kUnknown},
      {"node1.log", kNo, kNo, kNo, 1, "node1", Stream::kUnknown},
      {"712003_4_log.err", 4, kNo, kNo, kNo, "", Stream::kStderr},
      {"tasks/task-6.stderr", 6, kNo, kNo, kNo, "", Stream::kStderr},
      {"slurm-4410.out", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
      {"job-77120.err", kNo, kNo, kNo, kNo, "", Stream::kStderr},
      {"version_7/train.log", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
      {"20240102_101112.log", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
      {"kern.log", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
      {"exp_a.log", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
      {"", kNo, kNo, kNo, kNo, "", Stream::kUnknown},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    const SourceContext context = context_of_path(row.path);
    CHECK(context.rank.value_or(kNo) == row.rank);
    CHECK(context.local_rank.value_or(kNo) == row.local_rank);
    CHECK(context.attempt.value_or(kNo) == row.attempt);
    CHECK(context.node.value_or(kNo) == row.node);
    CHECK(context.host == row.host);
    CHECK(context.stream == row.stream);
  }
}
