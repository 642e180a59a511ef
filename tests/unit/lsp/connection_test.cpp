#include "lsp/connection.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "lsp/protocol.hpp"

namespace firstfault::lsp {
namespace {

struct Peer {
  std::vector<Json> sent;
  std::shared_ptr<Connection> connection =
      std::make_shared<Connection>([this](const std::string& body) { sent.push_back(Json::parse(body)); });

  Json last() const { return sent.empty() ? Json() : sent.back(); }
  int last_error() const { return last().contains("error") ? last()["error"]["code"].get<int>() : 0; }
};

const char* const kHover = R"({"jsonrpc":"2.0","id":7,"method":"textDocument/hover",
  "params":{"textDocument":{"uri":"file:///a"},"position":{"line":1,"character":2}}})";

TEST_CASE("A request reaches its handler with decoded parameters and gets its id back") {
  Peer peer;
  HoverParams got;
  peer.connection->on_request<HoverParams>("textDocument/hover", [&](HoverParams params, Call call) {
    got = params;
    call.reply("done");
  });
  peer.connection->receive(kHover);
  CHECK(got.uri == "file:///a");
  CHECK(got.position == Position{1, 2});
  CHECK(peer.last() == Json::parse(R"({"jsonrpc":"2.0","id":7,"result":"done"})"));
  CHECK(peer.connection->pending() == 0);
}

TEST_CASE(
    "A message of nothing but brackets does not end the stack, and strings may hold any number of them") {
  Peer peer;
  const std::string deep = std::string(1 << 20, '[') + std::string(1 << 20, ']');
  for (const char* head : {R"({"method":"$/cancelRequest","params":{"id":)", R"({"method":"x","id":)",
                           R"({"id":1,"method":"x","params":{"context":)"}) {
    CAPTURE(head);
    peer.connection->receive(head + deep + (std::string(head).ends_with("params\":{\"id\":") ? "}}" : "}"));
    CHECK(peer.last_error() == kParseError);
  }
  peer.connection->receive(R"({"id":1,"method":"no/such","params":")" + std::string(1000, '[') +
                           R"(\"[[[["})");
  CHECK(peer.last_error() == kMethodNotFound);
}

TEST_CASE("Messages that break JSON-RPC get the code that says so, and the next one is served") {
  Peer peer;
  struct {
    const char* text;
    int code;
    Json id;
  } const cases[] = {
      {"{\"jsonrpc\":", kParseError, nullptr},
      {"\xFF\xFE", kParseError, nullptr},
      {"", kParseError, nullptr},
      {"[]", kInvalidRequest, nullptr},
      {"42", kInvalidRequest, nullptr},
      {R"({"id":1})", kInvalidRequest, 1},
      {R"({"id":{"a":1}})", kInvalidRequest, nullptr},
      {R"({"id":1,"method":5})", kInvalidRequest, 1},
      {R"({"id":[1],"method":"x"})", kInvalidRequest, nullptr},
      {R"({"id":null,"method":"x"})", kInvalidRequest, nullptr},
      {R"({"id":"a","method":"no/such"})", kMethodNotFound, "a"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.text);
    const std::size_t before = peer.sent.size();
    peer.connection->receive(each.text);
    CHECK(peer.sent.size() == before + 1);
    CHECK(peer.last_error() == each.code);
    CHECK(peer.last()["id"] == each.id);
  }
}

TEST_CASE("A parameter of the wrong type is named by its path") {
  Peer peer;
  peer.connection->on_request<HoverParams>("textDocument/hover",
                                           [](HoverParams, Call call) { call.reply(nullptr); });
  const auto error = [&](const char* params) {
    peer.connection->receive(R"({"id":1,"method":"textDocument/hover","params":)" + std::string(params) +
                             "}");
    CHECK(peer.last_error() == kInvalidParams);
    return peer.last()["error"]["message"].get<std::string>();
  };
  CHECK(error(R"({"textDocument":{"uri":"a"},"position":{"line":"1","character":0}})") ==
        "params.position.line: expected an integer, found string");
  CHECK(error(R"({"textDocument":{"uri":"a"},"position":{"line":-1,"character":0}})") ==
        "params.position.line: expected an integer that is not negative, found number");
  CHECK(error(R"({"textDocument":{"uri":"a"},"position":{"line":0,"character":18446744073709551615}})") ==
        "params.position.character: expected an integer that is not negative, found number");
  CHECK(error(R"({"position":{"line":0,"character":0}})") ==
        "params.textDocument.uri: expected a string, found nothing");
  CHECK(error("[]") == "params: expected an object, found array");
  CHECK(error("null") == "params.textDocument.uri: expected a string, found nothing");
}

