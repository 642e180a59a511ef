#include "lsp/analysis_queue.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>

#include "report/report.hpp"

namespace firstfault::lsp {
namespace {

constexpr std::size_t kWorkers = 2;  // a command need not wait for the diagnosis of an open document
constexpr std::size_t kSampleBytes = 512 * 1024;

// A failure stands at the end of a log more often than at its head.
bool looks_like_log(const Engine& engine, const std::string& text) {
  const std::string_view view = text;
  if (engine.looks_like_log(view.substr(0, kSampleBytes))) return true;
  const std::size_t rest = view.size() - std::min(view.size(), kSampleBytes);
  return rest > 0 && engine.looks_like_log(view.substr(view.size() - std::min(rest, kSampleBytes)));
}

std::string summary_line(const Diagnosis& diagnosis) {
  if (diagnosis.incidents.empty()) return "no failure found";
  const auto primary = std::find_if(diagnosis.incidents.begin(), diagnosis.incidents.end(),
                                    [](const IncidentReport& incident) { return incident.primary; });
  const auto& incident = primary == diagnosis.incidents.end() ? diagnosis.incidents.front() : *primary;
  return plain_line(incident.cause.summary);
}

Json answer_of(const Diagnosis& diagnosis, bool markdown) {
  Json json = to_json(diagnosis);
  if (!markdown) return json;
  return {{"markdown", render(diagnosis, Format::kMarkdown)},
          {"summary", summary_line(diagnosis)},
          {"diagnosis", std::move(json)}};
}

AnalysisOutcome run(const Engine& engine, const AnalysisRequest& request) {
  AnalysisResult result;
  if (request.only_logs &&
      !std::any_of(request.texts.begin(), request.texts.end(),
                   [&](const NamedText& text) { return looks_like_log(engine, text.text); })) {
    return {std::move(result), {}};
  }
  const auto analysis = request.paths.empty() ? engine.analyze_text(request.texts, request.options)
                                              : engine.analyze_paths(request.paths, request.options);
  if (request.options.cancel.cancelled()) return {std::nullopt, {kRequestCancelled, "cancelled"}};
  if (!analysis) return {std::nullopt, {kRequestFailed, plain_line(analysis.error().message)}};
  result.summary = summarise(*analysis, engine, request.options.workspace);
  if (request.wants_answer) result.answer = answer_of(analysis->diagnosis, request.markdown);
  return {std::move(result), {}};
}

}  // namespace

AnalysisQueue::AnalysisQueue(boost::asio::io_context* loop, std::shared_ptr<const Engine> engine)
    : loop_(loop), engine_(std::move(engine)), pool_(kWorkers) {}

AnalysisQueue::~AnalysisQueue() {
  pool_.stop();
  pool_.join();
}

void AnalysisQueue::submit(AnalysisRequest request, std::function<void(AnalysisOutcome)> done) {
  // Shared, because Asio's handlers are copied and `done` may own what cannot be.
  auto task = std::make_shared<std::pair<AnalysisRequest, std::function<void(AnalysisOutcome)>>>(
      std::move(request), std::move(done));
  boost::asio::post(pool_, [this, task] {
    AnalysisOutcome outcome;
    try {
      if (!task->first.options.cancel.cancelled()) outcome = run(*engine_, task->first);
    } catch (const std::exception& problem) {
      outcome.error = {kInternalError, std::string("the analysis failed: ") + problem.what()};
    }
    auto shared = std::make_shared<AnalysisOutcome>(std::move(outcome));
    boost::asio::post(*loop_, [task, shared] { task->second(std::move(*shared)); });
  });
}

}  // namespace firstfault::lsp
