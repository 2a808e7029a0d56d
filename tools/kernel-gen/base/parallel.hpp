#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace kernelgen::tool {

/// Calls work(i) for each i below `count`, the first ones first, on at most `threads` threads, of which the caller's is one.
/// `make_work` makes each thread its own. What a call throws is thrown here when all threads have ended; no further ones are
/// made then.
template <class MakeWork>
void in_parallel(unsigned threads, std::size_t count, const MakeWork& make_work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::vector<std::exception_ptr> errors(std::clamp<std::size_t>(count, 1, std::max(1u, threads)));
  const auto run = [&](std::exception_ptr& error) {
    try {
      auto work = make_work();
      for (std::size_t i; !failed && (i = next++) < count;) work(i);
    } catch (...) {
      error = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < errors.size(); ++i) helpers.emplace_back([&, i] { run(errors[i]); });
    run(errors[0]);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace kernelgen::tool
