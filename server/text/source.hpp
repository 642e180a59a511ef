// Where log bytes come from: files, folders of per-rank files, standard input, text in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.hpp"
#include "base/result.hpp"

namespace firstfault {

// One input. `path` is what evidence cites; it is the path as the user gave it (or below the folder that she
// gave).
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& path() const = 0;
  virtual std::uint64_t size() const = 0;  // bytes, 0 where not known (a pipe)
  // Reads up to `capacity` bytes; 0 at the end. An error names the path. A file that shrinks while it is read
  // just ends.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

// Opens a regular file (or a FIFO) and reads it in blocks with pread/read; never maps it.
Result<std::unique_ptr<Source>> open_file(const std::string& path);
// Standard input, called `name` in evidence.
std::unique_ptr<Source> open_stdin(std::string name = "<stdin>");
// Text that an editor holds.
std::unique_ptr<Source> open_memory(std::string path, std::string text);

// The files that a list of paths stands for, in a stable order: a file for itself, "-" for standard input, a
// folder for all text files below it that can be logs (symbolic links to folders are not followed, hidden
// files, checkpoints, archives and other binary files are left out). Errors: a path that does not exist or
// cannot be read, a folder without any log, an empty list.
Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths);

// Whether the first bytes of an input are no text in any encoding that LineDecoder reads. A log with a few
// stray NULs is text.
bool looks_binary(std::string_view head);

// Whether the first bytes of an input are a PyTorch flight recorder dump's: a pickled dictionary or a JSON
// object with the keys of one. Such a file is an input of its own kind, not lines.
bool looks_like_flight_dump(std::string_view head);

}  // namespace firstfault
