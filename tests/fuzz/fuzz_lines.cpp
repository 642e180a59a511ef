// A deterministic fuzzer without a library: mutates recorded logs and invented ones, and has each diagnosed,
// shown in every form and served over the protocol. A failed check or a crash prints the seed that makes it.
//
//   fuzz_lines [--seconds N] [--seed N] [--once] [--corpus DIR]
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/analyzer.hpp"
#include "lsp/framing.hpp"
#include "lsp/session.hpp"
#include "mutate.hpp"
#include "report/report.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace firstfault::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSlow = 20;  // seconds for some 200 KB, also under sanitizers on a busy machine

std::uint64_t current_seed = 0;

void tell_seed() {
  std::fprintf(stderr, "\nfuzz_lines: failed with --seed %llu --once\n",
               static_cast<unsigned long long>(current_seed));
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fuzz_lines: %s\n", what.c_str());
  tell_seed();
  std::_Exit(1);
}

struct Options {
  double seconds = 60;
  std::uint64_t seed = 1;
  bool once = false;
  std::string corpus;
};

std::vector<std::string> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> texts;
  if (folder.empty()) return texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename() != "expected.json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    if (texts.back().empty()) texts.pop_back();
  }
  return texts;
}

// No form may hand on a control character or a character that turns the direction of the text around it.
void check_harmless(const std::string& text, const char* form) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f)
      fail(std::string(form) + ": a control character came through");
  }
  for (const char* turn : {"\xe2\x80\xae", "\xe2\x80\xaa", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xc2\x9b"}) {
    if (text.find(turn) != std::string::npos)
      fail(std::string(form) + ": a directional character came through");
  }
}

void check_json(const std::string& text, const char* form) {
  if (nlohmann::json::parse(text, nullptr, false).is_discarded()) fail(std::string(form) + ": no valid JSON");
}

void check_reports(const Diagnosis& diagnosis) {
  check_json(render(diagnosis, Format::kJson), "json");
  check_json(render(diagnosis, Format::kSarif), "sarif");
  const std::string text = render(diagnosis, Format::kText);
  check_harmless(text, "text");
  (void)render(diagnosis, Format::kText, {true, 40, false});
  const std::string markdown = render(diagnosis, Format::kMarkdown);
  check_harmless(markdown, "markdown");
  const std::string html = render(diagnosis, Format::kHtml);
  check_harmless(html, "html");
  for (const char* tag : {"<script", "<img"}) {
    if (html.find(tag) != std::string::npos) fail(std::string("html: ") + tag + " came through");
  }
}

void diagnose_log(const Analyzer& analyzer, Mutator* mutator) {
  std::vector<NamedText> texts;
  for (std::size_t count = 1 + mutator->below(3); count > 0; --count) {
    static constexpr const char* kPaths[] = {"train.log", "attempt_0/3/stderr.log", "node02/rank7.log",
                                             "\x1b[31m{rank}<b>.log"};
    texts.push_back({kPaths[mutator->below(std::size(kPaths))], mutator->log(), 1 + mutator->below(3)});
  }
  const auto analysis = analyzer.analyze_text(texts, {});
  if (!analysis) return;  // a text that looks binary
  for (const Event& event : analysis->log.events) {
    if (event.line == 0 || event.end_line < event.line) fail("an event lies on no line");
  }
  check_reports(analysis->diagnosis);
}

// Writes what a client would into a pipe, reads what the server answers from another one.
void serve_session(const std::shared_ptr<const lsp::Engine>& engine, const std::string& input) {
  int to_server[2];
  int from_server[2];
  if (pipe(to_server) != 0 || pipe(from_server) != 0) fail("no pipe");
  std::thread writer([&] {
    for (std::size_t at = 0; at < input.size();) {
      const ssize_t count = write(to_server[1], input.data() + at, input.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    close(to_server[1]);
  });
  std::thread reader([&] {
    lsp::Framer framer;
    std::string block(65536, '\0');
    for (ssize_t count; (count = read(from_server[0], block.data(), block.size())) > 0;) {
      framer.feed(std::string_view(block).substr(0, static_cast<std::size_t>(count)), [](lsp::Frame frame) {
        if (!frame.error.empty()) fail("the server wrote no frame: " + frame.error);
        check_json(frame.body, "lsp");
      });
    }
  });
  const int status = lsp::serve(to_server[0], from_server[1], engine);
  close(to_server[0]);  // the writer, if it is still at work, ends with a broken pipe
  close(from_server[1]);
  writer.join();
  reader.join();
  close(from_server[0]);
  if (status != 0 && status != 1) fail("the server's exit status is " + std::to_string(status));
}

void one_round(std::uint64_t seed, const Analyzer& analyzer, const std::shared_ptr<const lsp::Engine>& engine,
               const std::vector<std::string>& corpus) {
  current_seed = seed;
  Mutator mutator(seed, corpus);
  const auto start = Clock::now();
  if (seed % 4 == 0) {
    serve_session(engine, mutator.session());
  } else {
    diagnose_log(analyzer, &mutator);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (seconds > kSlow) fail("it took " + std::to_string(seconds) + " seconds");
}

int usage() {
  std::fputs("usage: fuzz_lines [--seconds N] [--seed N] [--once] [--corpus DIR]\n", stderr);
  return 2;
}

int run(const Options& options) {
  const auto library = Library::load(embedded_signature_files(), {.check_patterns = false});
  if (!library) fail(library.error().message);
  const auto analyzer = std::make_shared<const Analyzer>(*library);
  const auto engine = lsp::make_engine(analyzer);
  const auto corpus = read_corpus(options.corpus);
  std::cerr.rdbuf(nullptr);  // the server's own log
  const auto start = Clock::now();
  std::uint64_t seed = options.seed;
  double elapsed = 0;
  for (; elapsed < options.seconds; elapsed = std::chrono::duration<double>(Clock::now() - start).count()) {
    one_round(seed++, *analyzer, engine, corpus);
    if (options.once) break;
  }
  std::printf("fuzz_lines: %llu inputs in %.0f s, seeds %llu to %llu, no failure\n",
              static_cast<unsigned long long>(seed - options.seed), elapsed,
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(seed - 1));
  return 0;
}

}  // namespace
}  // namespace firstfault::fuzz

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __ubsan_on_report() { firstfault::fuzz::tell_seed(); }
#endif

int main(int argc, char** argv) {
  namespace fuzz = firstfault::fuzz;
  fuzz::Options options;
  for (int at = 1; at < argc; ++at) {
    const std::string name = argv[at];
    if (name == "--once") {
      options.once = true;
      continue;
    }
    if (at + 1 >= argc) return fuzz::usage();
    const char* value = argv[++at];
    if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--corpus") {
      options.corpus = value;
    } else {
      return fuzz::usage();
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal :
       {SIGABRT, SIGSEGV}) {  // an exception that nobody catches; without sanitizers, a crash
    std::signal(signal, [](int number) {
      fuzz::tell_seed();
      std::signal(number, SIG_DFL);
      std::raise(number);
    });
  }
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(fuzz::tell_seed);
#endif
  return fuzz::run(options);
}
