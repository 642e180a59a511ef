#include "events/traceback.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace firstfault;

namespace {

std::vector<Record> assemble(const std::string& text, bool stamped = false) {
  std::vector<Record> records;
  TracebackAssembler assembler;
  std::istringstream lines(text);
  std::string line;
  std::uint64_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    assembler.add(line, number, number, stamped, {}, 0, &records);
  }
  return records;
}

}  // namespace

TEST_CASE("a traceback yields its frames, exception and message") {
  const auto records = assemble(
      "step 3\n"
      "Traceback (most recent call last):\n"
      "  File \"/job/train.py\", line 88, in <module>\n"
      "    main()\n"
      "  File \"/job/train.py\", line 70, in main\n"
      "    loss = model(x)\n"
      "           ^^^^^^^^\n"
      "ValueError: bad cell 'n/a'\n"
      "\n"
      "step 4\n");
  REQUIRE(records.size() == 1);
  const Record& record = records[0];
  CHECK(record.first_line == 2);
  CHECK(record.exception_line == 8);
  CHECK(record.exception_type == "ValueError");
  CHECK(record.message == "bad cell 'n/a'");
  REQUIRE(record.frames.size() == 2);
  CHECK(record.frames[1].file == "/job/train.py");
  CHECK(record.frames[1].line == 70);
  CHECK(record.frames[1].function == "main");
  CHECK(record.frames[1].code == "loss = model(x)");
}

TEST_CASE("a chained traceback is linked to the one that it was raised from") {
  const auto records = assemble(
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "KeyError: 'label'\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 3, in g\n"
      "RuntimeError: cannot read the batch\n");
  REQUIRE(records.size() == 2);
  CHECK(records[0].caused_by == -1);
  CHECK(records[1].caused_by == 0);
}

TEST_CASE("lines of others between the frames are not part of the traceback") {
  const auto records = assemble(
      "Traceback (most recent call last):\n"
      "step 17 | loss 2.25\n"
      "  File \"a.py\", line 1, in f\n"
      "step 18 | loss 2.24\n"
      "OSError: [Errno 5] Input/output error\n");
  REQUIRE(records.size() == 1);
  CHECK(records[0].exception_line == 5);
  CHECK(records[0].text.find("step") == std::string::npos);
}

TEST_CASE("a message of several lines belongs to its exception until two blank lines or a new traceback") {
  const auto records = assemble(
      "Traceback (most recent call last):\n"
      "  File \"a.py\", line 1, in f\n"
      "RuntimeError: CUDA error: device-side assert triggered\n"
      "CUDA kernel errors might be asynchronously reported at some other API call\n"
      "\n"
      "\n"
      "unrelated\n");
  REQUIRE(records.size() == 1);
  CHECK(records[0].last_line == 5);
}

TEST_CASE("a traceback that the log cuts off has no exception line") {
  const auto records =
      assemble("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n");
  REQUIRE(records.size() == 1);
  CHECK(records[0].exception_line == 0);
}

TEST_CASE("the launcher's own traceback is marked") {
  const auto records = assemble(
      "Traceback (most recent call last):\n"
      "  File \"run.py\", line 1, in launch_agent\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n");
  REQUIRE(records.size() == 1);
  CHECK(records[0].launcher);
}

TEST_CASE("metric lines are no exception lines") {
  CHECK(is_exception_line("torch.cuda.OutOfMemoryError: CUDA out of memory."));
  CHECK(is_exception_line("AssertionError"));
  CHECK(is_exception_line("zipfile.BadZipFile: File is not a zip file"));
  CHECK_FALSE(is_exception_line("Epoch: 3 loss 2.1"));
  CHECK_FALSE(is_exception_line("step 5 | loss 2.1"));
  CHECK_FALSE(is_exception_line("  raise RuntimeError("));
  CHECK_FALSE(is_exception_line("12:30:11 done"));
}
