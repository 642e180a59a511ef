// Reads the prefixes of a line, and what a path says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "context/line_context.hpp"
#include "text/line.hpp"

namespace firstfault {

// What a path says of its lines: torchrun's --log-dir (attempt_0/3/stderr.log), rank_3.stderr.log,
// node02/rank7.log, MPI's 1/rank.3/stdout, a host's own log. `path` is relative to what the user gave, with
// "/" between parts.
SourceContext context_of_path(std::string_view path);

// Reads the prefixes of a source's lines in order. One reader per source: some prefixes ("3: ") mean a rank
// only where the whole source has them (srun -l), so it keeps what it saw. Not thread-safe.
//
// Prefixes nest in any order and are all taken off: mpirun --tag-output, srun -l, pdsh, kubectl/stern, Ray,
// torchrun
// --tee, [rank3]:, glog, torch agents, NCCL, Slurm, the kernel log, ISO and common timestamps, log levels.
class ContextReader {
 public:
  explicit ContextReader(SourceContext source);
  ~ContextReader();
  ContextReader(ContextReader&&) noexcept;
  ContextReader& operator=(ContextReader&&) noexcept;

  // Looks at the beginning of the source (some tens of lines) so that ambiguous prefixes are settled before
  // line 1.
  void sniff(std::string_view head);

  // The line's own prefixes over what the path says. What neither says is left empty.
  LineContext read(const Line& line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace firstfault
