#include <doctest/doctest.h>

#include "report/report.hpp"
#include "report/visible.hpp"
#include "report/wording.hpp"
#include "sample.hpp"

using namespace firstfault;

namespace {

std::vector<std::string> lines_of(const std::string& text) { return quoted_lines(text, 10000); }

}  // namespace

TEST_CASE("the text form starts with the verdict and keeps the order who, why, what to do, evidence") {
  const std::string expected = R"(rank 3 failed first: CUDA out of memory
  Who  rank 3 (local rank 3, host node01, pid 77, device 0000:8a:00.0)
  Why  its own error came before all others
  Do   Lower the memory of one step.

Evidence
  logs/train.log:120  rank 3, cause
    | RuntimeError: CUDA out of memory
    rank 3 raised it
  logs/train.log:140  consequence
    | watchdog timeout

Collateral: failed because of it
  ranks 0-2, 4-7  waited in ALLREDUCE 12 that rank 3 never issued
    logs/train.log:207  and 6 more like it
  rank 8  printed nothing

It could also be
  memory/host-oom (4 %)
    What decides: the kernel log of node01

Fix
  Lower the memory of one step.
  1. Halve the micro batch.
  2. Use activation checkpointing.
  Preferred edit: Set eps=1e-5 - read it before you apply it
    src/train.py:12  insert at column 31
    + , eps=1e-5
  No edit: src/other.py:3: AdamW(...) already has eps=1e-5

Verify (needs root)
    nvidia-smi --query-gpu=memory.used --format=csv
  Expect: less than 80 GiB used
  Refuted by: still full

Job
  16 ranks (9 in the input), hosts node01, node02, torchrun, pytorch 2.6
  logs/train.log  1,204 lines
)";
  RenderOptions options;
  options.details = false;
  CHECK(render(sample_diagnosis(), Format::kText, options) == expected);
}

TEST_CASE("the details follow when asked for") {
  const std::string text = render(sample_diagnosis(), Format::kText);
  CHECK(text.find("  Cause: memory/cuda-oom (signature cuda-oom)\n") != std::string::npos);
  CHECK(text.find("  Confidence: 93 % (right in 37 of 40 known incidents)\n") != std::string::npos);
  CHECK(text.find("  Confirmed by\n    - nvidia-smi shows the device full\n") != std::string::npos);
  CHECK(text.find("    - https://pytorch.org/docs/stable/notes/cuda.html\n") != std::string::npos);
}

TEST_CASE("a log without a failure is said to have none") {
  Diagnosis diagnosis;
  diagnosis.sources = {{"a.log", 10, 1200}, {"b.log", 10, 4}};
  CHECK(render(diagnosis, Format::kText) ==
        "No failure found in 1,204 lines of 2 sources.\n  a.log  1,200 lines\n  b.log  4 lines\n");
  diagnosis.sources = {{"a.log", 10, 1}};
  CHECK(render(diagnosis, Format::kText) == "No failure found in 1 line of 1 source.\n  a.log  1 line\n");
}

TEST_CASE("the primary incident comes first and others are short") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport earlier = sample_incident();
  earlier.primary = false;
  earlier.cause.summary = "rank 1 failed first: connection reset";
  diagnosis.incidents[0].attempt = 1;
  diagnosis.incidents.insert(diagnosis.incidents.begin(), earlier);
  const std::string text = render(diagnosis, Format::kText);
  CHECK(text.rfind("rank 3 failed first", 0) == 0);
  CHECK(text.find(
            "Other incidents\n  attempt 0  rank 1 failed first: connection reset\n    logs/train.log:120\n"
            "    | RuntimeError: CUDA out of memory\n    Do: Lower the memory of one step.\n") !=
        std::string::npos);
}

TEST_CASE("prose is wrapped at the width, commands and paths are not") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport& incident = diagnosis.incidents[0];
  incident.initiator->why =
      "it raised its own exception at step 400 and no other rank had reported anything before that line was "
      "printed";
  const std::string path =
      "a/very/long/path/to/a/log/directory/of/a/job/that/nobody/wants/to/type/stderr.log";
  incident.evidence[0].path = path;
  incident.verify.command =
      "python -m tool --with many --options that --are much --longer than --the width --of 60";
  RenderOptions options;
  options.width = 60;
  const std::string text = render(diagnosis, Format::kText, options);
  CHECK(text.find("  Why  it raised its own exception at step 400 and no other\n       rank had reported") !=
        std::string::npos);
  CHECK(text.find("\n  " + path + ":120  rank 3, cause\n") != std::string::npos);
  CHECK(text.find("\n    " + incident.verify.command + "\n") != std::string::npos);
  for (const std::string& line : lines_of(text)) {
    const bool whole = line.find(path) != std::string::npos || line.find("--with") != std::string::npos ||
                       line.find("0000:8a") != std::string::npos;
    if (!whole) CHECK(display_width(line) <= 60);
  }
}

TEST_CASE("colours appear only when asked for") {
  RenderOptions options;
  CHECK(render(sample_diagnosis(), Format::kText, options).find('\x1b') == std::string::npos);
  options.color = true;
  const std::string text = render(sample_diagnosis(), Format::kText, options);
  CHECK(text.rfind("\x1b[1;31mrank 3 failed first: CUDA out of memory\x1b[0m\n", 0) == 0);
}

TEST_CASE("a hostile log cannot reach the terminal") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport& incident = diagnosis.incidents[0];
  for (std::string* field :
       {&incident.cause.summary, &incident.initiator->why, &incident.evidence[0].text,
        &incident.evidence[0].path, &incident.evidence[0].why, &incident.collateral[0].why,
        &incident.alternatives[0].decide, &incident.fix.summary, &incident.verify.command,
        &incident.fix.edits[0].changes[0].new_text, &diagnosis.sources[0].path}) {
    *field = kHostile;
  }
  const std::string text = render(diagnosis, Format::kText);
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(text.find('\xff') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("long lists of evidence are cut with a word about the rest") {
  Diagnosis diagnosis = sample_diagnosis();
  auto& evidence = diagnosis.incidents[0].evidence;
  while (evidence.size() < 15) evidence.push_back(evidence.back());
  CHECK(render(diagnosis, Format::kText).find("  and 3 more (--format json shows them all)\n") !=
        std::string::npos);
}

TEST_CASE("a cause that is not known, without ranks, is said in plain words") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents[0] = {};
  diagnosis.incidents[0].primary = true;
  diagnosis.incidents[0].cause.summary = "the job failed";
  diagnosis.incidents[0].initiator.reset();
  const std::string text = render(diagnosis, Format::kText);
  CHECK(text.rfind("the job failed\n  Who  this input names no ranks\n\nDetails\n", 0) == 0);
  CHECK(text.find("Confidence: not measured\n") != std::string::npos);
}

TEST_CASE("runs of ranks are folded") {
  CHECK(numbers_text({}).empty());
  CHECK(ranks_label({3}) == "rank 3");
  CHECK(ranks_label({0, 1, 2, 4, 5, 6, 7, 9, 10}) == "ranks 0-2, 4-7, 9, 10");
}

TEST_CASE("format names are exactly those of the command line") {
  CHECK(format_of("sarif") == Format::kSarif);
  CHECK(format_of("markdown") == Format::kMarkdown);
  CHECK_FALSE(format_of("SARIF"));
  CHECK_FALSE(format_of(""));
}
