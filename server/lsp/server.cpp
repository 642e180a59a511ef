#include "lsp/server.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>  // before Boost.Asio 1.74, which forgets it

#include "lsp/framing.hpp"
#include "lsp/session.hpp"
#include "lsp/transport.hpp"

namespace firstfault {
namespace lsp {
namespace {

// How long requests that are under way may take to finish once the client has said goodbye: input may be a
// file, whose end comes before the answers.
constexpr auto kFarewell = std::chrono::seconds(2);

// Ties the parts together and runs the loop.
class Service {
 public:
  Service(int output, std::shared_ptr<const Engine> engine)
      : output_(output),
        guard_(boost::asio::make_work_guard(loop_)),
        farewell_(loop_),
        connection_(std::make_shared<Connection>([this](const std::string& body) {
          if (!output_.write(body)) loop_.stop();
        })),
        session_(&loop_, std::move(engine), connection_, [this] { end(); }) {}

  int run(int input) {
    InputReader reader(
        input, [this](std::string bytes) { post_input(std::move(bytes)); },
        [this] { boost::asio::post(loop_, [this] { end(); }); });
    while (!loop_.stopped()) {
      try {
        loop_.run();
      } catch (const std::exception& problem) {
        Connection::log(std::string("a task failed: ") + problem.what());
      }
    }
    return session_.exit_status();
  }

 private:
  void post_input(std::string bytes) {
    boost::asio::post(loop_, [this, bytes = std::move(bytes)] {
      framer_.feed(bytes, [this](const Frame& frame) {
        if (ending_) return;
        if (frame.error.empty()) {
          connection_->receive(frame.body);
        } else {
          connection_->report_parse_error(frame.error);
        }
      });
    });
  }

  void end() {
    if (std::exchange(ending_, true)) return;
    if (connection_->pending() == 0) return loop_.stop();
    connection_->set_idle_hook([this] { loop_.stop(); });
    farewell_.expires_after(kFarewell);
    farewell_.async_wait([this](const boost::system::error_code&) { loop_.stop(); });
  }

  boost::asio::io_context loop_;
  Output output_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  boost::asio::steady_timer farewell_;
  Framer framer_;
  bool ending_ = false;
  std::shared_ptr<Connection> connection_;
  Session session_;
};

// Takes a standard descriptor for the protocol alone and puts another in its place, so that nothing else in
// the process can read or write in between.
int take_over(int descriptor, int replacement) {
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (own >= 0 && replacement >= 0) dup2(replacement, descriptor);
  return own >= 0 ? own : descriptor;
}

}  // namespace

int serve(int input, int output, std::shared_ptr<const Engine> engine) {
  return Service(output, std::move(engine)).run(input);
}

}  // namespace lsp

int serve_stdio(std::shared_ptr<const Analyzer> analyzer) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int input = lsp::take_over(STDIN_FILENO, nothing);
  const int output = lsp::take_over(STDOUT_FILENO, STDERR_FILENO);
  if (nothing >= 0) close(nothing);
  return lsp::serve(input, output, lsp::make_engine(std::move(analyzer)));
}

}  // namespace firstfault
