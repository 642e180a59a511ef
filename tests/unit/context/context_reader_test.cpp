#include "context/context_reader.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

using namespace firstfault;

namespace {

// What a line said, as one text: "rank=3 pid=12 host=a level=E | body".
std::string describe(const LineContext& context, std::string_view text) {
  std::ostringstream out;
  if (context.rank) out << "rank=" << *context.rank << ' ';
  if (context.local_rank) out << "local=" << *context.local_rank << ' ';
  if (context.group_rank) out << "group=" << context.group << '/' << *context.group_rank << ' ';
  if (context.device) out << "device=" << *context.device << ' ';
  if (!context.host.empty()) out << "host=" << context.host << ' ';
  if (context.pid) out << "pid=" << *context.pid << ' ';
  if (context.level != 0) out << "level=" << context.level << ' ';
  if (context.launcher) out << "launcher ";
  if (context.time) {
    const Timestamp& time = *context.time;
    out << (time.uptime ? "up=" : time.has_year ? "time=" : time.has_date ? "date=" : "clock=");
    out << time.nanoseconds / 1'000'000 << (time.whole_second ? "s " : " ");
  }
  out << "| " << text.substr(context.body);
  return out.str();
}

std::string read_one(std::string_view text) {
  ContextReader reader{SourceContext{}};
  return describe(reader.read(Line{1, 0, text}), text);
}

std::vector<std::string> read_lines(const std::string& text, const SourceContext& source = {}) {
  ContextReader reader{source};
  reader.sniff(text);
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    result.push_back(describe(reader.read(Line{result.size() + 1, 0, line}), line));
  }
  return result;
}

struct Row {
  std::string text;
  std::string expected;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(read_one(row.text) == row.expected);
  }
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("A line without a prefix is all message") {
  check({{"", "| "},
         {"    raise ValueError(x)", "|     raise ValueError(x)"},
         {"RuntimeError: CUDA error", "| RuntimeError: CUDA error"},
         {"  File \"a.py\", line 3, in f", "|   File \"a.py\", line 3, in f"},
         {"File: x", "| File: x"},
         {"Epoch [1][50/744]  lr: 1.0e-4", "| Epoch [1][50/744]  lr: 1.0e-4"},
         {"ERROR: Unexpected bus error", "level=E | ERROR: Unexpected bus error"}});
}

TEST_CASE("PyTorch's rank prefixes and headers") {
  check({
      {"[rank8]: Traceback (most recent call last):", "rank=8 | Traceback (most recent call last):"},
      {"[rank8]:   File \"x.py\", line 1", "rank=8 |   File \"x.py\", line 1"},
      {"[E ProcessGroupNCCL.cpp:566] [Rank 2] Watchdog caught", "rank=2 group=/2 level=E | Watchdog caught"},
      {"[rank17]:[E ProcessGroupNCCL.cpp:1182] [Rank 2] Watchdog", "rank=17 group=/2 level=E | Watchdog"},
      {"[rank11]:[E ProcessGroupNCCL.cpp:1537] [PG 1 Rank 3] Timeout", "rank=11 group=1/3 level=E | Timeout"},
      {"[PG 0 (default_pg) Rank 5] x", "rank=5 group=default_pg/5 | x"},
      {"[PG 0 Rank 5] x", "rank=5 group=0/5 | x"},
      {"[PG ID 0 PG GUID 0 Rank 4] x", "rank=4 group=0/4 | x"},
      {"[PG ID 12 PG GUID 99(EXPERT) Rank 1] x", "group=EXPERT/1 | x"},
      // September 9, 09:55:46; the nine digits are of a monotonic clock
      {"[rank3]:[E909 09:55:46.996672294 ProcessGroupNCCL.cpp:607] [PG ID 0 PG GUID 0(default_pg) Rank 3]  "
       "failure",
       "rank=3 group=default_pg/3 level=E date=21722146000s |  failure"},
      {"[E304 02:21:40.77 socket.cpp:12] [c10d] x", "level=E date=5365300770 | [c10d] x"},
      {"[rank0]:[F ProcessGroupNCCL.cpp:1169] [PG 5 Rank 0] [PG 5 Rank 0] stuck",
       "rank=0 group=5/0 level=F | stuck"},
      {"E20261201 14:18:46.500000 1712 ProcessGroupGloo.cpp:137] [Rank 0]: Rank 2 failed to pass",
       "rank=0 level=E time=1796134726500 | Rank 2 failed to pass"},
      {"  what():  [PG ID 0 PG GUID 0(default_pg) Rank 2] died",
       "rank=2 group=default_pg/2 |   what():  [PG ID 0 PG GUID 0(default_pg) Rank 2] died"},
      {" 24/175 [01:08<1:22:56,  2.88s/it][rank5]: boom", "rank=5 | boom"},
      {"[default3]:[rank11]: x", "rank=11 local=3 | x"},
      {"[default2]:    return f(x)", "local=2 |     return f(x)"},
      {"[trainer1]:x", "local=1 | x"},
  });
}

