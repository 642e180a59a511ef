#include "session_harness.hpp"

namespace firstfault::lsp {
namespace {

const std::string kUri = "untitled:run";

int code_of(const Json& response) {
  return response.contains("error") ? response["error"]["code"].get<int>() : 0;
}

TEST_CASE("The command diagnoses raw text and answers the JSON contract") {
  TestClient client;
  client.initialize(Json::object());
  const Json result = client.diagnose({{"text", "x\nBAD 2\n"}, {"name", "terminal"}})["result"];
  CHECK(result["schema"] == "firstfault.diagnosis/1");
  CHECK(result["incidents"][0]["initiator"]["ranks"] == Json::array({2}));
  CHECK(result["incidents"][0]["evidence"][0]["path"] == "terminal");
  CHECK(result["incidents"][0]["evidence"][0]["line"] == 2);
}

TEST_CASE("In Markdown the answer is the report, its summary and the diagnosis") {
  TestClient client;
  client.initialize(Json::object());
  const Json result = client.diagnose({{"text", "BAD 2"}, {"format", "markdown"}})["result"];
  CHECK(result["markdown"].get<std::string>().find("Bad thing") != std::string::npos);
  CHECK(result["summary"] == "rank 2 failed first: Bad thing");
  CHECK(result["diagnosis"]["incidents"].size() == 1);
  const Json none = client.diagnose({{"text", "ok"}, {"format", "markdown"}})["result"];
  CHECK(none["summary"] == "no failure found");
}

TEST_CASE("A range of an open document keeps the document's line numbers and adds its diagnostics") {
  TestClient client;
  client.initialize(Json::object());
  client.open(kUri, "plaintext", "a\nb\nEPS 1\nEPS 2\n");
  CHECK(client.diagnostics(kUri).empty());  // nothing in it makes it a log by itself
  const Json result = client.diagnose({{"uri", kUri}, {"range", range(1, 1, 3, 0)}})["result"];
  REQUIRE(result["incidents"].size() == 1);
  CHECK(result["incidents"][0]["evidence"][0]["line"] == 3);
  CHECK(result["incidents"][0]["initiator"]["ranks"] == Json::array({1}));
  const Json diagnostics = client.diagnostics(kUri);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0]["range"] == range(2, 0, 2, 5));
  client.change(kUri, 2, Json::array({{{"text", "\n\nBAD 3"}}}));
  CHECK(client.diagnostics(kUri)[0]["code"] == "bad");
}

TEST_CASE("A range far behind the end of its document is empty") {
  TestClient client;
  client.initialize(Json::object());
  client.open(kUri, "plaintext", "a\nBAD 2\n");
  constexpr int kFar = 2147483647;
  CHECK(client.diagnose({{"uri", kUri}, {"range", range(kFar, kFar, kFar, kFar)}})["result"]["incidents"]
            .empty());
  CHECK(client.diagnose({{"uri", kUri}, {"range", range(0, 0, kFar, kFar)}})["result"]["incidents"].size() ==
        1);
}

TEST_CASE("A file that is not open is diagnosed by path, and its diagnostics are pushed until it is opened") {
  const TemporaryFolder folder;
  folder.write("run 1.log", "BAD 2\nWAIT 0\n");
  TestClient client;
  client.initialize({{"textDocument", {{"diagnostic", Json::object()}}}}, folder.path());
  const std::string uri = folder.uri("run%201.log");
  const Json result = client.diagnose({{"uri", uri}})["result"];
  CHECK(result["incidents"][0]["evidence"][0]["path"] == folder.path() + "/run 1.log");
  const Json diagnostics = client.diagnostics(uri);
  REQUIRE(diagnostics.size() == 2);
  CHECK(diagnostics[0]["range"] == range(0, 0, 1, 0));
  client.open(uri, "training-log", "BAD 2\nWAIT 0\n");
  CHECK(client.diagnostics(uri).empty());
}

TEST_CASE("What the command cannot do is an error that says why") {
  TestClient client;
  client.initialize(Json::object());
  const auto message = [](const Json& response) { return response["error"]["message"].get<std::string>(); };
  const Json missing = client.diagnose({{"uri", "file:///no/such.log"}});
  CHECK(code_of(missing) == kRequestFailed);
  CHECK(message(missing) == "/no/such.log: no such file");
  CHECK(code_of(client.diagnose({{"uri", "untitled:gone"}})) == kRequestFailed);
  CHECK(code_of(client.diagnose(Json::object())) == kInvalidParams);
  CHECK(code_of(client.diagnose({{"uri", "a"}, {"text", "b"}})) == kInvalidParams);
  CHECK(code_of(client.diagnose({{"text", "b"}, {"format", "pdf"}})) == kInvalidParams);
  CHECK(code_of(client.diagnose({{"text", "b"}, {"workspace", "/no/such/folder"}})) == kInvalidParams);
  CHECK(code_of(client.diagnose("text")) == kInvalidParams);
  CHECK(code_of(client.request("workspace/executeCommand", {{"command", "other"}})) == kInvalidParams);
  const Json thrown = client.diagnose({{"text", "THROW"}});
  CHECK(code_of(thrown) == kInternalError);
  CHECK(message(thrown).find("thrown by the engine") != std::string::npos);
  CHECK(client.diagnose({{"text", "BAD 1"}}).contains("result"));
}

