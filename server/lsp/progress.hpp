// Work-done progress of one request, in the form the client asked for. The loop's thread only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>  // before Boost.Asio 1.74, which forgets it

#include "lsp/connection.hpp"

namespace firstfault::lsp {

class WorkProgress : public std::enable_shared_from_this<WorkProgress> {
 public:
  // Sends "begin".
  static std::shared_ptr<WorkProgress> begin(std::shared_ptr<Connection> connection, Json token,
                                             const std::string& title);
  void end();  // once; later reports are dropped

  // For the worker: callable on any thread, passes a few reports per second on to the loop.
  ProgressCallback callback(boost::asio::io_context* loop);

 private:
  WorkProgress(std::shared_ptr<Connection> connection, Json token)
      : connection_(std::move(connection)), token_(std::move(token)) {}
  void report(std::uint64_t done, std::uint64_t total);
  void send(Json value);

  std::shared_ptr<Connection> connection_;
  Json token_;
  bool ended_ = false;
};

}  // namespace firstfault::lsp