TEST_CASE("Torch agents are launchers, their workers are not") {
  check({
      {"WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 61",
       "level=W launcher | Sending process 61"},
      {"W0407 06:11:20.904000 1359 torch/distributed/elastic/agent/server/api.py:719] Received 15",
       "pid=1359 level=W launcher date=8316680904 | Received 15"},
      {"W0823 16:54:02.337000 139733055988160 torch/distributed/run.py:688] x",
       "level=W launcher date=20278442337 | x"},
      {"[2023-12-20 03:11:14,502] torch.distributed.run: [WARNING] ***",
       "level=W launcher time=1703041874502 | ***"},
      {"E0407 06:11:20.904000 99 torch/distributed/elastic/multiprocessing/errors/error_handler.py:1] {",
       "pid=99 level=E date=8316680904 | {"},
      {"INFO:torch.nn.parallel.distributed:Added key", "level=I | torch.nn.parallel.distributed:Added key"},
  });
}

TEST_CASE("NCCL, MPI and Horovod prefixes") {
  check({
      {"gpu-a1:15327:16195 [4] NCCL INFO Connection closed by localRank 2",
       "device=4 host=gpu-a1 pid=15327 level=I | NCCL INFO Connection closed by localRank 2"},
      {"[2026-03-09 04:10:55] h3:88 [5] ibvwrap.c:262 NCCL WARN Call",
       "device=5 host=h3 pid=88 level=W time=1773029455000s | ibvwrap.c:262 NCCL WARN Call"},
      {"[3] include/shm.h:28 NCCL WARN no space", "device=3 | include/shm.h:28 NCCL WARN no space"},
      {"[3] n2:22:22 [1] NCCL INFO x", "rank=3 device=1 host=n2 pid=22 level=I | NCCL INFO x"},
      {"[1,3]<stderr>:  File \"a\"", "rank=3 |   File \"a\""},
      {"[2]<stdout>:Epoch 1", "rank=2 | Epoch 1"},
      {"[prterun-n1-77@1,6]<stderr>:x", "rank=6 | x"},
      {"Tue Dec  1 14:28:33 2026[1,2]<stdout>:14:28:33 rank 2/4 on vm pid 28659, reading",
       "rank=2 pid=28659 time=1796135313000s | rank 2/4 on vm pid 28659, reading"},
      {"[vm:28985] *** Process received signal ***", "host=vm pid=28985 | *** Process received signal ***"},
      {"[1,0]<stderr>:[2022-07-18 02:47:33.514070: W horovod/common/stall_inspector.cc:105] One",
       "rank=0 level=W time=1658112453514 | One"},
  });
}

TEST_CASE("Ray, Kubernetes and platform wrappers") {
  check({
      {"(RayTrainWorker pid=12, ip=10.0.0.1) [rank9]: x", "rank=9 host=10.0.0.1 pid=12 | x"},
      {"(raylet) A worker died", "launcher | A worker died"},
      {"(see https://x.y) text", "| (see https://x.y) text"},
      {"[pod/job-worker-0/pytorch] loss 1", "host=job-worker-0 | loss 1"},
      {"  | 2024-08-19T20:14:31.402Z | [2]: time", "time=1724098471402 | [2]: time"},
      {"[2024-02-27T21:35:32.106313Z] fa88a9df || WARNING: x", "level=W time=1709069732106 | x"},
      {"bench.cn-d003.nolog [stderr] [rank3]: x", "rank=3 host=cn-d003 | x"},
      {"2026-02-11T08:22:17.811Z   rank      : 2", "time=1770798137811 |   rank      : 2"},
      {"[80746] [rank0]: x", "rank=0 | x"},
  });
}

