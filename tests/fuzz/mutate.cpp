#include "mutate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace firstfault::fuzz {
namespace {

constexpr std::size_t kMaxPiece = 24 * 1024;

using namespace std::string_literals;

// What a report, a terminal, a shell, a template or a parser might take for more than text.
const std::vector<std::string>& hostile_words() {
  static const std::vector<std::string> words = {
      "\x1b[31m",
      "\x1b]8;;http://x\x07",
      "\x1b]0;title",
      "\xe2\x80\xae",
      "\xe2\x81\xa6",
      "\xef\xbb\xbf",
      "\xff\xfe",
      "\xc0\x80",
      "\xed\xa0\x80",
      "\xf0\x9f\x94\xa5",
      "\0"s,
      "\r",
      "\n",
      "\t",
      "\x08",
      "\x7f",
      "\xc2\x9b"
      "31m",
      "{rank}",
      "{{",
      "}",
      "{",
      "%s%n",
      "<script>alert(1)</script>",
      "<img src=x onerror=y>",
      "-->",
      "![a](http://x/y)",
      "[a](command:x)",
      "```",
      "`",
      "|",
      "$(reboot)",
      "; rm -rf ~",
      "'",
      "\"",
      "\\",
      "\\u0000",
      "&lt;",
      "Traceback (most recent call last):",
      "During handling of the above exception, another exception occurred:",
      "  File \"/a/b.py\", line 3, in f",
      "  + Exception Group Traceback (most recent call last):",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
      "RuntimeError: CUDA error: device-side assert triggered",
      "[rank3]: ",
      "[default2]:",
      "[Rank 1] ",
      "3: ",
      "[1,3]<stderr>:",
      "node7:123:456 [2] NCCL WARN ",
      "(RayTrainWorker pid=7, ip=10.0.0.1) ",
      "Failures:",
      "Root Cause (first observed failure):",
      "[0]:",
      "  rank      : 3 (local_rank: 3)",
      "  exitcode  : -9 (pid: 77)",
      "  host      : node7",
      "============",
      "host : h rank : 1 (local_rank: 1) exitcode : -11 (pid: 5)",
      "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=8, "
      "NumelOut=8, "
      "Timeout(ms)=600000) ran for 600001 milliseconds before timing out.",
      "last enqueued work: 8, last completed work: 7",
      "NVRM: Xid (PCI:0000:8a:00): 79, pid=77, GPU has fallen off the bus.",
      "Out of memory: Killed process 77 (python)",
      "ranks 0-65535",
      "world_size=16",
      "loss nan",
      "step 10 loss 1.5",
      "2024-02-30T25:61:61.999999999Z ",
      "Jan 31 12:00:00 ",
      "[12345.678901] ",
  };
  return words;
}

}  // namespace

Mutator::Mutator(std::uint64_t seed, const std::vector<std::string>& corpus)
    : random_(seed), corpus_(corpus) {}

std::size_t Mutator::below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

std::string Mutator::word() { return hostile_words()[below(hostile_words().size())]; }

std::string Mutator::number() {
  static constexpr std::array<const char*, 14> kNumbers = {"0",
                                                           "-1",
                                                           "1",
                                                           "7",
                                                           "255",
                                                           "65536",
                                                           "1048576",
                                                           "1048577",
                                                           "2147483647",
                                                           "-2147483648",
                                                           "4294967295",
                                                           "9999999999",
                                                           "9223372036854775807",
                                                           "-9223372036854775808"};
  return chance(70) ? kNumbers[below(kNumbers.size())] : std::to_string(below(20));
}

std::string Mutator::invented_line() {
  std::string line;
  for (std::size_t words = 1 + below(4); words > 0; --words) line += word() + (chance(50) ? number() : " ");
  return line + (chance(90) ? "\n" : "");
}

std::string Mutator::begin_log() {
  if (corpus_.empty() || chance(20)) {
    std::string text;
    for (std::size_t lines = below(60); lines > 0; --lines) text += invented_line();
    return text;
  }
  const std::string& whole = corpus_[below(corpus_.size())];
  if (whole.size() <= kMaxPiece) return whole;
  return whole.substr(below(whole.size() - kMaxPiece), kMaxPiece);
}

void Mutator::mutate_once(std::string* text) {
  const std::size_t at = below(text->size() + 1);
  const std::size_t line =
      text->find('\n', at) == std::string::npos ? text->size() : text->find('\n', at) + 1;
  switch (below(8)) {
    case 0:
      text->insert(at, word());
      break;
    case 1:
      text->insert(line, invented_line());
      break;
    case 2:
      text->erase(at, below(chance(80) ? 20 : 2000));
      break;
    case 3:  // bytes
      for (std::size_t i = at; i < std::min(text->size(), at + 4); ++i)
        (*text)[i] = static_cast<char>(random_());
      break;
    case 4: {  // a number becomes another one
      const std::size_t from = text->find_first_of("0123456789", at);
      if (from == std::string::npos) break;
      const std::size_t to = std::min(text->find_first_not_of("0123456789", from), text->size());
      text->replace(from, to - from, number());
      break;
    }
    case 5: {  // a block of lines, again or elsewhere
      const std::string block = text->substr(line, below(1500));
      for (std::size_t times = 1 + below(chance(90) ? 2 : 40); times > 0; --times) {
        text->insert(std::min(below(text->size() + 1), text->size()), block);
      }
      break;
    }
    case 6:
      text->resize(at);  // cut off
      break;
    default:
      if (!corpus_.empty()) {
        const std::string& other = corpus_[below(corpus_.size())];
        text->insert(line, other.substr(below(other.size()), below(3000)));
      }
  }
}

