#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "sample.hpp"

using namespace firstfault;
using nlohmann::json;

TEST_CASE("the JSON form has the contract's keys and values") {
  const json document = json::parse(render(sample_diagnosis(), Format::kJson));
  CHECK(document == to_json(sample_diagnosis()));
  CHECK(document["schema"] == "firstfault.diagnosis/1");
  CHECK(document["sources"] == json::parse(R"([{"path": "logs/train.log", "bytes": 4096, "lines": 1204}])"));
  CHECK(document["job"] == json::parse(R"({"worldSize": 16, "ranksSeen": [0,1,2,3,4,5,6,7,8],
      "hosts": ["node01", "node02"], "launcher": "torchrun", "frameworks": ["pytorch 2.6"], "attempts": 1})"));
  const json& incident = document["incidents"][0];
  CHECK(incident["primary"] == true);
  CHECK(incident["cause"]["id"] == "memory/cuda-oom");
  CHECK(incident["cause"]["confidence"] == 0.925);
  CHECK(incident["cause"]["confidenceBasis"] == "right in 37 of 40 known incidents");
  CHECK(incident["cause"]["confusedWith"] == "a leak in another process");
  CHECK(incident["initiator"] == json::parse(R"({"scope": "rank", "ranks": [3], "hosts": ["node01"],
      "localRanks": [3], "pids": [77], "devices": ["0000:8a:00.0"], "why": "its own error came before all others"})"));
  CHECK(incident["evidence"][0] == json::parse(R"({"path": "logs/train.log", "line": 120, "endLine": 122,
      "text": "RuntimeError: CUDA out of memory", "role": "cause", "rank": 3, "why": "rank 3 raised it"})"));
  CHECK(incident["fix"]["edits"] == json::parse(R"([{"title": "Set eps=1e-5", "applicability": "review",
      "preferred": true, "changes": [{"path": "src/train.py", "start": {"line": 11, "character": 30},
      "end": {"line": 11, "character": 30}, "newText": ", eps=1e-5"}]}])"));
  CHECK(incident["verify"] == json::parse(R"({"command": "nvidia-smi --query-gpu=memory.used --format=csv",
      "expect": "less than 80 GiB used", "refutes": "still full", "needsRoot": true})"));
  CHECK(incident["alternatives"][0]["decide"] == "the kernel log of node01");
}

TEST_CASE("what is not known is null in JSON") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport& incident = diagnosis.incidents[0];
  incident.cause.confidence.reset();
  incident.initiator->ranks.reset();
  diagnosis.job.world_size.reset();
  const json document = to_json(diagnosis);
  CHECK(document["job"]["worldSize"].is_null());
  const json& shown = document["incidents"][0];
  CHECK(shown["cause"]["confidence"].is_null());
  CHECK(shown["initiator"]["ranks"].is_null());
  CHECK(shown["evidence"][1]["rank"].is_null());
  CHECK(shown["collateral"][7] ==
        json::parse(R"({"rank": 8, "path": null, "line": null, "why": "printed nothing"})"));
  CHECK(document["timeline"][1]["line"].is_null());
  CHECK(document["timeline"][1]["rank"].is_null());
  incident.initiator.reset();
  CHECK(to_json(diagnosis)["incidents"][0]["initiator"].is_null());
}

TEST_CASE("a diagnosis without a failure has empty lists in JSON") {
  const json document = to_json(Diagnosis{});
  CHECK(document["incidents"] == json::array());
  CHECK(document["timeline"] == json::array());
  CHECK(document["sources"] == json::array());
  CHECK(document["job"]["ranksSeen"] == json::array());
}

TEST_CASE("JSON forms hold nothing that a terminal would act on, and the same values") {
  Diagnosis diagnosis = sample_diagnosis();
  const std::string text =
      "a \x1b[31m \xC2\x9B"
      "31m \xE2\x80\xAE b \xF3\xA0\x81\x81 \xC3\xA9 \x7F";
  diagnosis.incidents[0].evidence[0].text = text;
  for (const Format format : {Format::kJson, Format::kSarif}) {
    const std::string rendered = render(diagnosis, format);
    for (const char* active : {"\x1b", "\xC2\x9B", "\xE2\x80\xAE", "\xF3\xA0\x81\x81", "\x7F"}) {
      CHECK(rendered.find(active) == std::string::npos);
    }
    CHECK(rendered.find("\xC3\xA9") != std::string::npos);
  }
  CHECK(json::parse(render(diagnosis, Format::kJson))["incidents"][0]["evidence"][0]["text"] == text);
}

TEST_CASE("bad UTF-8 in a log does not break the JSON form") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents[0].evidence[0].text = kHostile;
  diagnosis.sources[0].path = "a\xff.log";
  const json document = json::parse(render(diagnosis, Format::kJson));
  CHECK(document["sources"][0]["path"] == "a\xEF\xBF\xBD.log");
}