TEST_CASE("Slurm and the kernel log are no rank's own output") {
  check({
      {"srun: error: g022: task 1: Out Of Memory",
       "host=g022 level=E launcher | srun: error: g022: task 1: Out Of Memory"},
      {"srun: error: lx[31-32]: tasks 0-1: Killed",
       "level=E launcher | srun: error: lx[31-32]: tasks 0-1: Killed"},
      {"slurmstepd: error: *** STEP 7.0", "level=E launcher | slurmstepd: error: *** STEP 7.0"},
      {"slurmstepd-gpu20-11: error: Detected 1",
       "host=gpu20-11 level=E launcher | slurmstepd-gpu20-11: error: Detected 1"},
      {"[12345.678901] NVRM: Xid", "launcher up=12345678 | NVRM: Xid"},
      {"[ 1843.308145][ T1204] NVRM: x", "launcher up=1843308 | NVRM: x"},
      {"[  +0.000316] pcieport x", "launcher | pcieport x"},
      {"[   1088.1s] step 4500", "| [   1088.1s] step 4500"},
      {"Jun  3 11:08:33 gk2 kernel: EDAC x", "host=gk2 launcher date=13259313000s | EDAC x"},
      {"Jun 13 11:08:33 gk2 slurmd[77]: error", "host=gk2 launcher date=14123313000s | slurmd[77]: error"},
      {"[Wed Jun  3 11:08:33 2026] Out of memory", "launcher time=1780484913000s | Out of memory"},
  });
}

TEST_CASE("Timestamps and levels") {
  check({
      {"2026-06-03T11:04:30+02:00 x", "time=1780477470000s | x"},
      {"2026-06-03 11:04:30.250 -0700 x", "time=1780509870250 | x"},
      {"[2026-06-03 11:04:30] x", "time=1780484670000s | x"},
      {"2026-12-01 14:13:54,900 - root - INFO - x", "level=I time=1796134434900 | x"},
      {"2022-05-19 22:14:07 | INFO | step 1", "level=I time=1652998447000s | step 1"},
      {"02/14/2026 17:20:10 - INFO - sft - Process index: 2",
       "rank=2 level=I time=1771089610000s | Process index: 2"},
      {"INFO 06-03 10:58:40 api_server.py:177] ready", "level=I date=13258720000s | ready"},
      {"ERROR 06-03 10:58:40 engine.py:3]   File \"x\"", "level=E date=13258720000s |   File \"x\""},
      {"Thu Oct 12 12:00:00 x", "date=24580800000s | x"},
      {"17:40:55.211 [rank4]: x", "rank=4 clock=63655211 | x"},
      {"[INFO|trainer.py:24] 2025-07-04 13:12:02,118 >> x", "level=I time=1751634722118 | x"},
      {"[NeMo W 2024-02-09 08:48:11 optimizers:65] x", "level=W time=1707468491000s | x"},
      {"2024-10-05 14:02:20.568412: E external/xla/service.cc:11] x", "level=E time=1728136940568 | x"},
      {"[2026-01-14 10:02:11,470][main][INFO] - x", "level=I time=1768384931470 | x"},
      {"2026-99-03 11:04:30 x", "| 2026-99-03 11:04:30 x"},
      {"I0229 01:02:03.5 7 a.cc:1] x", "level=I date=68173323500 | x"},
  });
}

TEST_CASE("A rank that a program prints about itself") {
  check({
      {"[2026-06-03 11:04:30] INFO rank=3 step=5", "rank=3 level=I time=1780484670000s | rank=3 step=5"},
      {"[rank 3] pid=9123 cuda:1", "rank=3 device=1 pid=9123 | pid=9123 cuda:1"},
      {"[RANK 1] 2026-05-12 09:41:03,118 [ERROR] x", "rank=1 level=E time=1778578863118 | x"},
      {"[Rank 0 / 4] x", "rank=0 | x"},
      {"Rank 3: Completed store-based barrier", "rank=3 | Rank 3: Completed store-based barrier"},
      {"[2026-12-01 14:24:21][1/4][INFO] x", "rank=1 level=I time=1796135061000s | x"},
      {"[09:31:31 r2] x", "rank=2 clock=34291000s | x"},
      {"18:22:16 r7 bucket 0", "rank=7 clock=66136000s | r7 bucket 0"},
      {"rank: 3, local_rank: 1, world", "rank=3 local=1 | rank: 3, local_rank: 1, world"},
      {"Rank-3 up", "rank=3 | Rank-3 up"},
      {"2024-11-07 19:41:21,137: rank1[772][MainThread]: INFO: x",
       "rank=1 pid=772 level=I time=1731008481137 | x"},
      {"node1 | rank 12 | sample", "rank=12 | node1 | rank 12 | sample"},
  });
}

