#include "kernelgen/collective.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "kernelgen/error.hpp"
#include "library/collective_library.hpp"
#include "ops/group_access.hpp"
#include "ops/meeting.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"

namespace kernelgen {
namespace {

using Kind = CollectiveCall::Kind;

/// The dtypes the libraries reduce; the CPU supports the same ones.
std::optional<int> type_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return nccl::type_u8;
    case DType::i32:
      return nccl::type_i32;
    case DType::u32:
      return nccl::type_u32;
    case DType::i64:
      return nccl::type_i64;
    case DType::f16:
      return nccl::type_f16;
    case DType::f32:
      return nccl::type_f32;
    case DType::f64:
      return nccl::type_f64;
    case DType::bf16:
      return nccl::type_bf16;
    default:
      return std::nullopt;
  }
}

int number_of(Reduction reduction) {
  constexpr std::array numbers{nccl::sum, nccl::product, nccl::min, nccl::max, nccl::mean};
  return numbers.at(static_cast<std::size_t>(reduction));
}

GpuDriver& gpu(const Device& device) { return dynamic_cast<GpuDriver&>(state_of(device).driver()); }

/// Meetings of CPU devices by id, and the ranks that have joined.
struct Meetings {
  struct Entry {
    std::weak_ptr<Meeting> meeting;
    /// Stays the same object until all ranks have joined, so that a late rank learns that another has already
    /// left.
    std::shared_ptr<Meeting> awaited;
    std::vector<bool> joined;
  };
  std::mutex mutex;
  std::map<Communicator::Id, Entry> entries;

  static Meetings& instance() {
    // Never destroyed: devices may be used during process exit.
    static Meetings& meetings = *new Meetings;
    return meetings;
  }

  std::shared_ptr<Meeting> join(int ranks, int rank, const Communicator::Id& id) {
    const std::lock_guard lock(mutex);
    std::erase_if(entries, [](const auto& known) { return known.second.meeting.expired(); });
    Entry& entry = entries[id];
    std::shared_ptr<Meeting> meeting = entry.meeting.lock();
    if (meeting == nullptr) {
      meeting = std::make_shared<Meeting>(ranks);
      entry = {meeting, meeting, std::vector<bool>(static_cast<std::size_t>(ranks))};
    }
    if (meeting->ranks() != ranks || entry.joined[static_cast<std::size_t>(rank)])
      throw Error(Code::invalid_argument,
                  formatted("Communicator: rank {} of {} joins where {}", rank, ranks,
                            meeting->ranks() != ranks ? formatted("the ranks are {}", meeting->ranks())
                                                      : "that rank is already"));
    entry.joined[static_cast<std::size_t>(rank)] = true;
    if (std::ranges::count(entry.joined, false) == 0) entry.awaited = nullptr;
    return meeting;
  }
};

/// The calls this thread has begun in a group.
struct Group {
  int depth = 0;
  std::vector<const CollectiveLibrary*> libraries;
  std::vector<std::pair<std::shared_ptr<Meeting>, std::shared_ptr<Meeting::Round>>> rounds;
  std::vector<Tensor> tensors;                       ///< operands of calls that have not been started
  std::vector<std::shared_ptr<void>> communicators;  ///< not joined yet
};
thread_local Group of_this_thread;

void begin(const CollectiveLibrary& library) {
  std::vector<const CollectiveLibrary*>& begun = of_this_thread.libraries;
  if (std::ranges::count(begun, &library) != 0) return;
  library.invoke(library.begin_group);
  begun.push_back(&library);
}

}  // namespace