TEST_CASE("Long work reports progress, leaves the server responsive and can be cancelled") {
  TestClient client;
  client.initialize(Json::object());
  const int id = client.send_request("workspace/executeCommand",
                                     {{"command", "firstfault.diagnose"},
                                      {"arguments", Json::array({{{"text", "SLOW"}, {"name", "big.log"}}})},
                                      {"workDoneToken", "t1"}});
  const Json begin = client.next("$/progress")["params"];
  CHECK(begin["token"] == "t1");
  CHECK(begin["value"]["kind"] == "begin");
  CHECK(begin["value"]["title"] == "Diagnosing big.log");
  CHECK(code_of(client.request("no/such", nullptr)) == kMethodNotFound);
  const Json report = client.next("$/progress")["params"]["value"];
  CHECK(report["kind"] == "report");
  CHECK(report["percentage"].is_number_unsigned());
  client.notify("$/cancelRequest", {{"id", id}});
  CHECK(code_of(client.response(id)) == kRequestCancelled);
  Json last = report;
  while (last["kind"] == "report") last = client.next("$/progress")["params"]["value"];
  CHECK(last["kind"] == "end");
  CHECK(client.diagnose({{"text", "BAD 1"}}).contains("result"));
  CHECK_FALSE(client.has("$/progress"));  // nothing comes after the end
}

const char* const kTrain =
    "import torch\nmodel = build()\nopt = torch.optim.Adam(model.parameters(), lr=1e-3)\n";

Json actions(TestClient* client, const std::string& uri, int line, const Json& only = nullptr) {
  Json context = {{"diagnostics", Json::array()}};
  if (!only.is_null()) context["only"] = only;
  return client->request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", uri}}}, {"range", range(line, 0, line, 0)}, {"context", context}})["result"];
}

TEST_CASE("After a diagnosis the source file shows the fix at its call, until it is applied") {
  const TemporaryFolder folder;
  folder.write("train.py", kTrain);
  TestClient client;
  client.initialize(related_capability(), folder.path());
  client.open(folder.uri("train.log"), "training-log", "x\nEPS 1\n");
  CHECK(client.diagnostics(folder.uri("train.log")).size() == 1);
  // The text in the editor counts, not the file.
  client.open(folder.uri("train.py"), "python", std::string("# first\n") + kTrain, 7);
  const Json diagnostics = client.diagnostics(folder.uri("train.py"));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0]["severity"] == 2);
  CHECK(diagnostics[0]["range"]["start"]["line"] == 3);
  CHECK(
      diagnostics[0]["message"].get<std::string>().starts_with("eps rounds to 0 (diagnosed in train.log:2)"));

  const Json found = actions(&client, folder.uri("train.py"), 3);
  REQUIRE(found.size() == 1);
  CHECK(found[0]["title"] == "Set eps=1e-5");
  CHECK(found[0]["kind"] == "quickfix");
  CHECK(found[0]["isPreferred"] == true);
  const Json& change = found[0]["edit"]["documentChanges"][0];
  CHECK(change["textDocument"] == Json{{"uri", folder.uri("train.py")}, {"version", 7}});
  CHECK(actions(&client, folder.uri("train.py"), 0).empty());
  CHECK(actions(&client, folder.uri("train.py"), 3, Json::array({"refactor"})).empty());
  CHECK(actions(&client, folder.uri("train.log"), 1) == found);
  CHECK(actions(&client, folder.uri("train.log"), 0).empty());

  client.change(
      folder.uri("train.py"), 8,
      Json::array({{{"range", change["edits"][0]["range"]}, {"text", change["edits"][0]["newText"]}}}));
  CHECK(client.diagnostics(folder.uri("train.py")).empty());
  CHECK(actions(&client, folder.uri("train.py"), 3).empty());
}

TEST_CASE("The fix of a file that no editor holds is made on the file, without a version") {
  const TemporaryFolder folder;
  folder.write("train.py", kTrain);
  TestClient client;
  client.initialize({{"textDocument", {{"codeAction", {{"codeActionLiteralSupport", Json::object()}}}}}},
                    folder.path());
  client.open(kUri, "training-log", "EPS 1\n");
  CHECK(client.diagnostics(kUri).size() == 1);
  const Json found = actions(&client, kUri, 0);
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].contains("isPreferred"));  // the client did not say it knows it
  const Json& edits = found[0]["edit"]["changes"][folder.uri("train.py")];
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["range"]["start"]["line"] == 2);
  CHECK(edits[0]["newText"].get<std::string>().find("eps=1e-5") != std::string::npos);
}

}  // namespace
}  // namespace firstfault::lsp
