#include "session_harness.hpp"

namespace firstfault::lsp {
namespace {

const std::string kUri = "untitled:run";

int code_of(const Json& response) {
  return response.contains("error") ? response["error"]["code"].get<int>() : 0;
}

TEST_CASE("The lifecycle is that of the specification, with its error codes") {
  TestClient client;
  CHECK(code_of(client.request("textDocument/hover", Json::object())) == kServerNotInitialized);
  client.notify("textDocument/didOpen", Json::object());
  const Json answer = client.initialize(Json::object());
  CHECK(answer["result"]["serverInfo"]["name"] == "FirstFault");
  const Json& capabilities = answer["result"]["capabilities"];
  CHECK(capabilities["positionEncoding"] == "utf-16");
  CHECK(capabilities["textDocumentSync"]["change"] == 2);
  CHECK(capabilities["textDocumentSync"]["openClose"] == true);
  CHECK(capabilities["hoverProvider"] == true);
  CHECK(capabilities["codeActionProvider"]["codeActionKinds"] == Json::array({"quickfix"}));
  CHECK(capabilities["executeCommandProvider"]["commands"] == Json::array({"firstfault.diagnose"}));
  CHECK(capabilities["diagnosticProvider"]["interFileDependencies"] == true);
  CHECK(code_of(client.request("initialize", {{"capabilities", Json::object()}})) == kInvalidRequest);
  CHECK(code_of(client.request("no/such", Json::object())) == kMethodNotFound);
  CHECK(client.request("shutdown", nullptr)["result"].is_null());
  CHECK(code_of(client.request("textDocument/hover", Json::object())) == kInvalidRequest);
  client.notify("exit", nullptr);
  CHECK(client.exit_status() == 0);
}

TEST_CASE("Without shutdown the exit status is 1") {
  TestClient client;
  client.initialize(Json::object());
  client.notify("exit", nullptr);
  CHECK(client.exit_status() == 1);
}

TEST_CASE("Input that is no message is answered and survived") {
  TestClient client;
  client.send_bytes("this is no LSP\r\n\r\n");
  CHECK(code_of(client.response(nullptr)) == kParseError);
  client.send_bytes(frame_message("{\"jsonrpc\": \"2.0\", "));
  CHECK(code_of(client.response(nullptr)) == kParseError);
  client.send_bytes(frame_message(std::string(200'000, '[')));
  CHECK(code_of(client.response(nullptr)) == kParseError);
  CHECK(client.initialize(Json::object()).contains("result"));
}

TEST_CASE("An opened log gets its diagnostics pushed: the initiator, what followed, and how they are tied") {
  TestClient client;
  client.initialize(related_capability());
  client.open(kUri, "training-log", "FACT\nBAD 2\r\nok\nWAIT 0\nBAD 3\n", 4);
  const Json message = client.next("textDocument/publishDiagnostics", kUri);
  CHECK(message["params"]["version"] == 4);
  const Json& diagnostics = message["params"]["diagnostics"];
  REQUIRE(diagnostics.size() == 3);
  CHECK(diagnostics[0]["severity"] == 1);
  CHECK(diagnostics[0]["range"] == range(1, 0, 1, 5));
  CHECK(diagnostics[0]["message"] == "rank 2 failed first: Bad thing\nWhat bad means.\nFix: Mend it.");
  CHECK(diagnostics[0]["code"] == "bad");
  CHECK(diagnostics[0]["source"] == "FirstFault");
  CHECK(diagnostics[0]["codeDescription"]["href"] == "https://example.org/bad");
  CHECK(diagnostics[1]["severity"] == 3);
  CHECK(diagnostics[1]["message"] == "rank 0 waited");
  CHECK(diagnostics[1]["code"] == "wait");
  const Json& related = diagnostics[1]["relatedInformation"][0];
  CHECK(related["location"]["uri"] == kUri);
  CHECK(related["location"]["range"]["start"]["line"] == 1);
  CHECK(related["message"] == "rank 2 failed first: Bad thing");
  CHECK(diagnostics[2]["severity"] == 2);
  CHECK(diagnostics[2]["message"] == "rank 3: Bad thing\nWhat bad means.");
}

TEST_CASE("Changes are applied in UTF-16, and closing clears") {
  TestClient client;
  client.initialize(Json::object());
  client.open(kUri, "training-log", "\xF0\x9F\x94\xA5 x\r\nBAD 1\r\n");
  CHECK(client.diagnostics(kUri)[0]["range"]["start"]["line"] == 1);
  client.change(kUri, 2, Json::array({{{"range", range(0, 2, 1, 0)}, {"text", "\n\n\n"}}}));
  CHECK(client.diagnostics(kUri)[0]["range"]["start"]["line"] == 3);
  client.change(kUri, 3, Json::array({{{"text", "nothing here"}}}));
  CHECK(client.diagnostics(kUri).empty());
  client.change(kUri, 4, Json::array({{{"text", "BAD 1"}}}));
  CHECK(client.diagnostics(kUri).size() == 1);
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}});
  CHECK(client.diagnostics(kUri).empty());
}

TEST_CASE("Plain text is a log by its content, source code never is") {
  TestClient client;
  client.initialize(Json::object());
  client.open("untitled:a", "plaintext", "notes\nWAIT 0\n");
  CHECK(client.diagnostics("untitled:a").empty());
  client.open("untitled:b", "plaintext", "notes\nBAD 0\n");
  CHECK(client.diagnostics("untitled:b").size() == 1);
  client.open("untitled:c", "cpp", "BAD 0\n");
  client.request("shutdown", nullptr);
  CHECK_FALSE(client.has("textDocument/publishDiagnostics"));
}

TEST_CASE("The result for a superseded text is dropped, and its analysis is cancelled") {
  TestClient client;
  client.initialize(related_capability());
  client.open(kUri, "training-log", "SLOW\nBAD 1\n", 1);
  client.change(kUri, 2, Json::array({{{"text", "BAD 2"}}}));
  const Json message = client.next("textDocument/publishDiagnostics", kUri);
  CHECK(message["params"]["version"] == 2);
  CHECK(message["params"]["diagnostics"][0]["message"].get<std::string>().starts_with("rank 2"));
}

TEST_CASE("A client that pulls is never pushed to, and is told what did not change") {
  TestClient client;
  client.initialize({{"textDocument", {{"diagnostic", Json::object()}}}});
  client.open(kUri, "training-log", "BAD 2\n");
  const Json params = {{"textDocument", {{"uri", kUri}}}};
  const Json report = client.request("textDocument/diagnostic", params)["result"];
  CHECK(report["kind"] == "full");
  REQUIRE(report["items"].size() == 1);
  CHECK(report["items"][0]["severity"] == 1);
  Json again = params;
  again["previousResultId"] = report["resultId"];
  CHECK(client.request("textDocument/diagnostic", again)["result"]["kind"] == "unchanged");
  client.change(kUri, 2, Json::array({{{"text", "ok"}}}));
  CHECK(client.request("textDocument/diagnostic", again)["result"]["items"].empty());
  CHECK_FALSE(client.has("textDocument/publishDiagnostics"));
}

TEST_CASE("Hover explains recognised lines, in Markdown or plain as the client can show it") {
  TestClient client;
  client.initialize(related_capability());
  client.open(kUri, "training-log", "BAD 2\nplain\nWAIT 0\n");
  client.diagnostics(kUri);
  const auto hover = [&](int line) {
    return client.request("textDocument/hover", {{"textDocument", {{"uri", kUri}}},
                                                 {"position", {{"line", line}, {"character", 1}}}})["result"];
  };
  const Json first = hover(0);
  CHECK(first["contents"]["kind"] == "markdown");
  const auto text = first["contents"]["value"].get<std::string>();
  CHECK(text.starts_with("**Bad thing** (starts a failure)\n\n"));
  CHECK(text.find("rank 2 failed first") != std::string::npos);
  CHECK(text.find("Mend it") != std::string::npos);
  CHECK(text.find("*it*") == std::string::npos);  // what the texts hold is no markup
  CHECK(first["range"] == range(0, 0, 0, 5));
  CHECK(hover(1).is_null());
  CHECK(hover(2)["contents"]["value"].get<std::string>().find("follows a failure") != std::string::npos);
  CHECK(hover(99).is_null());

  TestClient plain;
  plain.initialize(Json::object());
  plain.open(kUri, "training-log", "WAIT 0\n");
  const Json answer = plain.request("textDocument/hover", {{"textDocument", {{"uri", kUri}}},
                                                           {"position", {{"line", 0}, {"character", 0}}}});
  CHECK(answer["result"]["contents"]["kind"] == "plaintext");
}

TEST_CASE("A parameter of the wrong type is refused by its path and the server lives on") {
  TestClient client;
  client.initialize(Json::object());
  const Json answer = client.request("textDocument/hover", {{"textDocument", {{"uri", 5}}}});
  CHECK(code_of(answer) == kInvalidParams);
  CHECK(answer["error"]["message"].get<std::string>().starts_with("params.textDocument.uri: "));
  CHECK(client.diagnose({{"text", "BAD 1"}}).contains("result"));
}

TEST_CASE("The server ends by itself when the client's process is gone") {
  TestClient client;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(client.request("initialize", {{"processId", child}, {"capabilities", Json::object()}})
            .contains("result"));
  CHECK(client.ends_by_itself());
}

}  // namespace
}  // namespace firstfault::lsp