void Mutator::mutate(std::string* text) {
  for (std::size_t times = below(12); times > 0; --times) mutate_once(text);
}

std::string Mutator::log() {
  std::string text = begin_log();
  mutate(&text);
  if (text.size() > 8 * kMaxPiece) text.resize(8 * kMaxPiece);
  return text;
}

std::string Mutator::quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Any JSON, mostly of the wrong type.
std::string Mutator::value() {
  switch (below(9)) {
    case 0:
      return "null";
    case 1:
      return "true";
    case 2:
      return number();
    case 3:
      return "1e999";
    case 4:
      return quoted(word());
    case 5:
      return "[" + value() + "]";
    case 6:
      return "{\"a\":" + value() + "}";
    case 7:
      return std::string(1 + below(600), '[');
    default:
      return "\"\\ud800\"";
  }
}

std::string Mutator::position() {
  const auto coordinate = [this] {
    return chance(3) ? value() : chance(20) ? number() : std::to_string(below(40));
  };
  return "{\"line\":" + coordinate() + ",\"character\":" + coordinate() + "}";
}

std::string Mutator::message() {
  static constexpr std::array<const char*, 3> kUris = {"file:///w/a.log", "file:///w/train.py", "untitled:x"};
  static constexpr std::array<const char*, 4> kLanguages = {"training-log", "python", "plaintext", "x"};
  const std::string uri = chance(5) ? value() : quoted(kUris[below(kUris.size())]);
  const std::string document =
      "{\"uri\":" + uri + ",\"version\":" + (chance(5) ? value() : std::to_string(below(9)));
  const std::string range = "{\"start\":" + position() + ",\"end\":" + position() + "}";
  std::string text = log();
  text.resize(std::min<std::size_t>(text.size(), chance(80) ? 600 : 20000));
  const std::string id = chance(5) ? value() : std::to_string(next_id_++);
  const auto request = [&](const std::string& method, const std::string& params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
  };
  const auto notice = [](const std::string& method, const std::string& params) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}";
  };
  const std::string at = "{\"textDocument\":" + document + "},\"range\":" + range +
                         ",\"position\":" + position() +
                         ",\"context\":{\"diagnostics\":" + (chance(50) ? "[]" : value()) + "}}";
  switch (below(11)) {
    case 0:
      return notice("textDocument/didOpen", "{\"textDocument\":" + document + ",\"languageId\":\"" +
                                                kLanguages[below(kLanguages.size())] +
                                                "\",\"text\":" + (chance(5) ? value() : quoted(text)) + "}}");
    case 1:
    case 2:
      return notice("textDocument/didChange", "{\"textDocument\":" + document + "},\"contentChanges\":[{" +
                                                  (chance(80) ? "\"range\":" + range + "," : "") +
                                                  "\"text\":" + quoted(text.substr(0, 80)) + "}]}");
    case 3:
      return notice("textDocument/didClose", "{\"textDocument\":" + document + "}}");
    case 4:
      return request("textDocument/hover", at);
    case 5:
      return request("textDocument/codeAction", at);
    case 6:
      return request("textDocument/diagnostic", at);
    case 7:
      return request("workspace/executeCommand",
                     "{\"command\":\"firstfault.diagnose\",\"workDoneToken\":" + value() +
                         ",\"arguments\":[" +
                         (chance(50) ? "{\"text\":" + quoted(text) + ",\"format\":\"markdown\"}"
                                     : "{\"uri\":" + uri + (chance(50) ? ",\"range\":" + range : "") + "}") +
                         "]}");
    case 8:
      return notice("$/cancelRequest", "{\"id\":" + (chance(80) ? std::to_string(below(30)) : value()) + "}");
    case 9:
      return request("initialize",
                     chance(50) ? "{\"capabilities\":{}}" : "{\"capabilities\":" + value() + "}");
    default:
      return chance(50) ? value() : request(chance(50) ? "shutdown" : "no/such", value());
  }
}

std::string Mutator::session() {
  static constexpr std::array<const char*, 3> kCapabilities = {
      "{}", R"({"textDocument":{"diagnostic":{},"hover":{"contentFormat":["markdown"]},
               "codeAction":{"codeActionLiteralSupport":{}}},"workspace":{"diagnostics":{"refreshSupport":true}}})",
      R"({"textDocument":{"publishDiagnostics":{"relatedInformation":true,"versionSupport":true}}})"};
  std::vector<std::string> messages;
  if (!chance(5)) {
    messages.push_back(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"capabilities\":" +
        std::string(kCapabilities[below(kCapabilities.size())]) + "}}");
  }
  for (std::size_t count = below(40); count > 0; --count) messages.push_back(message());
  if (chance(50)) messages.push_back(R"({"id":"end","method":"shutdown"})");
  if (chance(50)) messages.push_back(R"({"method":"exit"})");
  std::string bytes;
  for (std::string& text : messages) {
    if (chance(4)) mutate_once(&text);
    const std::size_t size = chance(97) ? text.size() : below(text.size() * 2 + 1);
    bytes += "Content-Length: " + (chance(99) ? std::to_string(size) : number()) + "\r\n\r\n" + text;
  }
  if (chance(10)) mutate_once(&bytes);
  return bytes;
}

}  // namespace firstfault::fuzz
