#include <doctest/doctest.h>

#include "report/report.hpp"
#include "sample.hpp"

using namespace firstfault;

TEST_CASE("the Markdown form is a ticket in the order of the text form") {
  const std::string expected = R"(# rank 3 failed first: CUDA out of memory

- **Who:** rank 3 (local rank 3, host node01, pid 77, device 0000:8a:00.0)
- **Why:** its own error came before all others
- **Do:** Lower the memory of one step.

## Evidence

`logs/train.log:120`, rank 3, cause: rank 3 raised it

```text
RuntimeError: CUDA out of memory
```

`logs/train.log:140`, consequence

```text
watchdog timeout
```

## Collateral: failed because of it

- **ranks 0-2, 4-7:** waited in ALLREDUCE 12 that rank 3 never issued (`logs/train.log:207` and 6 more like it)
- **rank 8:** printed nothing

## It could also be

- `memory/host-oom` (4 %): the kernel log of node01

## Fix

Lower the memory of one step.

1. Halve the micro batch.
2. Use activation checkpointing.

**Preferred edit:** Set eps=1e-5 (read it before you apply it)

```diff
@@ src/train.py:12 insert at column 31 @@
+, eps=1e-5
```

No edit:

- src/other.py:3: AdamW(...) already has eps=1e-5

## Verify (needs root)

```sh
nvidia-smi --query-gpu=memory.used --format=csv
```

- **Expect:** less than 80 GiB used
- **Refuted by:** still full

## Job

16 ranks (9 in the input), hosts node01, node02, torchrun, pytorch 2.6

- `logs/train.log`: 1,204 lines
)";
  RenderOptions options;
  options.details = false;
  CHECK(render(sample_diagnosis(), Format::kMarkdown, options) == expected);
}

TEST_CASE("only https references become Markdown links") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents[0].references = {"https://pytorch.org/x", "javascript:alert(1)", "https://x> <img>",
                                       "torch/csrc/a.cpp"};
  const std::string text = render(diagnosis, Format::kMarkdown);
  CHECK(text.find("- <https://pytorch.org/x>\n- javascript:alert(1)\n- https`://`x&gt; &lt;img&gt;\n"
                  "- torch/csrc/a.cpp\n") != std::string::npos);
}

TEST_CASE("a hostile log cannot leave its fence or code span in Markdown") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport& incident = diagnosis.incidents[0];
  incident.evidence[0].text = "```\n# heading\n<img src=x>";
  incident.evidence[0].path = "a`b.log";
  incident.cause.summary = kHostile;
  const std::string text = render(diagnosis, Format::kMarkdown);
  CHECK(text.find("````text\n```\n# heading\n<img src=x>\n````\n") != std::string::npos);
  CHECK(text.find("``a`b.log:120``, rank 3") != std::string::npos);
  CHECK(text.rfind("# \\\\x1b\\[31m\\\\x07&lt;script&gt;alert(1)&lt;/script&gt; \\[x\\](javascript:a) "
                   "!\\[i\\](http`://`e/i.png) &#96;&#96;  \\# h\xEF\xBF\xBD &lt;U+202E&gt;txt `@`team\n",
                   0) == 0);
}

TEST_CASE("Markdown says plainly that there is no failure") {
  Diagnosis diagnosis;
  diagnosis.sources = {{"a.log", 10, 12}};
  CHECK(render(diagnosis, Format::kMarkdown) ==
        "# No failure found in 12 lines of 1 source.\n\n## Job\n\n- `a.log`: 12 lines\n");
}

TEST_CASE("other incidents are one Markdown item each") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents.push_back(sample_incident());
  diagnosis.incidents[1].primary = false;
  diagnosis.incidents[1].attempt = 2;
  CHECK(render(diagnosis, Format::kMarkdown)
            .find("## Other incidents\n\n- **Attempt 2:** rank 3 failed first: CUDA out of memory "
                  "(`logs/train.log:120`) — Lower the memory of one step.\n") != std::string::npos);
}
