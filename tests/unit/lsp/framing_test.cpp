#include "lsp/framing.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace firstfault::lsp {
namespace {

struct Received {
  std::vector<std::string> bodies;
  std::vector<std::string> errors;
};

Received feed_in_pieces(const std::string& bytes, std::size_t piece) {
  Received received;
  Framer framer;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    framer.feed(std::string_view(bytes).substr(at, piece), [&](const Frame& frame) {
      if (frame.error.empty()) {
        received.bodies.push_back(frame.body);
      } else {
        received.errors.push_back(frame.error);
      }
    });
  }
  return received;
}

TEST_CASE("Messages come out whole, however the bytes arrive") {
  const std::string bytes =
      frame_message("{\"a\":1}") +
      "content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  6 \r\n\r\nh\xC3\xA9llo" +
      frame_message("\r\n\r\nContent-Length: 3\r\n\r\n");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    CAPTURE(piece);
    const Received received = feed_in_pieces(bytes, piece);
    CHECK(received.errors.empty());
    REQUIRE(received.bodies.size() == 3);
    CHECK(received.bodies[0] == "{\"a\":1}");
    CHECK(received.bodies[1] == "h\xC3\xA9llo");
    CHECK(received.bodies[2] == "\r\n\r\nContent-Length: 3\r\n\r\n");
  }
}

TEST_CASE("After garbage, reading goes on at the next header and one error tells of it") {
  const std::string garbage[] = {
      "hello\r\n\r\n",
      "{\"jsonrpc\":\"2.0\"}\n",
      "Content-Length: many\r\n\r\n",
      "Content-Length: -5\r\n\r\n",
      "Content-Length: 99999999999999999999999\r\n\r\n",
      "one\r\n\r\ntwo\r\n\r\nthree",
      std::string(100'000, 'x'),
      std::string(100'000, '\n') + "x\n\n",
  };
  for (const std::string& bytes : garbage) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      CAPTURE(bytes.substr(0, 40));
      CAPTURE(piece);
      const Received received = feed_in_pieces(bytes + frame_message("{}"), piece);
      CHECK(received.errors.size() == 1);
      CHECK(received.bodies == std::vector<std::string>{"{}"});
    }
  }
}

TEST_CASE("A message of more than 1 GiB is refused without waiting for it") {
  const Received received =
      feed_in_pieces("Content-Length: 1073741825\r\n\r\n{\"a\":1}" + frame_message("{}"), 3);
  REQUIRE(received.errors.size() == 1);
  CHECK(received.errors[0] == "a message of 1073741825 bytes; the limit is 1 GiB");
  CHECK(received.bodies == std::vector<std::string>{"{}"});
}

TEST_CASE("A length that is too short costs one message and no more") {
  const Received received = feed_in_pieces("Content-Length: 3\r\n\r\n{\"a\":1}" + frame_message("{}"), 1);
  CHECK(received.bodies == std::vector<std::string>{"{\"a", "{}"});
  CHECK(received.errors.size() == 1);
}

TEST_CASE("The framer knows whether a message is cut off") {
  Framer framer;
  const auto ignore = [](const Frame&) {};
  CHECK(framer.at_boundary());
  framer.feed("Content-Length: 2\r\n", ignore);
  CHECK_FALSE(framer.at_boundary());
  framer.feed("\r\n{", ignore);
  CHECK_FALSE(framer.at_boundary());
  framer.feed("}", ignore);
  CHECK(framer.at_boundary());
}

}  // namespace
}  // namespace firstfault::lsp
