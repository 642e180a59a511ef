// A diagnosis with everything in it, for the tests of the report forms.
#pragma once

#include "diagnosis/diagnosis.hpp"

namespace firstfault {

inline IncidentReport sample_incident() {
  IncidentReport incident;
  incident.primary = true;
  incident.cause = {"memory/cuda-oom",
                    "cuda-oom",
                    "CUDA out of memory",
                    "software",
                    "researcher",
                    0.925,
                    "right in 37 of 40 known incidents",
                    "rank 3 failed first: CUDA out of memory",
                    "The allocator found no free block.",
                    "Memory grew with the sequence length.",
                    "a leak in another process",
                    {"nvidia-smi shows the device full"},
                    {"the device has free memory"}};
  incident.initiator = InitiatorReport{"rank",
                                       std::vector<int>{3},
                                       {"node01"},
                                       {3},
                                       {77},
                                       {"0000:8a:00.0"},
                                       "its own error came before all others"};
  incident.evidence = {
      {"logs/train.log", 120, 122, "RuntimeError: CUDA out of memory", "cause", 3, "rank 3 raised it"},
      {"logs/train.log", 140, 140, "watchdog timeout", "consequence", std::nullopt, ""}};
  for (const int rank : {7, 0, 1, 2, 4, 5, 6}) {
    incident.collateral.push_back({rank, "logs/train.log", static_cast<std::uint64_t>(200 + rank),
                                   "waited in ALLREDUCE 12 that rank 3 never issued"});
  }
  incident.collateral.push_back({8, "", 0, "printed nothing"});
  incident.alternatives = {{"memory/host-oom", 0.04, "the kernel log of node01"}};
  incident.fix.summary = "Lower the memory of one step.";
  incident.fix.steps = {"Halve the micro batch.", "Use activation checkpointing."};
  incident.fix.edits = {
      {"Set eps=1e-5", "review", true, {{"src/train.py", {11, 30}, {11, 30}, ", eps=1e-5"}}}};
  incident.fix.edits_not_offered = {"src/other.py:3: AdamW(...) already has eps=1e-5"};
  incident.verify = {"nvidia-smi --query-gpu=memory.used --format=csv", "less than 80 GiB used", "still full",
                     true};
  incident.prevent = {"Log the peak memory."};
  incident.references = {"https://pytorch.org/docs/stable/notes/cuda.html"};
  return incident;
}

inline Diagnosis sample_diagnosis() {
  Diagnosis diagnosis;
  diagnosis.sources = {{"logs/train.log", 4096, 1204}};
  diagnosis.job = {16, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {"node01", "node02"}, "torchrun", {"pytorch 2.6"}, 1};
  diagnosis.incidents = {sample_incident()};
  diagnosis.timeline = {{3, "2025-10-12T12:34:56", "logs/train.log", 120, "cause", "CUDA out of memory"},
                        {std::nullopt, "", "", 0, "consequence", "watchdog timeout"}};
  return diagnosis;
}

// The bytes that a hostile log would use against a terminal, Markdown, HTML and UTF-8 readers.
inline constexpr const char* kHostile =
    "\x1b[31m\x07<script>alert(1)</script> [x](javascript:a) ![i](http://e/i.png) `` \n# h\xff \xe2\x80\xae"
    "txt @team";

}  // namespace firstfault
