// One client's session: lifecycle, documents, and what the server knows about them. All on the server's loop;
// only analyses run elsewhere.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>  // before Boost.Asio 1.74, which forgets it
#include <vector>

#include "lsp/analysis_queue.hpp"
#include "lsp/connection.hpp"
#include "lsp/diagnostics.hpp"
#include "lsp/documents.hpp"
#include "lsp/offers.hpp"
#include "lsp/protocol.hpp"
#include "lsp/workspace.hpp"

namespace firstfault::lsp {

class Session {
 public:
  // `stop` is called when the session is over: after `exit`, or when the client's process is gone.
  Session(boost::asio::io_context* loop, std::shared_ptr<const Engine> engine,
          std::shared_ptr<Connection> connection, std::function<void()> stop);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int exit_status() const { return state_ == State::kShutDown ? 0 : 1; }

 private:
  enum class State { kStarting, kRunning, kShutDown };

  // What is known about one open document beyond its text.
  struct Knowledge {
    std::shared_ptr<const Summary> summary;    // of the whole document
    std::uint64_t generation = 0;              // of the text that `summary` is about; 0: none
    std::shared_ptr<const Summary> selection;  // of selections diagnosed since the last change
    CancellationToken running;
    std::uint64_t running_generation = 0;  // 0: nothing runs
    std::unique_ptr<boost::asio::steady_timer> debounce;
    bool shown = false;              // whether the client holds pushed diagnostics of it
    std::vector<ReplyOnce> waiting;  // pull requests for the analysis under way
  };

  // session.cpp: lifecycle and documents
  void register_handlers();
  std::optional<RpcError> gate(const std::string& method, bool is_request) const;
  void initialize(const InitializeParams& params, Call call);
  void watch_client(int process_id);
  void did_open(const DidOpenParams& params);
  void did_change(const DidChangeParams& params);
  void did_close(const DocumentParams& params);
  void did_change_folders(const FolderChangeParams& params);

  // session_analysis.cpp: diagnoses of open documents and of what the command names
  bool may_be_log(const Document& document) const;
  void schedule_analysis(const Document& document);
  void start_analysis(const Document& document);
  void finish_analysis(const std::string& uri, std::uint64_t generation, AnalysisOutcome outcome);
  void forget_analysis(Knowledge* knowledge);
  AnalyzeOptions options_for(const std::string& workspace) const;
  void execute_command(const ExecuteCommandParams& params, Call call);
  std::optional<RpcError> fill_request(const DiagnoseParams& params, AnalysisRequest* request) const;
  std::optional<RpcError> choose_workspace(const DiagnoseParams& params, AnalysisRequest* request) const;
  void learn(const DiagnoseParams& params, std::uint64_t generation, Summary summary);

  // session_features.cpp: what is shown
  Json diagnostics_of(const Document& document) const;
  UriOf known_uris() const;
  void publish(const Document& document);
  void publish(const std::string& uri, Json diagnostics, const Document* document);
  void publish_closed_files(const Summary& summary);
  void show_everywhere();
  void pull(const PullParams& params, ReplyOnce reply);
  std::string result_id(const Document& document) const;
  void answer_waiting(const std::string& uri);
  void hover(const HoverParams& params, ReplyOnce reply);
  void code_actions(const CodeActionParams& params, ReplyOnce reply);
  std::vector<OfferedEdit> offered_edits(const Document& document, const Range& range);

  boost::asio::io_context* loop_;
  std::shared_ptr<const Engine> engine_;
  std::shared_ptr<Connection> connection_;
  std::function<void()> stop_;
  State state_ = State::kStarting;
  boost::asio::steady_timer client_watch_;
  ClientCapabilities client_;
  Workspace workspace_;
  Documents documents_;
  std::map<std::string, Knowledge> knowledge_;  // by URI, for open documents
  std::set<std::string> published_closed_;      // files that are not open and have diagnostics
  Offers offers_;
  std::uint64_t offers_version_ = 0;  // counts changes of what is on offer
  AnalysisQueue queue_;               // last: its workers end before anything they report to
};

// Serves a client until it is done. `input` and `output` are descriptors; neither is closed. Returns the exit
// status.
int serve(int input, int output, std::shared_ptr<const Engine> engine);

}  // namespace firstfault::lsp
