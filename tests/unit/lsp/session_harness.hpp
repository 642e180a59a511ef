// A whole language server on a thread of its own, talked to over pipes, with a stand-in for the analysis.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lsp/engine.hpp"
#include "lsp/field.hpp"
#include "lsp/framing.hpp"
#include "lsp/session.hpp"
#include "lsp/transport.hpp"

namespace firstfault::lsp {

// Knows four kinds of lines: "BAD 2" (rank 2 starts a failure), "EPS 2" (so does this, and its fix edits
// train.py), "WAIT 0" (rank 0 follows) and "FACT". A text with "SLOW" is analysed until the call is
// cancelled; "THROW" throws.
class StubEngine : public Engine {
 public:
  StubEngine() {
    add("bad", "Bad thing", Role::kCause);
    add("eps", "eps rounds to 0", Role::kCause);
    add("wait", "Waiting for a rank", Role::kConsequence);
    add("fact", "A fact", Role::kContext);
    EditRecipe recipe;
    recipe.recipe = "python-keyword-argument";
    recipe.title = "Set eps=1e-5";
    recipe.applicability = "review";
    recipe.preferred = true;
    recipe.callables = {"torch.optim.Adam"};
    recipe.keyword = "eps";
    recipe.value = "1e-5";
    signatures_[1].edits.push_back(recipe);
    signatures_[0].references = {"https://example.org/bad"};
  }

  Result<Analysis> analyze_paths(const std::vector<std::string>& paths,
                                 const AnalyzeOptions& options) const override {
    std::ifstream stream(paths.at(0));
    if (!stream) return Error{paths[0] + ": no such file"};
    return analyze_text({{paths[0], {std::istreambuf_iterator<char>(stream), {}}, 1}}, options);
  }

  Result<Analysis> analyze_text(const std::vector<NamedText>& texts,
                                const AnalyzeOptions& options) const override {
    const NamedText& text = texts.at(0);
    if (text.text.find("THROW") != std::string::npos) throw std::runtime_error("thrown by the engine");
    if (text.text.find("SLOW") != std::string::npos) {
      for (std::uint64_t done = 1; !options.cancel.cancelled(); ++done) {
        if (options.progress) options.progress(done * 1'000'000, 1'000'000'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      return Error{"cancelled"};
    }
    Analysis analysis;
    analysis.diagnosis.sources.push_back({text.path, text.text.size(), 0});
    analysis.log.sources.emplace_back().path = text.path;
    const TextBuffer lines(text.text);
    for (int line = 0; line < static_cast<int>(lines.line_count()); ++line) {
      add_line(text, text.first_line + static_cast<std::uint64_t>(line), lines.line(line), options,
               &analysis);
    }
    return analysis;
  }

  const Signature* explain_line(std::string_view line) const override {
    const int index = recognise(line);
    return index < 0 ? nullptr : &signatures_[static_cast<std::size_t>(index)];
  }

  bool looks_like_log(std::string_view head) const override {
    return head.find("BAD ") != std::string_view::npos || head.find("SLOW") != std::string_view::npos;
  }

  const std::vector<Signature>& signatures() const override { return signatures_; }

 private:
  void add(const char* id, const char* title, Role role) {
    Signature& signature = signatures_.emplace_back();
    signature.id = id;
    signature.title = title;
    signature.role = role;
    signature.explain.what = std::string("What ") + id + " means.";
    signature.explain.mechanism = "How *it* comes about.";
  }

  static int recognise(std::string_view line) {
    constexpr std::string_view kWords[] = {"BAD ", "EPS ", "WAIT ", "FACT"};
    for (int index = 0; index < 4; ++index) {
      if (line.starts_with(kWords[index])) return index;
    }
    return -1;
  }

  void add_line(const NamedText& text, std::uint64_t number, std::string_view line,
                const AnalyzeOptions& options, Analysis* analysis) const {
    const int index = recognise(line);
    if (index < 0) return;
    Event& event = analysis->log.events.emplace_back();
    event.signature = index;
    event.source = 0;
    event.line = event.end_line = event.order = number;
    if (index == 3) return;
    event.context.rank = line.back() - '0';
    auto& incidents = analysis->diagnosis.incidents;
    if (index == 2) {
      if (incidents.empty()) return;
      incidents[0].collateral.push_back({*event.context.rank, text.path, number,
                                         "rank " + std::to_string(*event.context.rank) + " waited"});
    } else if (incidents.empty()) {
      incidents.push_back(incident(index, event, text, options));
    }
  }

  IncidentReport incident(int index, const Event& event, const NamedText& text,
                          const AnalyzeOptions& options) const {
    const Signature& signature = signatures_[static_cast<std::size_t>(index)];
    IncidentReport incident;
    incident.primary = true;
    incident.cause.id = "test/cause";
    incident.cause.signature = signature.id;
    incident.cause.title = signature.title;
    incident.cause.what = signature.explain.what;
    const std::string rank = std::to_string(*event.context.rank);
    incident.cause.summary = "rank " + rank + " failed first: " + signature.title;
    incident.initiator = InitiatorReport{"rank", std::vector<int>{*event.context.rank}, {}, {}, {}, {}, ""};
    incident.evidence.push_back(
        {text.path, event.line, event.end_line, "", "cause", event.context.rank, "why"});
    incident.fix.summary = "Mend it.";
    incident.references = signature.references;
    if (index == 1 && !options.workspace.empty()) {
      EditReport& edit = incident.fix.edits.emplace_back();
      edit.title = "Set eps=1e-5 (train.py:3)";
      edit.changes.push_back({"train.py", {2, 0}, {2, 0}, "stale"});
    }
    return incident;
  }

  std::vector<Signature> signatures_;
};

class TestClient {
 public:
  TestClient() {
    std::signal(SIGPIPE, SIG_IGN);
    int in[2];
    int out[2];
    REQUIRE(pipe(in) == 0);
    REQUIRE(pipe(out) == 0);
    server_input_ = in[0];
    to_server_ = in[1];
    from_server_ = out[0];
    server_output_ = out[1];
    reader_ = std::make_unique<InputReader>(
        from_server_, [this](const std::string& bytes) { receive(bytes); }, [] {});
    server_ = std::thread([this] {
      const int status = serve(server_input_, server_output_, std::make_shared<StubEngine>());
      const std::lock_guard lock(mutex_);
      status_ = status;
      arrived_.notify_all();
    });
  }

  ~TestClient() {
    exit_status();
    reader_.reset();
    for (const int descriptor : {server_input_, from_server_, server_output_}) ::close(descriptor);
  }

  void send_bytes(std::string_view bytes) { REQUIRE(::write(to_server_, bytes.data(), bytes.size()) > 0); }
  void notify(const std::string& method, const Json& params) {
    send_bytes(frame_message(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump()));
  }
  int send_request(const std::string& method, const Json& params) {
    const int id = next_id_++;
    send_bytes(
        frame_message(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump()));
    return id;
  }

  // The response to a request. Like next(), it fails the test if nothing comes for ten seconds.
  Json response(const Json& id) {
    return take([&](const Json& message) { return !message.contains("method") && message["id"] == id; });
  }
  Json request(const std::string& method, const Json& params) {
    return response(send_request(method, params));
  }
  // The first message of a method (about a document) that was not taken before.
  Json next(const std::string& method, const std::string& uri = "") {
    return take([&](const Json& message) {
      return message.value("method", "") == method && (uri.empty() || message["params"]["uri"] == uri);
    });
  }
  Json diagnostics(const std::string& uri) {
    return next("textDocument/publishDiagnostics", uri)["params"]["diagnostics"];
  }
  // Whether such a message has arrived and was not taken.
  bool has(const std::string& method) {
    const std::lock_guard lock(mutex_);
    for (const Json& message : messages_) {
      if (message.value("method", "") == method) return true;
    }
    return false;
  }

  Json initialize(const Json& capabilities, const std::string& folder = "") {
    Json params = {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", capabilities}};
    if (!folder.empty()) params["workspaceFolders"] = {{{"uri", "file://" + folder}, {"name", "w"}}};
    const Json answer = request("initialize", params);
    notify("initialized", Json::object());
    return answer;
  }
  void open(const std::string& uri, const std::string& language, const std::string& text, int version = 1) {
    notify(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", uri}, {"languageId", language}, {"version", version}, {"text", text}}}});
  }
  void change(const std::string& uri, int version, const Json& changes) {
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri}, {"version", version}}}, {"contentChanges", changes}});
  }
  Json diagnose(const Json& argument) {
    return request("workspace/executeCommand",
                   {{"command", "firstfault.diagnose"}, {"arguments", Json::array({argument})}});
  }

