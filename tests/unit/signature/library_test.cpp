// What the loader takes, what it refuses, and how it says so.
#include "signature/library.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace firstfault {
namespace {

const SignatureFile kTaxonomy = {"taxonomy.json", R"({"causes": [
  {"id": "memory/cuda-oom", "layer": "software", "means": "no device memory is left"},
  {"id": "gpu/xid", "layer": "hardware", "means": "the driver reports a fault"}
]})"};

nlohmann::json sound() {
  return nlohmann::json::parse(R"({
    "id": "oom", "cause": "memory/cuda-oom", "title": "Out of memory", "role": "cause",
    "match": {"patterns": ["CUDA out of memory"]},
    "examples": {"positive": ["CUDA out of memory.", "x CUDA out of memory"], "negative": ["a", "b"]}
  })");
}

SignatureFile file_of(const nlohmann::json& json, const std::string& path = "memory/oom.json") {
  return {path, json.dump(1)};
}

// The message of a load that must fail.
std::string refusal(const std::vector<SignatureFile>& files) {
  const auto loaded = Library::load(files);
  REQUIRE_FALSE(loaded.ok());
  return loaded.error().message;
}

// The message without "signatures/memory/oom.json:LINE: ".
std::string complaint(const nlohmann::json& json) {
  const std::string message = refusal({kTaxonomy, file_of(json)});
  const std::string start = "signatures/memory/oom.json:";
  REQUIRE(message.rfind(start, 0) == 0);
  return message.substr(message.find(": ") + 2);
}

Signature only(const nlohmann::json& json) {
  const auto loaded = Library::load({kTaxonomy, file_of(json)});
  REQUIRE_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
  REQUIRE((*loaded)->signatures().size() == 1);
  return (*loaded)->signatures().front();
}

}  // namespace

TEST_CASE("A minimal signature gets every default") {
  const Signature signature = only(sound());
  CHECK(signature.tier == Tier::kException);
  CHECK(signature.gives == Gives::kNothing);
  CHECK(signature.specificity == 50);
  CHECK(signature.layer == "software");
  CHECK(signature.owner == "researcher");
  CHECK(signature.scope == "");
  CHECK(signature.match.in == MatchIn::kLog);
  CHECK(signature.file == "memory/oom.json");
  CHECK(signature.positive.size() == 2);
}

TEST_CASE("The default tier follows the role and the default owner the layer") {
  auto json = sound();
  json["role"] = "either";
  CHECK(only(json).tier == Tier::kException);
  json["role"] = "consequence";
  CHECK(only(json).tier == Tier::kSymptom);
  json["cause"] = "gpu/xid";
  CHECK(only(json).owner == "cluster-admin");
  CHECK(only(json).layer == "hardware");
  json["owner"] = "researcher";
  json["tier"] = "physical";
  CHECK(only(json).owner == "researcher");
  CHECK(only(json).tier == Tier::kPhysical);
  json["role"] = "context";
  json.erase("tier");
  json.erase("cause");
  CHECK(only(json).tier == Tier::kFact);
}

TEST_CASE("Every field arrives where it belongs") {
  auto json = sound();
  json["gives"] = "peer-lost";
  json["scope"] = "host";
  json["specificity"] = 80;
  json["match"]["recordUnless"] = {"ab"};
  json["match"]["needs"] = {{"none", {"oom"}}};
  json["explain"] = {{"what", "w"}, {"confusedWith", "c"}, {"refute", {"r"}}};
  json["fix"] = {{"summary", "s"}, {"steps", {"one", {{"text", "two"}, {"needs", {{"any", {"oom"}}}}}}}};
  json["verify"] = {{"command", "nvidia-smi"}, {"expect", "e"}, {"needsRoot", true}};
  json["examples"]["negative"][1] = {{"text", "t"}, {"source", "import torch"}};
  const Signature signature = only(json);
  CHECK(signature.gives == Gives::kPeerLost);
  CHECK(signature.scope == "host");
  CHECK(signature.specificity == 80);
  CHECK(signature.match.record_unless == std::vector<std::string>{"ab"});
  CHECK(signature.match.needs.none == std::vector<std::string>{"oom"});
  CHECK(signature.explain.confused_with == "c");
  CHECK(signature.fix.steps.at(1).text == "two");
  CHECK(signature.fix.steps.at(1).needs.any == std::vector<std::string>{"oom"});
  CHECK(signature.verify.needs_root);
  CHECK(signature.negative.at(1).source == "import torch");
}

TEST_CASE("An expression that RE2 refuses is named with file, line and JSON path") {
  auto json = sound();
  json["match"]["patterns"] = {"fine here", "(never closed"};
  const std::string text = R"({
  "id": "oom", "cause": "memory/cuda-oom", "title": "Out of memory", "role": "cause",
  "match": {
    "patterns": [
      "fine here",
      "(never closed"
    ]
  },
  "examples": {"positive": ["a", "b"], "negative": ["c", "d"]}
})";
  CHECK(refusal({kTaxonomy, {"memory/oom.json", text}}) ==
        "signatures/memory/oom.json:6: /match/patterns/1: missing ): (never closed; "
        "correct it (RE2 syntax: no look-around, no back-references)");
}