struct Communicator::Impl {
  Impl(const Device& of, int count, int number) : device(of), ranks(count), rank(number) {}
  ~Impl() {
    if (meeting != nullptr) meeting->leave(rank);
    if (handle == nullptr || driver_is_exiting()) return;
    const Current current = gpu(device).make_current();
    library->leave.function(handle);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const Device device;
  const int ranks, rank;
  std::shared_ptr<Meeting> meeting;            ///< of CPU devices
  const CollectiveLibrary* library = nullptr;  ///< of GPUs
  void* handle = nullptr;
};

struct CommunicatorAccess {
  static std::shared_ptr<Communicator::Impl> join(const Device& device, int ranks, int rank,
                                                  const Communicator::Id& id) {
    if (!device) invalid("Communicator: the device is default-constructed");
    if (rank < 0 || rank >= ranks)
      invalid(formatted("Communicator: rank {} of {}; ranks are counted from 0", rank, ranks));
    auto impl = std::make_shared<Communicator::Impl>(device, ranks, rank);
    if (device.kind() == DeviceKind::cpu) {
      impl->meeting = Meetings::instance().join(ranks, rank, id);
    } else {
      impl->library = &CollectiveLibrary::of(device.kind());
      const Current current = gpu(device).make_current();
      current.require();
      if (of_this_thread.depth > 0) {
        begin(*impl->library);
        of_this_thread.communicators.push_back(impl);
      }
      impl->library->invoke(impl->library->join, &impl->handle, ranks, nccl::Id{id}, rank);
    }
    return impl;
  }

  static const Communicator::Impl& need(const Communicator& communicator, Kind kind) {
    if (!communicator) invalid(formatted("{}: the communicator is default-constructed", name_of(kind)));
    return *communicator.impl_;
  }

  /// Enqueues the call on the stream, or hands it to the meeting of CPU ranks.
  static void make(const Communicator::Impl& impl, CollectiveCall call, const Stream& stream) {
    Group& group = of_this_thread;
    if (impl.meeting != nullptr) {
      state_of(impl.device).refuse_in_capture(formatted("{} of CPU devices", name_of(call.kind)));
      std::shared_ptr<Meeting::Round> round = impl.meeting->come(impl.rank, std::move(call));
      if (group.depth > 0)
        group.rounds.emplace_back(impl.meeting, std::move(round));
      else
        impl.meeting->wait(*round);
      return;
    }
    const CollectiveLibrary& library = *impl.library;
    void* const queue = state_of(impl.device).queue(stream);
    const Current current = gpu(impl.device).make_current();
    current.require();
    if (group.depth > 0) {
      begin(library);
      group.tensors.insert(group.tensors.end(), {call.from, call.to});
    }
    put(library, impl.handle, call, queue);
  }