  // Whether the server ends within ten seconds although its input goes on.
  bool ends_by_itself() {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, std::chrono::seconds(10), [this] { return status_ >= 0; });
  }
  // Ends the input and waits for the server's end.
  int exit_status() {
    if (to_server_ >= 0) {
      ::close(std::exchange(to_server_, -1));
      server_.join();
    }
    return status_;
  }

 private:
  template <typename Wanted>
  Json take(Wanted wanted) {
    std::unique_lock lock(mutex_);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (true) {
      for (auto message = messages_.begin(); message != messages_.end(); ++message) {
        if (!wanted(*message)) continue;
        Json found = std::move(*message);
        messages_.erase(message);
        return found;
      }
      const bool timed_out = arrived_.wait_until(lock, limit) == std::cv_status::timeout;
      if (timed_out) FAIL("the server did not answer within ten seconds");
    }
  }

  void receive(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    framer_.feed(bytes, [this](const Frame& frame) { messages_.push_back(Json::parse(frame.body)); });
    arrived_.notify_all();
  }

  int to_server_ = -1;
  int from_server_ = -1;
  int server_input_ = -1;
  int server_output_ = -1;
  int next_id_ = 1;
  int status_ = -1;
  Framer framer_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Json> messages_;
  std::unique_ptr<InputReader> reader_;
  std::thread server_;
};

// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "firstfault-lsp-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  const std::string& path() const { return path_; }
  std::string uri(const std::string& name) const { return "file://" + path_ + "/" + name; }

 private:
  std::string path_;
};

inline Json range(int line, int character, int end_line, int end_character) {
  return {{"start", {{"line", line}, {"character", character}}},
          {"end", {{"line", end_line}, {"character", end_character}}}};
}

inline Json related_capability() {
  return {{"textDocument",
           {{"publishDiagnostics",
             {{"relatedInformation", true}, {"versionSupport", true}, {"codeDescriptionSupport", true}}},
            {"hover", {{"contentFormat", {"markdown", "plaintext"}}}},
            {"codeAction",
             {{"codeActionLiteralSupport", {{"codeActionKind", {{"valueSet", {"quickfix"}}}}}},
              {"isPreferredSupport", true}}}}},
          {"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}};
}

}  // namespace firstfault::lsp
