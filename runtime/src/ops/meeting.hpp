#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernelgen/collective.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

/// What a rank of CPU devices asks of the others.
struct CollectiveCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, send, receive };

  Kind kind;
  Tensor from, to;  ///< contiguous; of send and receive there is one of them
  Reduction reduction = Reduction::sum;
  int peer = 0;  ///< root, or the other rank
};

std::string_view name_of(CollectiveCall::Kind kind);

/// CPU devices of one process that exchange tensors: whoever comes last does the work for all. Thread-safe.
class Meeting {
 public:
  explicit Meeting(int ranks)
      : next_(static_cast<std::size_t>(ranks)), gone_(static_cast<std::size_t>(ranks)) {}

  /// A call for which its ranks come one by one.
  struct Round {
    std::vector<int> ranks;                            ///< all, or a sender and a receiver
    std::vector<std::optional<CollectiveCall>> calls;  ///< of each, once it has come
    std::size_t arrived = 0;
    bool is_done = false;
    std::optional<Error> defect;
  };

  int ranks() const { return static_cast<int>(next_.size()); }
  /// The call takes its place, and is done if all others are there.
  std::shared_ptr<Round> come(int rank, CollectiveCall call);
  /// Waits for the others. Throws Error(invalid_argument) where their calls are other ones, or a rank is gone; what the work
  /// threw.
  void wait(Round& round);
  void leave(int rank);

 private:
  using Pair = std::pair<int, int>;  ///< sender and receiver

  std::shared_ptr<Round> place(int rank, CollectiveCall::Kind kind, int peer);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> next_;  ///< number of each rank's next call
  std::vector<bool> gone_;
  std::map<std::size_t, std::shared_ptr<Round>> rounds_;  ///< for which not all have come
  std::map<Pair, std::deque<std::shared_ptr<Round>>> sends_, receives_;
};

}  // namespace kernelgen
