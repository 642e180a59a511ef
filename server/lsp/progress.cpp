#include "lsp/progress.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>

namespace firstfault::lsp {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(150);

std::string megabytes(std::uint64_t bytes) { return std::to_string((bytes + 500'000) / 1'000'000); }

}  // namespace

std::shared_ptr<WorkProgress> WorkProgress::begin(std::shared_ptr<Connection> connection, Json token,
                                                  const std::string& title) {
  std::shared_ptr<WorkProgress> progress(new WorkProgress(std::move(connection), std::move(token)));
  progress->send({{"kind", "begin"}, {"title", title}, {"cancellable", true}, {"percentage", 0}});
  return progress;
}

void WorkProgress::end() {
  if (!ended_) send({{"kind", "end"}});
  ended_ = true;
}

ProgressCallback WorkProgress::callback(boost::asio::io_context* loop) {
  const auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  return [self = shared_from_this(), last, loop](std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (now - *last < kInterval) return;
    *last = now;
    boost::asio::post(*loop, [self, done, total] { self->report(done, total); });
  };
}

void WorkProgress::report(std::uint64_t done, std::uint64_t total) {
  if (ended_) return;
  Json value = {{"kind", "report"}, {"message", megabytes(done) + " MB read"}};
  if (total > 0) {
    value["message"] = megabytes(done) + " of " + megabytes(total) + " MB read";
    value["percentage"] = std::min<std::uint64_t>(100, done * 100 / total);
  }
  send(std::move(value));
}

void WorkProgress::send(Json value) {
  connection_->notify("$/progress", {{"token", token_}, {"value", std::move(value)}});
}

}  // namespace firstfault::lsp
