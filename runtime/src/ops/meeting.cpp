#include "ops/meeting.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/format.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {
namespace {

using Kind = CollectiveCall::Kind;

bool is_reduction(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce_scatter; }

/// The tensor as a view on another CPU device, which shares the memory.
Tensor seen_by(const Device& device, const Tensor& tensor) {
  return Tensor(
      Storage::borrow(device, tensor.storage()->data(), tensor.storage()->bytes(), tensor.storage()),
      tensor.dtype(), tensor.layout());
}

Tensor combine(const Tensor& a, const Tensor& b, Reduction reduction) {
  const CallOptions in_place{.out = &a};
  switch (reduction) {
    case Reduction::product:
      return mul(a, b, in_place);
    case Reduction::min:
      return minimum(a, b, in_place);
    case Reduction::max:
      return maximum(a, b, in_place);
    default:
      return add(a, b, in_place);
  }
}

/// Reduces in rank order.
Tensor reduced(const std::vector<std::optional<CollectiveCall>>& calls) {
  const Tensor& first = calls.front()->from;
  const Device& device = first.device();
  const bool is_narrow = first.dtype() == DType::f16 || first.dtype() == DType::bf16;
  const auto widened = [&](const Tensor& x) {
    const Tensor here = seen_by(device, x);
    return is_narrow ? to_dtype(here, DType::f32) : here;
  };
  Tensor sum = is_narrow ? widened(first) : copy(first);
  const Reduction reduction = calls.front()->reduction;
  for (std::size_t rank = 1; rank < calls.size(); ++rank)
    sum = combine(sum, widened(calls[rank]->from), reduction);
  if (reduction == Reduction::mean) sum = affine(sum, 1.0 / static_cast<double>(calls.size()), 0);
  return is_narrow ? to_dtype(sum, first.dtype()) : sum;
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memmove(to, from, bytes);
}

std::size_t bytes_of(const Tensor& tensor) { return kernelgen::bytes_of(tensor.dtype(), tensor.elements()); }

void work(const std::vector<std::optional<CollectiveCall>>& calls) {
  const CollectiveCall& first = *calls.front();
  const bool is_empty = first.from.elements() == 0;
  if (is_reduction(first.kind) && !is_empty) {
    const Tensor all = reduced(calls);
    for (std::size_t rank = 0; rank < calls.size(); ++rank) {
      const Tensor& to = calls[rank]->to;
      const std::size_t part = first.kind == Kind::all_reduce ? 0 : rank * bytes_of(to);
      copy_bytes(to.data(), static_cast<const std::byte*>(all.data()) + part, bytes_of(to));
    }
  } else if (first.kind == Kind::all_gather && !is_empty) {
    for (const auto& receiver : calls)
      for (std::size_t rank = 0; rank < calls.size(); ++rank)
        copy_bytes(static_cast<std::byte*>(receiver->to.data()) + rank * bytes_of(first.from),
                   calls[rank]->from.data(), bytes_of(first.from));
  } else if (first.kind == Kind::broadcast) {
    const Tensor& root = calls[static_cast<std::size_t>(first.peer)]->from;
    for (const auto& receiver : calls) copy_bytes(receiver->to.data(), root.data(), bytes_of(root));
  } else if (first.kind == Kind::send) {
    copy_bytes(calls[1]->to.data(), first.from.data(), bytes_of(first.from));
  }
}

std::string text_of(const CollectiveCall& call) {
  const Tensor& tensor = call.kind == Kind::receive ? call.to : call.from;
  return formatted("{} of {} {}", name_of(call.kind), name_of(tensor.dtype()), tensor.shape().to_string());
}

bool agree(const CollectiveCall& a, const CollectiveCall& b) {
  return a.kind == b.kind && a.peer == b.peer && a.reduction == b.reduction &&
         a.from.dtype() == b.from.dtype() && a.from.shape() == b.from.shape();
}

/// Describes how the calls differ; empty if they agree.
std::string disagreement(const std::vector<std::optional<CollectiveCall>>& calls) {
  const CollectiveCall& first = *calls.front();
  if (first.kind == Kind::send) {
    if (bytes_of(first.from) == bytes_of(calls[1]->to)) return {};
    return formatted("{}, which takes {} bytes, meets a {}, which takes {}", text_of(first),
                     bytes_of(first.from), text_of(*calls[1]), bytes_of(calls[1]->to));
  }
  for (std::size_t rank = 1; rank < calls.size(); ++rank)
    if (!agree(first, *calls[rank]))
      return formatted("rank 0 calls {}, rank {} {}{}; all ranks make the same calls", text_of(first), rank,
                       text_of(*calls[rank]),
                       text_of(first) == text_of(*calls[rank]) ? " with another root or reduction" : "");
  return {};
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {"all_reduce", "reduce_scatter", "all_gather",
                                        "broadcast",  "send",           "receive"};
  return names[static_cast<std::size_t>(kind)];
}

/// Requires the mutex to be held.
std::shared_ptr<Meeting::Round> Meeting::join(int rank, Kind kind, int peer) {
  const auto make = [](std::vector<int> ranks) {
    auto round = std::make_shared<Round>();
    round->calls.resize(ranks.size());
    round->ranks = std::move(ranks);
    return round;
  };
  if (kind != Kind::send && kind != Kind::receive) {
    const std::size_t number = next_[static_cast<std::size_t>(rank)]++;
    std::shared_ptr<Round>& round = rounds_[number];
    if (round == nullptr) {
      std::vector<int> all(next_.size());
      std::iota(all.begin(), all.end(), 0);
      round = make(std::move(all));
    }
    std::shared_ptr<Round> mine = round;
    if (mine->arrived + 1 == next_.size()) rounds_.erase(number);
    return mine;
  }
  const bool sends = kind == Kind::send;
  const Pair pair = sends ? Pair{rank, peer} : Pair{peer, rank};
  std::deque<std::shared_ptr<Round>>& waiting = sends ? receives_[pair] : sends_[pair];
  if (!waiting.empty()) {
    std::shared_ptr<Round> round = waiting.front();
    waiting.pop_front();
    return round;
  }
  return (sends ? sends_[pair] : receives_[pair]).emplace_back(make({pair.first, pair.second}));
}

std::shared_ptr<Meeting::Round> Meeting::come(int rank, CollectiveCall call) {
  const Kind kind = call.kind;
  std::shared_ptr<Round> round;
  {
    const std::lock_guard lock(mutex_);
    round = join(rank, kind, call.peer);
    const std::size_t index = kind == Kind::send      ? 0
                              : kind == Kind::receive ? 1
                                                      : static_cast<std::size_t>(rank);
    round->calls[index] = std::move(call);
    if (++round->arrived < round->calls.size()) return round;
  }
  std::optional<Error> defect;
  try {
    if (const std::string text = disagreement(round->calls); !text.empty())
      throw Error(Code::invalid_argument, text);
    work(round->calls);
  } catch (const Error& error) {
    defect = error;
  }
  const std::lock_guard lock(mutex_);
  round->defect = std::move(defect);
  round->is_done = true;
  changed_.notify_all();
  return round;
}

void Meeting::wait(Round& round) {
  std::unique_lock lock(mutex_);
  const auto missing = [&] {
    for (std::size_t i = 0; i < round.calls.size(); ++i)
      if (!round.calls[i] && gone_[static_cast<std::size_t>(round.ranks[i])]) return round.ranks[i];
    return -1;
  };
  changed_.wait(lock, [&] { return round.is_done || missing() >= 0; });
  if (!round.is_done)
    throw Error(Code::invalid_argument,
                formatted("a collective waits for rank {} of {}, which is gone", missing(), gone_.size()));
  if (round.defect) throw Error(*round.defect);
}

void Meeting::leave(int rank) {
  const std::lock_guard lock(mutex_);
  gone_[static_cast<std::size_t>(rank)] = true;
  changed_.notify_all();
}

}  // namespace kernelgen
