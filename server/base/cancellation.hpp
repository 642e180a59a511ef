// Cooperative cancellation and progress for long work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace firstfault {

// Shared flag: the asking side calls cancel(), the working side polls cancelled() at least once per block of
// input. Copies share the flag. Safe to use from several threads.
class CancellationToken {
 public:
  CancellationToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

// Called with bytes done and bytes in all (0 where the size is not known, as for a pipe).
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace firstfault
