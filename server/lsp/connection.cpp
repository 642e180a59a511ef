#include "lsp/connection.hpp"

#include <exception>
#include <iostream>

namespace firstfault::lsp {
namespace {

Json error_body(const RpcError& error) { return {{"code", error.code}, {"message", error.message}}; }

const Json& member(const Json& message, const char* key) {
  static const Json kNull;
  const auto found = message.find(key);
  return found == message.end() ? kNull : *found;
}

// The value of \uXXXX at `at`, -1 if there is none.
int escape_at(const std::string& text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(text[i] | 0x20));
    if (digit == std::string_view::npos) return -1;
    value = value * 16 + static_cast<int>(digit);
  }
  return value;
}

// JavaScript writes half surrogate pairs, which documents may hold, as escapes that are no valid JSON text.
// Each becomes U+FFFD, which is as long in UTF-16, so positions stay right.
std::string repair_surrogates(std::string text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    const int value = escape_at(text, i);
    if (value < 0xD800 || value > 0xDFFF) {
      ++i;  // the escaped character may be a backslash
      continue;
    }
    const int next = escape_at(text, i + 6);
    if (value < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF) {
      i += 11;
    } else {
      text.replace(i, 6, "\\uFFFD");
      i += 5;
    }
  }
  return text;
}

// How deep the values of a message may nest. Copying, comparing and writing a Json call themselves at each
// level, so that a message of nothing but brackets would end the stack; LSP's own messages have some ten
// levels.
constexpr int kMaxDepth = 256;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

Json parse(const std::string& text) {
  Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded() && text.find("\\u") != std::string::npos) {
    message = Json::parse(repair_surrogates(text), nullptr, false);
  }
  return message;
}

}  // namespace

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

ReplyOnce::ReplyOnce(std::weak_ptr<Connection> connection, std::string key, std::uint64_t serial)
    : connection_(std::move(connection)), key_(std::move(key)), serial_(serial) {}

ReplyOnce::ReplyOnce(ReplyOnce&& other) noexcept
    : connection_(std::move(other.connection_)),
      key_(std::move(other.key_)),
      serial_(other.serial_),
      spent_(std::exchange(other.spent_, true)) {}

ReplyOnce::~ReplyOnce() {
  // While an exception unwinds, the dispatcher that catches it answers with what it says.
  if (spent_ || std::uncaught_exceptions() > 0) return;
  fail({kInternalError, "the request was dropped without an answer; this is a defect of FirstFault"});
}

std::shared_ptr<Connection> ReplyOnce::take() {
  if (std::exchange(spent_, true)) {
    Connection::log("a request was answered twice; the second answer was dropped");
    return nullptr;
  }
  return connection_.lock();
}

void ReplyOnce::operator()(Json result) {
  if (const auto connection = take()) connection->finish(key_, serial_, Json{{"result", std::move(result)}});
}

void ReplyOnce::fail(RpcError error) {
  if (const auto connection = take()) connection->finish(key_, serial_, Json{{"error", error_body(error)}});
}

void ReplyOnce::before_reply(std::function<void()> hook) {
  const auto connection = connection_.lock();
  if (!connection || spent_) return;
  const auto found = connection->pending_.find(key_);
  if (found != connection->pending_.end() && found->second.serial == serial_) {
    found->second.before_reply = std::move(hook);
  }
}

void Connection::log(const std::string& message) { std::cerr << "firstfault lsp: " << message << std::endl; }

void Connection::receive(const std::string& text) {
  if (is_too_deep(text)) {
    return report_parse_error("the message nests deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  const Json message = parse(text);
  if (message.is_discarded()) return report_parse_error("the message is no valid JSON");
  if (!message.is_object()) {
    const char* what = message.is_array() ? "batches are not part of LSP" : "the message is no JSON object";
    return send_error(nullptr, {kInvalidRequest, what});
  }
  const Json& method = member(message, "method");
  const bool has_id = message.contains("id");
  if (method.is_string()) return has_id ? receive_request(message) : receive_notification(message);
  if (has_id && (message.contains("result") || message.contains("error"))) return;  // an answer to call()
  send_error(member(message, "id").is_structured() ? Json() : member(message, "id"),
             {kInvalidRequest, "the message has no method, which must be a string"});
}

void Connection::report_parse_error(const std::string& what) {
  log("input skipped: " + what);
  send_error(nullptr, {kParseError, what});
}

void Connection::receive_request(const Json& message) {
  const Json& id = member(message, "id");
  const auto method = member(message, "method").get<std::string>();
  if (!id.is_number() && !id.is_string()) {
    return send_error(nullptr, {kInvalidRequest, method + ": the id must be a number or a string"});
  }
  const std::string key = dump(id);
  if (pending_.contains(key)) {
    return send_error(id, {kInvalidRequest, method + ": a request with the id " + key + " is still running"});
  }
  const Pending pending{id, next_serial_++, {}, {}};
  pending_[key] = pending;
  run_request(method, member(message, "params"), key, pending);
}

void Connection::run_request(const std::string& method, const Json& params, const std::string& key,
                             const Pending& pending) {
  Call call{ReplyOnce(weak_from_this(), key, pending.serial), pending.cancel};
  if (gate_) {
    if (auto refused = gate_(method, true)) return call.reply.fail(std::move(*refused));
  }
  const auto handler = requests_.find(method);
  if (handler == requests_.end()) {
    return call.reply.fail({kMethodNotFound, method + ": this server has no such method"});
  }
  try {
    handler->second(params, std::move(call));
  } catch (const std::exception& problem) {
    log(method + " failed: " + problem.what());
    finish(key, pending.serial,
           Json{{"error", error_body({kInternalError, method + " failed: " + problem.what()})}});
  }
}

void Connection::receive_notification(const Json& message) {
  const auto method = member(message, "method").get<std::string>();
  const Json& params = member(message, "params");
  if (method == "$/cancelRequest") return cancel_request(params);
  if (gate_ && gate_(method, false)) return;
  const auto handler = notifications_.find(method);
  if (handler == notifications_.end()) return;
  try {
    handler->second(params);
  } catch (const std::exception& problem) {
    log(method + " failed: " + problem.what());
  }
}

void Connection::cancel_request(const Json& params) {
  if (!params.is_object()) return;
  const auto found = pending_.find(dump(member(params, "id")));
  if (found == pending_.end()) return;  // answered already
  found->second.cancel.cancel();
  finish(found->first, found->second.serial,
         Json{{"error", error_body({kRequestCancelled, "the request was cancelled"})}});
}

void Connection::finish(const std::string& key, std::uint64_t serial, Json reply) {
  const auto found = pending_.find(key);
  if (found == pending_.end() || found->second.serial != serial) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (pending.before_reply) pending.before_reply();
  reply["id"] = pending.id;
  send(std::move(reply));
  if (pending_.empty() && idle_hook_) idle_hook_();
}

void Connection::send_error(const Json& id, const RpcError& error) {
  send(Json{{"id", id}, {"error", error_body(error)}});
}

void Connection::notify(const std::string& method, Json params) {
  send(Json{{"method", method}, {"params", std::move(params)}});
}

void Connection::call(const std::string& method) {
  send(Json{{"id", "firstfault-" + std::to_string(next_outgoing_++)}, {"method", method}});
}

void Connection::send(Json message) {
  if (closed_) return;
  message["jsonrpc"] = "2.0";
  send_(dump(message));
}

void Connection::close() {
  closed_ = true;
  for (const auto& [key, pending] : pending_) pending.cancel.cancel();
  pending_.clear();
  idle_hook_ = nullptr;
}

}  // namespace firstfault::lsp