TEST_CASE("Notifications are never answered, known or not") {
  Peer peer;
  int calls = 0;
  peer.connection->on_notification<DocumentParams>("textDocument/didClose", [&](DocumentParams) { ++calls; });
  peer.connection->receive(R"({"method":"$/setTrace","params":{"value":"off"}})");
  peer.connection->receive(R"({"method":"no/such"})");
  peer.connection->receive(R"({"method":"textDocument/didClose","params":{}})");
  CHECK(calls == 0);
  peer.connection->receive(R"({"method":"textDocument/didClose","params":{"textDocument":{"uri":"a"}}})");
  CHECK(calls == 1);
  CHECK(peer.sent.empty());
}

TEST_CASE("A handler that throws answers with an internal error that says what") {
  Peer peer;
  peer.connection->on_request<NoParams>("boom", [](NoParams, Call) { throw std::runtime_error("no luck"); });
  peer.connection->on_notification<NoParams>("bang", [](NoParams) { throw std::runtime_error("no luck"); });
  peer.connection->receive(R"({"id":1,"method":"boom"})");
  REQUIRE(peer.sent.size() == 1);
  CHECK(peer.last_error() == kInternalError);
  CHECK(peer.last()["error"]["message"] == "boom failed: no luck");
  peer.connection->receive(R"({"method":"bang"})");
  CHECK(peer.sent.size() == 1);
}

TEST_CASE("A request is answered once: dropped, answered twice or cancelled") {
  Peer peer;
  std::vector<Call> kept;
  peer.connection->on_request<NoParams>("drop", [](NoParams, Call) {});
  peer.connection->on_request<NoParams>("twice", [](NoParams, Call call) {
    call.reply(1);
    call.reply(2);
  });
  peer.connection->on_request<NoParams>("keep",
                                        [&](NoParams, Call call) { kept.push_back(std::move(call)); });

  peer.connection->receive(R"({"id":1,"method":"drop"})");
  CHECK(peer.last_error() == kInternalError);
  peer.connection->receive(R"({"id":2,"method":"twice"})");
  CHECK(peer.sent.size() == 2);
  CHECK(peer.last()["result"] == 1);

  peer.connection->receive(R"({"id":3,"method":"keep"})");
  peer.connection->receive(R"({"id":3,"method":"keep"})");
  CHECK(peer.last_error() == kInvalidRequest);  // the id is in use
  peer.connection->receive(R"({"method":"$/cancelRequest","params":{"id":"3"}})");
  CHECK(peer.sent.size() == 3);  // the string "3" is another id
  peer.connection->receive(R"({"method":"$/cancelRequest","params":{"id":3}})");
  CHECK(peer.last_error() == kRequestCancelled);
  CHECK(kept[0].cancel.cancelled());
  kept[0].reply("late");
  CHECK(peer.sent.size() == 4);
}

TEST_CASE("An answer that is late does not go to a new request with the same id") {
  Peer peer;
  std::vector<Call> kept;
  peer.connection->on_request<NoParams>("keep",
                                        [&](NoParams, Call call) { kept.push_back(std::move(call)); });
  peer.connection->receive(R"({"id":3,"method":"keep"})");
  peer.connection->receive(R"({"method":"$/cancelRequest","params":{"id":3}})");
  peer.connection->receive(R"({"id":3,"method":"keep"})");
  kept[0].reply("old");
  CHECK(peer.sent.size() == 1);
  kept[1].reply("new");
  CHECK(peer.last()["result"] == "new");
}

TEST_CASE("Half surrogate pairs, which editors send, become one replacement character each") {
  Peer peer;
  std::string text;
  peer.connection->on_notification<DidOpenParams>("textDocument/didOpen",
                                                  [&](DidOpenParams params) { text = params.text; });
  peer.connection->receive(R"({"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a",
    "languageId":"log","version":1,"text":"\ud800x \\ud800 \ud83d\udd25\udd25"}}})");
  CHECK(text == "\xEF\xBF\xBDx \\ud800 \xF0\x9F\x94\xA5\xEF\xBF\xBD");
}

TEST_CASE("Bytes that are no UTF-8 are replaced in what goes out") {
  Peer peer;
  peer.connection->on_request<NoParams>("bytes", [](NoParams, Call call) {
    call.reply(
        "a\xFF"
        "b");
  });
  peer.connection->receive(R"({"id":1,"method":"bytes"})");
  CHECK(peer.last()["result"] ==
        "a\xEF\xBF\xBD"
        "b");
}

TEST_CASE("The gate refuses requests with its error and drops notifications") {
  Peer peer;
  bool called = false;
  peer.connection->on_notification<NoParams>("note", [&](NoParams) { called = true; });
  peer.connection->set_gate([](const std::string&, bool) {
    return RpcError{kServerNotInitialized, "not yet"};
  });
  peer.connection->receive(R"({"id":1,"method":"no/such"})");
  CHECK(peer.last_error() == kServerNotInitialized);
  peer.connection->receive(R"({"method":"note"})");
  CHECK_FALSE(called);
  CHECK(peer.sent.size() == 1);
}

}  // namespace
}  // namespace firstfault::lsp