TEST_CASE("Messages name the folder, and expressions are not compiled where that is not asked for") {
  auto json = sound();
  json["match"]["record"] = {"a(?=b)"};
  LoadOptions options;
  options.folder = "mine";
  const auto refused = Library::load({kTaxonomy, file_of(json)}, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("mine/memory/oom.json:") == 0);
  CHECK(refused.error().message.find("/match/record/0: ") != std::string::npos);
  options.check_patterns = false;
  CHECK(Library::load({kTaxonomy, file_of(json)}, options).ok());
}

TEST_CASE("Broken JSON is named with its line") {
  const std::string message = refusal({kTaxonomy, {"memory/oom.json", "{\n  \"id\": \"oom\",\n  oops\n}"}});
  CHECK(message.rfind("signatures/memory/oom.json:3: syntax error while parsing", 0) == 0);
  CHECK(
      refusal({kTaxonomy, {"memory/oom.json", ""}}).rfind("signatures/memory/oom.json:1: syntax error", 0) ==
      0);
}

TEST_CASE("Unknown keys and words are refused with the one that was probably meant") {
  auto json = sound();
  json["refrences"] = nlohmann::json::array();
  CHECK(complaint(json) == "/refrences: unknown key; did you mean \"references\"?");
  json = sound();
  json["match"]["pattern"] = {"abcd"};
  CHECK(complaint(json) == "/match/pattern: unknown key; did you mean \"patterns\"?");
  json = sound();
  json["role"] = "causes";
  CHECK(complaint(json) == "/role: unknown value \"causes\"; did you mean \"cause\"?");
  json = sound();
  json["scope"] = "somewhere else";
  CHECK(complaint(json) ==
        "/scope: unknown value \"somewhere else\"; use one of: rank, host, launcher, all, external");
  json = sound();
  json["cause"] = "memory/cuda-om";
  CHECK(complaint(json) ==
        "/cause: unknown cause \"memory/cuda-om\", not in taxonomy.json; did you mean \"memory/cuda-oom\"?");
  json = sound();
  json["fix"] = {{"summary", {{"text", "s"}, {"needs", {{"all", {"oon"}}}}}}};
  CHECK(complaint(json) ==
        "/fix/summary/needs/all/0: unknown signature \"oon\", not in the id of any file; did you mean "
        "\"oom\"?");
}

TEST_CASE("Each rule of the schema is enforced") {
  const auto broken = [](const std::string& pointer, const nlohmann::json& value) {
    auto json = sound();
    json[nlohmann::json::json_pointer(pointer)] = value;
    return complaint(json);
  };
  CHECK(broken("/title", "ab") == "/title: has 2 characters; at least 3 are needed");
  CHECK(broken("/title", std::string(81, 'x')) == "/title: has 81 characters; shorten it to at most 80");
  CHECK(broken("/title", 7) == "/title: must be a string, not number");
  CHECK(broken("/specificity", 101) == "/specificity: is out of range; use 0 to 100");
  CHECK(broken("/specificity", 5.5) == "/specificity: must be an integer, not number");
  CHECK(broken("/specificity", 18446744073709551615ULL) == "/specificity: is out of range; use 0 to 100");
  CHECK(broken("/match/patterns/0", "abc") == "/match/patterns/0: has 3 characters; at least 4 are needed");
  CHECK(broken("/match/unless", {"a"}) == "/match/unless/0: has 1 characters; at least 2 are needed");
  CHECK(broken("/references", {"http://example.org"}) ==
        "/references/0: is no https:// address; cite a public page");
  CHECK(broken("/frameworks", "pytorch") == "/frameworks: must be an array, not string");
  CHECK(broken("/explain", {{"mechanism", "m"}}) == "/explain: has no \"what\"; add it, it is required");
  CHECK(broken("/verify", {{"command", "c"}}) == "/verify: has no \"expect\"; add it, it is required");
  CHECK(broken("/verify", {{"command", "c"}, {"expect", "e"}, {"needsRoot", 1}}) ==
        "/verify/needsRoot: must be true or false, not number");
  CHECK(broken("/fix", {{"summary", 1}}) == "/fix/summary: must be a string or an object with \"text\"");
  CHECK(broken("/examples/positive/0", "") ==
        "/examples/positive/0: has 0 characters; at least 1 are needed");
  CHECK(broken("/examples/positive", {"one"}) ==
        "/examples/positive: has 1 positive examples; a signature with patterns needs at least 2");
  CHECK(broken("/examples", {{"positive", {"a", "b"}}}) ==
        "/examples: has 0 negative examples; a signature with patterns needs at least 2");
  CHECK(broken("/match/derived", "peer-died") ==
        "/match: needs exactly one of \"patterns\" and \"derived\"; keep one");
  CHECK(broken("/match/in", "source") ==
        "/match: \"in\": \"source\" is only for role \"context\"; source alone is no failure");
  CHECK(broken("/edits", {{{"recipe", "python-keyword-argument"},
                           {"title", "t"},
                           {"applicability", "sure"},
                           {"callables", {"f"}},
                           {"keyword", "k"},
                           {"value", "v"}}}) ==
        "/edits/0/applicability: unknown value \"sure\"; use one of: safe, review, placeholder");
}