 private:
  static void put(const CollectiveLibrary& library, void* handle, const CollectiveCall& call, void* queue) {
    const Tensor& any = call.from ? call.from : call.to;
    const auto count = static_cast<std::size_t>(any.elements());
    const std::size_t bytes = static_cast<std::size_t>(bytes_of(any.dtype(), any.elements()));
    const void* const from = call.from ? call.from.data() : nullptr;
    void* const to = call.to ? call.to.data() : nullptr;
    const int type = type_of(any.dtype()).value_or(nccl::type_u8), reduction = number_of(call.reduction);
    switch (call.kind) {
      case Kind::all_reduce:
        return library.invoke(library.all_reduce, from, to, count, type, reduction, handle, queue);
      case Kind::reduce_scatter:
        return library.invoke(library.reduce_scatter, from, to, static_cast<std::size_t>(call.to.elements()),
                              type, reduction, handle, queue);
      case Kind::all_gather:
        return library.invoke(library.all_gather, from, to, bytes, nccl::type_u8, handle, queue);
      case Kind::broadcast:
        return library.invoke(library.broadcast, from, to, bytes, nccl::type_u8, call.peer, handle, queue);
      case Kind::send:
        return library.invoke(library.send, from, bytes, nccl::type_u8, call.peer, handle, queue);
      case Kind::receive:
        return library.invoke(library.receive, to, bytes, nccl::type_u8, call.peer, handle, queue);
    }
  }
};

namespace {

void check_operand(Kind kind, const Device& device, const Tensor& x) {
  if (!x) invalid(formatted("{}: the tensor is default-constructed", name_of(kind)));
  check_same_device(name_of(kind), device, x.device());
}

void check_peer(Kind kind, const char* what, int peer, int ranks) {
  if (peer < 0 || peer >= ranks)
    invalid(formatted("{}: {} is {}; there are ranks 0 to {}", name_of(kind), what, peer, ranks - 1));
}

void check_reduction(Kind kind, DType dtype, Reduction reduction) {
  if (!type_of(dtype))
    invalid(formatted("{}: no reduction of dtype {}; it accepts u8 u32 i32 i64 bf16 f16 f32 f64",
                      name_of(kind), name_of(dtype)));
  if (reduction == Reduction::mean && !is_float(dtype))
    invalid(formatted("{}: no mean of dtype {}; it accepts bf16 f16 f32 f64", name_of(kind), name_of(dtype)));
}

/// Runs a call whose result has that shape.
Tensor exchange(const Communicator& communicator, Kind kind, const Tensor& x, const Shape& shape,
                Reduction reduction, int peer, const CallOptions& options) {
  const Tensor* const input = &x;
  const Tensor out = output(name_of(kind), communicator.device(), shape, x.dtype(), options, {&input, 1},
                            kind == Kind::all_reduce ? InPlace::allowed : InPlace::refused);
  CommunicatorAccess::make(CommunicatorAccess::need(communicator, kind),
                           {kind, make_contiguous(x, options.stream), out, reduction, peer}, options.stream);
  return out;
}

/// The result's shape, with the first dim's extent scaled.
Shape with_first(Kind kind, const Tensor& x, std::int64_t times, std::int64_t parts) {
  if (x.shape().size() == 0)
    invalid(formatted("{}: x has no dims; it goes along the first one", name_of(kind)));
  Shape shape = x.shape();
  if (shape[0] % parts != 0)
    invalid(formatted("{}: x is {}; its first extent has to be a multiple of the {} ranks", name_of(kind),
                      x.shape().to_string(), parts));
  shape[0] = shape[0] / parts * times;
  return shape;
}

}  // namespace

Communicator::Id Communicator::make_id(const Device& device) {
  if (!device) invalid("Communicator::make_id: the device is default-constructed");
  if (device.kind() != DeviceKind::cpu) {
    const CollectiveLibrary& library = CollectiveLibrary::of(device.kind());
    nccl::Id id{};
    library.invoke(library.get_id, &id);
    return id.bytes;
  }
  static std::atomic<std::uint64_t> last{0};
  const std::string text = formatted("cpu devices of process {}, {}", ::getpid(), ++last);
  Id id{};
  std::memcpy(id.data(), text.data(), std::min(text.size(), id.size() - 1));
  return id;
}

Communicator::Communicator(const Device& device, int ranks, int rank, const Id& id)
    : impl_(CommunicatorAccess::join(device, ranks, rank, id)) {}

std::vector<Communicator> Communicator::of(std::span<const Device> devices) {
  if (devices.empty()) return {};
  for (const Device& device : devices)
    if (!device || device.kind() != devices.front().kind())
      invalid("Communicator: the devices are not all of one kind, or one is default-constructed");
  const Id id = make_id(devices.front());
  std::vector<Communicator> communicators;
  group([&] {
    for (std::size_t rank = 0; rank < devices.size(); ++rank)
      communicators.emplace_back(devices[rank], static_cast<int>(devices.size()), static_cast<int>(rank), id);
  });
  return communicators;
}

const Device& Communicator::device() const { return impl_->device; }
int Communicator::rank() const { return impl_->rank; }
int Communicator::ranks() const { return impl_->ranks; }

Tensor all_reduce(const Communicator& communicator, const Tensor& x, Reduction reduction,
                  const CallOptions& options) {
  CommunicatorAccess::need(communicator, Kind::all_reduce);
  check_operand(Kind::all_reduce, communicator.device(), x);
  check_reduction(Kind::all_reduce, x.dtype(), reduction);
  return exchange(communicator, Kind::all_reduce, x, x.shape(), reduction, 0, options);
}

Tensor reduce_scatter(const Communicator& communicator, const Tensor& x, Reduction reduction,
                      const CallOptions& options) {
  CommunicatorAccess::need(communicator, Kind::reduce_scatter);
  check_operand(Kind::reduce_scatter, communicator.device(), x);
  check_reduction(Kind::reduce_scatter, x.dtype(), reduction);
  return exchange(communicator, Kind::reduce_scatter, x,
                  with_first(Kind::reduce_scatter, x, 1, communicator.ranks()), reduction, 0, options);
}

Tensor all_gather(const Communicator& communicator, const Tensor& x, const CallOptions& options) {
  CommunicatorAccess::need(communicator, Kind::all_gather);
  check_operand(Kind::all_gather, communicator.device(), x);
  return exchange(communicator, Kind::all_gather, x, with_first(Kind::all_gather, x, communicator.ranks(), 1),
                  Reduction::sum, 0, options);
}

Tensor broadcast(const Communicator& communicator, const Tensor& x, int root, const CallOptions& options) {
  CommunicatorAccess::need(communicator, Kind::broadcast);
  check_operand(Kind::broadcast, communicator.device(), x);
  check_peer(Kind::broadcast, "root", root, communicator.ranks());
  return exchange(communicator, Kind::broadcast, x, x.shape(), Reduction::sum, root, options);
}

void send(const Communicator& communicator, const Tensor& x, int to, const Stream& stream) {
  const auto& impl = CommunicatorAccess::need(communicator, Kind::send);
  check_operand(Kind::send, communicator.device(), x);
  check_peer(Kind::send, "to", to, communicator.ranks());
  check_stream(communicator.device(), stream);
  x.use(stream, Access::read);
  CommunicatorAccess::make(impl, {Kind::send, make_contiguous(x, stream), {}, Reduction::sum, to}, stream);
}

void receive(const Communicator& communicator, const Tensor& result, int from, const Stream& stream) {
  const auto& impl = CommunicatorAccess::need(communicator, Kind::receive);
  check_operand(Kind::receive, communicator.device(), result);
  check_peer(Kind::receive, "from", from, communicator.ranks());
  check_stream(communicator.device(), stream);
  if (!result.layout().is_contiguous())
    invalid(formatted("receive: the tensor is {}; it has to be contiguous", result.layout().to_string()));
  result.use(stream, Access::write);
  CommunicatorAccess::make(impl, {Kind::receive, {}, result, Reduction::sum, from}, stream);
}

void GroupAccess::begin() { ++of_this_thread.depth; }

void GroupAccess::end() {
  Group& group = of_this_thread;
  if (group.depth == 0) invalid("the end of a group of collectives: this thread has begun none");
  if (--group.depth > 0) return;
  const Group begun = std::exchange(group, {});
  std::exception_ptr problem;
  const auto finish = [&](const auto& end) {
    try {
      end();
    } catch (const Error&) {
      if (problem == nullptr) problem = std::current_exception();
    }
  };
  for (const CollectiveLibrary* library : begun.libraries)
    finish([&] { library->invoke(library->end_group); });
  for (const auto& [meeting, round] : begun.rounds)
    finish([&, &of = *meeting, &call = *round] { of.wait(call); });
  if (problem != nullptr) std::rethrow_exception(problem);
}

void group(const std::function<void()>& calls) {
  GroupAccess::begin();
  try {
    calls();
  } catch (...) {
    try {
      GroupAccess::end();
    } catch (const Error&) {
      // The error that prevented further calls matters more than the results of the calls already made.
    }
    throw;
  }
  GroupAccess::end();
}

}  // namespace kernelgen
