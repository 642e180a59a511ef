// Runs analyses on worker threads and brings their results back to the server's loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>  // before Boost.Asio 1.74, which forgets it
#include <vector>

#include "lsp/connection.hpp"
#include "lsp/engine.hpp"
#include "lsp/summary.hpp"

namespace firstfault::lsp {

struct AnalysisRequest {
  std::vector<NamedText> texts;    // either texts
  std::vector<std::string> paths;  // or paths
  AnalyzeOptions options;
  bool only_logs = false;  // a text that does not look like a log is not analysed
  bool markdown = false;   // the answer holds a report in Markdown beside the diagnosis
  bool wants_answer = false;
};

struct AnalysisResult {
  Summary summary;
  Json answer;  // of firstfault.diagnose
};

struct AnalysisOutcome {
  std::optional<AnalysisResult> result;
  RpcError error;  // where there is no result
};

// submit() and the callbacks belong to the loop's thread; the destructor cancels nothing: callers cancel the
// tokens of what they submitted, then the destructor waits for the workers.
class AnalysisQueue {
 public:
  AnalysisQueue(boost::asio::io_context* loop, std::shared_ptr<const Engine> engine);
  ~AnalysisQueue();

  void submit(AnalysisRequest request, std::function<void(AnalysisOutcome)> done);

 private:
  boost::asio::io_context* loop_;
  std::shared_ptr<const Engine> engine_;
  boost::asio::thread_pool pool_;
};

}  // namespace firstfault::lsp
