// JSON-RPC 2.0 over messages: finds the handler of a method, decodes its parameters, and sees to it that each
// request gets exactly one reply. Not thread-safe: everything happens on the server's loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancellation.hpp"
#include "lsp/field.hpp"

namespace firstfault::lsp {

enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kRequestCancelled = -32800,
  kRequestFailed = -32803,
};

struct RpcError {
  int code = kInternalError;
  std::string message;
};

// Text of JSON that goes out: bytes that are no UTF-8 are replaced, never thrown about.
std::string dump(const Json& value);

class Connection;

// The right and the duty to answer one request. Moved, never copied. One that is dropped unanswered answers
// with an internal error; after a cancellation it is spent and does nothing.
class ReplyOnce {
 public:
  ReplyOnce(std::weak_ptr<Connection> connection, std::string key, std::uint64_t serial);
  ReplyOnce(ReplyOnce&& other) noexcept;
  ReplyOnce& operator=(ReplyOnce&&) = delete;
  ~ReplyOnce();

  void operator()(Json result);
  void fail(RpcError error);
  // Called just before the reply goes out, whichever it is.
  void before_reply(std::function<void()> hook);

 private:
  std::shared_ptr<Connection> take();

  std::weak_ptr<Connection> connection_;
  std::string key_;
  std::uint64_t serial_;
  bool spent_ = false;
};

// What a request handler gets beside the parameters.
struct Call {
  ReplyOnce reply;
  CancellationToken cancel;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Judges a method before it is looked up: an error refuses the request (and drops the notification).
  using Gate = std::function<std::optional<RpcError>(const std::string& method, bool is_request)>;

  explicit Connection(std::function<void(const std::string&)> send) : send_(std::move(send)) {}

  void set_gate(Gate gate) { gate_ = std::move(gate); }
  void set_idle_hook(std::function<void()> hook) { idle_hook_ = std::move(hook); }

  template <typename P>
  void on_request(const std::string& method, std::function<void(P, Call)> handler) {
    requests_[method] = [handler = std::move(handler)](const Json& params, Call call) {
      auto decoded = decode_params<P>(params);
      if (!decoded) return call.reply.fail({kInvalidParams, decoded.error().message});
      handler(std::move(*decoded), std::move(call));
    };
  }
  template <typename P>
  void on_notification(const std::string& method, std::function<void(P)> handler) {
    notifications_[method] = [method, handler = std::move(handler)](const Json& params) {
      auto decoded = decode_params<P>(params);
      if (!decoded) return log(method + ": " + decoded.error().message + "; the notification was ignored");
      handler(std::move(*decoded));
    };
  }

  void receive(const std::string& text);             // one message
  void report_parse_error(const std::string& what);  // bytes that were no message
  void notify(const std::string& method, Json params);
  void call(const std::string& method);  // a request without parameters; the client's answer is ignored

  std::size_t pending() const { return pending_.size(); }  // requests without a reply so far
  void close();                                            // cancels them and sends nothing any more

  static void log(const std::string& message);  // one line on standard error

 private:
  friend class ReplyOnce;
  struct Pending {
    Json id;
    std::uint64_t serial = 0;
    CancellationToken cancel;
    std::function<void()> before_reply;
  };

  void receive_request(const Json& message);
  void receive_notification(const Json& message);
  void run_request(const std::string& method, const Json& params, const std::string& key,
                   const Pending& pending);
  void cancel_request(const Json& params);
  void finish(const std::string& key, std::uint64_t serial, Json reply);
  void send_error(const Json& id, const RpcError& error);
  void send(Json message);

  std::function<void(const std::string&)> send_;
  Gate gate_;
  std::function<void()> idle_hook_;  // after the last pending request is answered
  std::map<std::string, std::function<void(const Json&, Call)>> requests_;
  std::map<std::string, std::function<void(const Json&)>> notifications_;
  std::map<std::string, Pending> pending_;  // by the id as JSON text
  std::uint64_t next_serial_ = 1;
  std::uint64_t next_outgoing_ = 1;
  bool closed_ = false;
};

}  // namespace firstfault::lsp
