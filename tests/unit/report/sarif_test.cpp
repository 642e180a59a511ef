#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "sample.hpp"

using namespace firstfault;
using nlohmann::json;

TEST_CASE("the SARIF form names the tool, the rule and the result") {
  const json log = json::parse(render(sample_diagnosis(), Format::kSarif));
  CHECK(log["version"] == "2.1.0");
  REQUIRE(log["runs"].size() == 1);
  const json& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "FirstFault");
  CHECK(run["columnKind"] == "utf16CodeUnits");
  REQUIRE(run["tool"]["driver"]["rules"].size() == 1);
  const json& rule = run["tool"]["driver"]["rules"][0];
  CHECK(rule["id"] == "cuda-oom");
  CHECK(rule["shortDescription"]["text"] == "CUDA out of memory");
  CHECK(rule["helpUri"] == "https://pytorch.org/docs/stable/notes/cuda.html");
  const json& result = run["results"][0];
  CHECK(result["ruleId"] == "cuda-oom");
  CHECK(result["ruleIndex"] == 0);
  CHECK(result["level"] == "error");
  CHECK(result["message"]["text"] == "rank 3 failed first: CUDA out of memory");
  CHECK(result["locations"][0]["physicalLocation"] ==
        json::parse(R"({"artifactLocation": {"uri": "logs/train.log"},
          "region": {"startLine": 120, "endLine": 122, "snippet": {"text": "RuntimeError: CUDA out of memory"}}})"));
  CHECK(result["locations"].size() == 2);
  CHECK(result["relatedLocations"].size() == 8);
  CHECK(result["relatedLocations"][7]["message"]["text"] == "rank 8: printed nothing");
  CHECK_FALSE(result["relatedLocations"][7].contains("physicalLocation"));
}

TEST_CASE("SARIF fixes count lines and columns from 1") {
  const json log = json::parse(render(sample_diagnosis(), Format::kSarif));
  const json& fix = log["runs"][0]["results"][0]["fixes"][0];
  CHECK(fix["description"]["text"] == "Set eps=1e-5");
  CHECK(fix["artifactChanges"] ==
        json::parse(R"([{"artifactLocation": {"uri": "src/train.py"}, "replacements": [
      {"deletedRegion": {"startLine": 12, "startColumn": 31, "endLine": 12, "endColumn": 31},
       "insertedContent": {"text": ", eps=1e-5"}}]}])"));
}

TEST_CASE("incidents of one signature share their SARIF rule") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents.push_back(sample_incident());
  diagnosis.incidents.push_back(sample_incident());
  diagnosis.incidents[1].cause.signature.clear();
  const json log = json::parse(render(diagnosis, Format::kSarif));
  CHECK(log["runs"][0]["tool"]["driver"]["rules"].size() == 2);
  CHECK(log["runs"][0]["results"][1]["ruleId"] == "memory/cuda-oom");
  CHECK(log["runs"][0]["results"][1]["ruleIndex"] == 1);
  CHECK(log["runs"][0]["results"][2]["ruleIndex"] == 0);
}

TEST_CASE("paths become URIs in SARIF") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.sources = {{"/logs/run 1/a#b\xff.log", 1, 1}, {"<stdin>", 0, 1}, {"c:d", 0, 1}};
  const json log = json::parse(render(diagnosis, Format::kSarif));
  const json& artifacts = log["runs"][0]["artifacts"];
  CHECK(artifacts[0]["location"]["uri"] == "file:///logs/run%201/a%23b%FF.log");
  CHECK(artifacts[1]["location"]["uri"] == "%3Cstdin%3E");
  CHECK(artifacts[2]["location"]["uri"] == "c%3Ad");
}

TEST_CASE("a SARIF log without a failure has no results") {
  const json log = json::parse(render(Diagnosis{}, Format::kSarif));
  CHECK(log["runs"][0]["results"] == json::array());
}

TEST_CASE("evidence without a line has no SARIF region, and bad UTF-8 does not throw") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents[0].evidence = {{"a.log", 0, 0, kHostile, "context", std::nullopt, kHostile},
                                     {"", 0, 0, "x", "context", std::nullopt, ""}};
  const json log = json::parse(render(diagnosis, Format::kSarif));
  const json& locations = log["runs"][0]["results"][0]["locations"];
  CHECK_FALSE(locations[0]["physicalLocation"].contains("region"));
  CHECK_FALSE(locations[1].contains("physicalLocation"));
}