TEST_CASE("Text about another rank is no stamp") {
  check({
      {"Rank 2 failed to pass monitoredBarrier", "| Rank 2 failed to pass monitoredBarrier"},
      {"timed out waiting for rank 3", "| timed out waiting for rank 3"},
      {"RuntimeError: rank 3: bad", "| RuntimeError: rank 3: bad"},
      {"python t.py --rank 1 --x", "| python t.py --rank 1 --x"},
      {"local_rank=3 x", "| local_rank=3 x"},
      {"  rank      : 2 (local_rank: 2)", "|   rank      : 2 (local_rank: 2)"},
      {"job 'lora', rank 16, 1800 steps", "| job 'lora', rank 16, 1800 steps"},
  });
}

TEST_CASE("srun -l labels count only where the source has them everywhere") {
  CHECK(read_lines("Submitted batch job 5\n0: start\n1: start\n 2: [rank2]: x\n1:   File \"a\"\n0:\n") ==
        Lines{"| Submitted batch job 5", "rank=0 | start", "rank=1 | start", "rank=2 | x",
              "rank=1 |   File \"a\"", "rank=0 | "});
  CHECK(read_lines("text\nmore text\nyet more\n3: not a label\nend\nof\nlog\n")[3] == "| 3: not a label");
}

TEST_CASE("srun labels of one agent per node are no ranks") {
  const Lines lines = read_lines("0: [rank3]: a\n1: [rank9]: b\n0: plain\n1: plain\n");
  CHECK(lines[0] == "rank=3 | a");
  CHECK(lines[3] == "| plain");
}

TEST_CASE("pdsh and stern prefixes give the host") {
  CHECK(
      read_lines("fir-a: one\nfir-b: [rank9]: two\nfir-a:   indented\nfir-b: three\n") ==
      Lines{"host=fir-a | one", "rank=9 host=fir-b | two", "host=fir-a |   indented", "host=fir-b | three"});
  CHECK(read_lines(
            "w-job-0 pytorch a\nw-job-1 pytorch b\nw-job-0 pytorch c\nw-job-1 pytorch [rank1]: d\n")[3] ==
        "rank=1 host=w-job-1 | d");
  CHECK(read_lines("RuntimeError: a\nValueError: b\nRuntimeError: c\nWARNING: d\n")[0] ==
        "| RuntimeError: a");
}

TEST_CASE("Numbers in brackets on most lines are ranks") {
  CHECK(read_lines("[0] a\n[1] b\n[0] c\n[1] d\n[3] e\n[0] f\n")[4] == "rank=3 | e");
  CHECK(read_one("[3] e") == "| [3] e");
}

TEST_CASE("The path's rank stands until the line or the process says better") {
  SourceContext named;
  named.rank = 4;
  CHECK(read_lines("plain\n[rank6]: x\nrank=2 step\n", named) ==
        Lines{"rank=4 | plain", "rank=6 | x", "rank=4 | rank=2 step"});
  SourceContext guessed = context_of_path("attempt_0/3/stderr.log");
  CHECK(read_lines("first\n[rank11]: x\nlast\n", guessed) ==
        Lines{"rank=11 local=3 | first", "rank=11 local=3 | x", "rank=11 local=3 | last"});
}

TEST_CASE("A line may end anywhere") {
  const std::string lines[] = {
      "2026-06-03 11:04:30,123 - INFO - [worker] > rank 8 on gk2: local_rank 0, pid 19050 cuda:3",
      "[Trainer] Process Global rank 3 | rank: 4, rank=5 rank_6 rank7 r8 global rank 9 local rank 1",
      "[1,3]<stderr>:[rank3]:[E1012 12:34:56.789012345 ProcessGroupNCCL.cpp:616] [PG ID 0 PG GUID 0(pg) Rank "
      "3] x",
      "node7:123:456 [2] NCCL WARN (RayTrainWorker pid=7, ip=10.0.0.1) [default3]:[Rank 1] 3: body",
      "Jun  3 11:08:33 gk2 kernel: [12345.678901] NVRM: [Wed Jun  3 11:08:33 2026] (TP0 rank 3) [rank=0, "
      "ws=1]"};
  for (const std::string& line : lines) {
    for (std::size_t begin = 0; begin < line.size(); ++begin) {
      for (std::size_t end = begin; end <= line.size(); ++end) {
        const std::string part =
            line.substr(begin, end - begin);  // of its own, so that a sanitizer sees its end
        CAPTURE(part);
        CHECK_NOTHROW(read_one(part));
      }
    }
  }
}