TEST_CASE("What is missing is asked for at the line of its object") {
  auto json = sound();
  json.erase("cause");
  CHECK(complaint(json) == "has no \"cause\"; give an id of taxonomy.json, or make role \"context\"");
  json = sound();
  json.erase("match");
  CHECK(complaint(json).rfind("has no \"match\"; add it, it is required", 0) == 0);
}

TEST_CASE("An id is kebab-case and equals the file's name") {
  auto json = sound();
  json["id"] = "out-of-memory";
  CHECK(complaint(json) == "/id: must equal the file's name, \"oom\"; rename one of them");
  json["id"] = "Oom--x";
  CHECK(complaint(json) == "/id: \"Oom--x\" is no id; use lower-case words joined by \"-\"");
}

TEST_CASE("An id or a conclusion that two files claim is refused") {
  const std::string message = refusal({kTaxonomy, file_of(sound()), file_of(sound(), "other/oom.json")});
  CHECK(message.find("signatures/other/oom.json:") == 0);
  CHECK(
      message.find("/id: \"oom\" is also the id of signatures/memory/oom.json; ids are unique, rename one") !=
      std::string::npos);

  auto first = sound();
  first["match"] = {{"derived", "peer-died"}};
  first["examples"] = nlohmann::json::object();
  auto second = first;
  second["id"] = "pom";
  CHECK(refusal({kTaxonomy, file_of(first), file_of(second, "memory/pom.json")}).find("/match/derived: ") !=
        std::string::npos);
}

TEST_CASE("All problems of all files come in one message, a line each") {
  auto first = sound();
  first["title"] = "x";
  first["specificity"] = -1;
  auto second = sound();
  second["id"] = "pom";
  second["extra-key-of-no-meaning"] = 1;
  const std::string message = refusal({kTaxonomy, file_of(second, "pom.json"), file_of(first)});
  CHECK(std::count(message.begin(), message.end(), '\n') == 2);
  CHECK(message.find("signatures/memory/oom.json:") == 0);
  CHECK(message.find("\nsignatures/pom.json:") != std::string::npos);
}

TEST_CASE("A derived signature needs no examples and is found by its conclusion") {
  auto json = sound();
  json["match"] = {{"derived", "peer-died"}};
  json["examples"] = {{"positive", nlohmann::json::array()}, {"negative", nlohmann::json::array()}};
  const auto loaded = Library::load({kTaxonomy, file_of(json)});
  REQUIRE(loaded.ok());
  REQUIRE((*loaded)->derived("peer-died") != nullptr);
  CHECK((*loaded)->derived("peer-died")->id == "oom");
  CHECK((*loaded)->derived("unknown") == nullptr);
  CHECK((*loaded)->index_of("oom") == 0);
  CHECK((*loaded)->index_of("none") == -1);
}

TEST_CASE("The taxonomy is required and checked") {
  CHECK(refusal({file_of(sound())}) == "signatures/taxonomy.json: missing; add the list of causes");
  const std::string twice = R"({"causes": [{"id": "a/b", "layer": "data", "means": "m"},
    {"id": "a/b", "layer": "data", "means": "m"}]})";
  CHECK(refusal({{"taxonomy.json", twice}}) ==
        "signatures/taxonomy.json:2: /causes/1: the cause \"a/b\" stands here twice; remove one");
}

TEST_CASE("Measured frequencies are read, and impossible ones refused") {
  const auto loaded = Library::load(
      {kTaxonomy,
       {"calibration.json", R"({"how": "h", "patterns": {"own exception": {"right": 3, "total": 4}}})"}});
  REQUIRE(loaded.ok());
  REQUIRE((*loaded)->frequency("own exception") != nullptr);
  CHECK((*loaded)->frequency("own exception")->right == 3);
  CHECK((*loaded)->frequency("own exception")->total == 4);
  CHECK((*loaded)->frequency("other") == nullptr);
  CHECK(refusal({kTaxonomy, {"calibration.json", R"({"patterns": {"a/b": {"right": 5, "total": 4}}})"}}) ==
        "signatures/calibration.json:1: /patterns/a~1b: more right answers than answers; correct the counts");
}

TEST_CASE("A file that is no object is refused") {
  CHECK(refusal({kTaxonomy, {"memory/oom.json", "[1]"}}) ==
        "signatures/memory/oom.json:1: must be an object, not array");
  CHECK(refusal({kTaxonomy, {"memory/oom.json", "null"}}) ==
        "signatures/memory/oom.json:1: must be an object, not null");
}

}  // namespace firstfault
