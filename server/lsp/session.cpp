#include "lsp/session.hpp"

#include <signal.h>

#include <cerrno>
#include <chrono>

#ifndef FIRSTFAULT_VERSION
#define FIRSTFAULT_VERSION "unknown"  // the build tells it
#endif

namespace firstfault::lsp {
namespace {

constexpr auto kClientCheckInterval = std::chrono::seconds(2);

}  // namespace

Session::Session(boost::asio::io_context* loop, std::shared_ptr<const Engine> engine,
                 std::shared_ptr<Connection> connection, std::function<void()> stop)
    : loop_(loop),
      engine_(engine),
      connection_(std::move(connection)),
      stop_(std::move(stop)),
      client_watch_(*loop),
      queue_(loop, std::move(engine)) {
  register_handlers();
}

Session::~Session() {
  connection_->close();
  for (auto& [uri, knowledge] : knowledge_) forget_analysis(&knowledge);
}

void Session::register_handlers() {
  Connection& connection = *connection_;
  connection.set_gate(
      [this](const std::string& method, bool is_request) { return gate(method, is_request); });
  connection.on_request<InitializeParams>(
      "initialize", [this](InitializeParams params, Call call) { initialize(params, std::move(call)); });
  connection.on_request<NoParams>("shutdown", [this](NoParams, Call call) {
    state_ = State::kShutDown;
    call.reply(nullptr);
  });
  connection.on_notification<NoParams>("exit", [this](NoParams) { stop_(); });
  connection.on_notification<DidOpenParams>("textDocument/didOpen",
                                            [this](const DidOpenParams& params) { did_open(params); });
  connection.on_notification<DidChangeParams>("textDocument/didChange",
                                              [this](const DidChangeParams& params) { did_change(params); });
  connection.on_notification<DocumentParams>("textDocument/didClose",
                                             [this](const DocumentParams& params) { did_close(params); });
  connection.on_notification<FolderChangeParams>(
      "workspace/didChangeWorkspaceFolders",
      [this](const FolderChangeParams& params) { did_change_folders(params); });
  connection.on_request<HoverParams>("textDocument/hover", [this](const HoverParams& params, Call call) {
    hover(params, std::move(call.reply));
  });
  connection.on_request<CodeActionParams>(
      "textDocument/codeAction",
      [this](const CodeActionParams& params, Call call) { code_actions(params, std::move(call.reply)); });
  connection.on_request<PullParams>("textDocument/diagnostic", [this](const PullParams& params, Call call) {
    pull(params, std::move(call.reply));
  });
  connection.on_request<ExecuteCommandParams>(
      "workspace/executeCommand",
      [this](const ExecuteCommandParams& params, Call call) { execute_command(params, std::move(call)); });
}

std::optional<RpcError> Session::gate(const std::string& method, bool is_request) const {
  if (method == "exit") return std::nullopt;
  switch (state_) {
    case State::kStarting:
      if (is_request && method == "initialize") return std::nullopt;
      return RpcError{kServerNotInitialized, method + ": initialize must be the first request"};
    case State::kRunning:
      if (method != "initialize") return std::nullopt;
      return RpcError{kInvalidRequest, "initialize: the server is initialized already"};
    case State::kShutDown:
      return RpcError{kInvalidRequest, method + ": the server was shut down"};
  }
  return std::nullopt;
}

void Session::initialize(const InitializeParams& params, Call call) {
  client_ = params.capabilities;
  workspace_.add(params.folders);
  state_ = State::kRunning;
  if (params.process_id) watch_client(*params.process_id);
  call.reply(Json{{"capabilities", server_capabilities()},
                  {"serverInfo", {{"name", "FirstFault"}, {"version", FIRSTFAULT_VERSION}}}});
}

// A client that crashed may leave the pipe open in another process, so that no end of input comes.
void Session::watch_client(int process_id) {
  if (process_id <= 0) return;
  client_watch_.expires_after(kClientCheckInterval);
  client_watch_.async_wait([this, process_id](const boost::system::error_code& error) {
    if (error) return;
    if (kill(process_id, 0) != 0 && errno == ESRCH) {
      Connection::log("the client's process " + std::to_string(process_id) + " is gone; the server ends");
      return stop_();
    }
    watch_client(process_id);
  });
}

void Session::did_open(const DidOpenParams& params) {
  const Document& document = documents_.open(params);
  Knowledge& knowledge = knowledge_[document.uri];
  forget_analysis(&knowledge);
  knowledge.selection.reset();
  if (published_closed_.erase(document.uri) > 0) publish(document.uri, Json::array(), nullptr);
  if (may_be_log(document)) {
    start_analysis(document);
  } else {
    publish(document);
    answer_waiting(document.uri);
  }
}

void Session::did_change(const DidChangeParams& params) {
  const Document* document = documents_.change(params);
  if (document == nullptr) return Connection::log("didChange: " + params.uri + " is not open");
  Knowledge& knowledge = knowledge_[document->uri];
  forget_analysis(&knowledge);
  knowledge.selection.reset();  // its lines have moved
  if (may_be_log(*document)) {
    schedule_analysis(*document);
  } else {
    publish(*document);
  }
}

void Session::did_close(const DocumentParams& params) {
  if (documents_.find(params.uri) == nullptr) return;
  Knowledge& knowledge = knowledge_[params.uri];
  forget_analysis(&knowledge);
  for (ReplyOnce& reply : knowledge.waiting) reply(Json{{"kind", "full"}, {"items", Json::array()}});
  knowledge_.erase(params.uri);
  documents_.close(params.uri);
  if (!client_.pull_diagnostics) publish(params.uri, Json::array(), nullptr);
}

void Session::did_change_folders(const FolderChangeParams& params) {
  workspace_.remove(params.removed);
  workspace_.add(params.added);
  for (const auto& [uri, document] : documents_.all()) {
    if (may_be_log(document)) schedule_analysis(document);
  }
}

}  // namespace firstfault::lsp
