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

/// A rank's call to a collective on CPU devices.
struct CollectiveCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, send, receive };

  Kind kind;
  Tensor from, to;  ///< contiguous; send and receive have only one of them
  Reduction reduction = Reduction::sum;
  int peer = 0;  ///< root, or the peer rank
};

std::string_view name_of(CollectiveCall::Kind kind);

/// CPU devices of one process that exchange tensors: the last rank to arrive does the work for all.
/// Thread-safe.
class Meeting {
 public:
  explicit Meeting(int ranks)
      : next_(static_cast<std::size_t>(ranks)), gone_(static_cast<std::size_t>(ranks)) {}

  /// One collective call, which ranks join one by one.
  struct Round {
    std::vector<int> ranks;                            ///< all ranks, or a sender and a receiver
    std::vector<std::optional<CollectiveCall>> calls;  ///< per rank, once it has arrived
    std::size_t arrived = 0;
    bool is_done = false;
    std::optional<Error> defect;
  };

  int ranks() const { return static_cast<int>(next_.size()); }
  /// Registers the call; executes it if all other ranks have arrived.
  std::shared_ptr<Round> come(int rank, CollectiveCall call);
  /// Waits for the other ranks. Throws Error(invalid_argument) if their calls differ or a rank has left;
  /// rethrows the errors of the work.
  void wait(Round& round);
  void leave(int rank);

 private:
  using Pair = std::pair<int, int>;  ///< sender and receiver

  std::shared_ptr<Round> join(int rank, CollectiveCall::Kind kind, int peer);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> next_;  ///< index of each rank's next call
  std::vector<bool> gone_;
  std::map<std::size_t, std::shared_ptr<Round>> rounds_;  ///< rounds some ranks have not joined
  std::map<Pair, std::deque<std::shared_ptr<Round>>> sends_, receives_;
};

}  // namespace kernelgen
