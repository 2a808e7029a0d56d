#include "device/index_faults.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "common/format.hpp"
#include "kernelgen/error.hpp"
#include "plan/index_fault.hpp"

namespace kernelgen {

/// State of a queue. Kernels record the first bad index of the earliest call in device memory.
struct FaultQueue {
  FaultQueue(void* stream, bool of_thread) : stream(stream), of_thread(of_thread) {}

  void* const stream;    ///< the driver's
  const bool of_thread;  ///< the default queue

  /// Held while a call's launches are enqueued, so that none falls between reading and clearing a record.
  std::mutex mutex;
  kg::IndexFault* record = nullptr;  ///< null before the first call, and once nothing is left to report
  kg::IndexFault unheard{};          ///< taken from the record by another thread's wait for the whole device
  std::uint64_t last_call = 0;
  std::uint64_t clear_call = 0;  ///< this call and the earlier ones left no fault in the record
  std::thread::id caller;        ///< thread of the unreported calls, unless there were several
  bool several_callers = false;
  std::vector<std::shared_ptr<FaultQueue>> graphs;  ///< launched in the stream
  /// The stream is destroyed or the thread has ended: no further calls.
  std::atomic<bool> ended{false};

  void note_caller() {
    const std::thread::id now = std::this_thread::get_id();
    several_callers = several_callers || (caller != std::thread::id{} && caller != now);
    caller = now;
  }
  /// The stream that reads and clears the record: the default queue once the own stream is destroyed.
  void* own_stream() const { return ended ? nullptr : stream; }
};

namespace {

constexpr std::size_t slab_records = 64;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// One thread's default queues. Ids of IndexFaults are never reused, so entries cannot be confused.
struct ThreadQueues {
  struct Entry {
    std::uint64_t faults;
    std::shared_ptr<FaultQueue> queue;
  };

  ~ThreadQueues() {
    for (const Entry& entry : entries) IndexFaults::end(*entry.queue);
  }

  std::vector<Entry> entries;
};

std::string text_of(const kg::IndexFault& fault) {
  const auto& operation = *reinterpret_cast<const IndexOperation*>(fault.operation);
  const std::size_t dim_or_operand = fault.call & 7;
  if (operation.operands[0] == nullptr)
    return formatted(
        "{}: index {} (number {} of ids in row-major order, counted from 0) is outside dim {} "
        "of size {}; nothing was written for it, and what was read for it is 0",
        operation.name, fault.value, fault.position, dim_or_operand, fault.size);
  if (operation.is_by_coordinates)
    return formatted(
        "{}: index {} of {} for element {} (in row-major order, counted from 0) is outside a dim of size {}; "
        "{}",
        operation.name, fault.value, operation.operands.at(dim_or_operand), fault.position, fault.size,
        dim_or_operand == operation.result ? "nothing was written for it" : "what was read for it is 0");
  const bool is_signed = (operation.signed_operands >> dim_or_operand & 1) != 0;
  return formatted(
      "{}: {} has {} at position {} (in row-major order, counted from 0); it has to be at least 0 "
      "and less than {}; nothing was read for it",
      operation.name, operation.operands.at(dim_or_operand),
      is_signed ? static_cast<std::int32_t>(fault.value) : fault.value, fault.position, fault.size);
}

void tell(const kg::IndexFault& fault) {
  if (fault.call != 0) throw Error(Code::index_out_of_range, text_of(fault));
}

/// The fault of the earlier call; no fault if neither is set.
const kg::IndexFault& earlier(const kg::IndexFault& a, const kg::IndexFault& b) {
  return b.call == 0 || (a.call != 0 && a.call < b.call) ? a : b;
}

}  // namespace

IndexFaults::IndexFaults(Driver& driver) : driver_(driver), id_(next_id()) {}

IndexFaults::~IndexFaults() {
  for (kg::IndexFault* slab : slabs_) driver_.free(slab, slab_records * sizeof *slab, nullptr);
  if (reader_ != nullptr) driver_.destroy_stream(reader_);
}

std::shared_ptr<FaultQueue> IndexFaults::add_stream(void* stream) {
  auto queue = std::make_shared<FaultQueue>(stream, false);
  const std::lock_guard lock(mutex_);
  // Drops ended queues without a call: their number is unbounded.
  std::erase_if(queues_, [](const std::shared_ptr<FaultQueue>& known) {
    return known->ended && known->record == nullptr;
  });
  queues_.push_back(queue);
  return queue;
}

std::shared_ptr<FaultQueue> IndexFaults::add_graph(void* stream) {
  kg::IndexFault* const record = take_record();
  std::shared_ptr<FaultQueue> queue = add_stream(stream);
  queue->record = record;
  return queue;
}

void IndexFaults::launched(const std::shared_ptr<FaultQueue>& graph, FaultQueue& queue) {
  {
    const std::lock_guard lock(graph->mutex);
    if (graph->last_call == 0) return;
    graph->note_caller();
  }
  const std::lock_guard lock(queue.mutex);
  if (std::find(queue.graphs.begin(), queue.graphs.end(), graph) == queue.graphs.end())
    queue.graphs.push_back(graph);
}

void IndexFaults::end(FaultQueue& queue) {
  const std::lock_guard lock(queue.mutex);
  queue.ended = true;
}

const std::shared_ptr<FaultQueue>& IndexFaults::of_this_thread() {
  thread_local ThreadQueues mine;
  for (const ThreadQueues::Entry& entry : mine.entries)
    if (entry.faults == id_) return entry.queue;
  // Drops queues of closed devices.
  std::erase_if(mine.entries, [](const ThreadQueues::Entry& entry) { return entry.queue.use_count() == 1; });
  auto queue = std::make_shared<FaultQueue>(nullptr, true);
  const std::lock_guard lock(mutex_);
  queues_.push_back(queue);
  return mine.entries.emplace_back(ThreadQueues::Entry{id_, std::move(queue)}).queue;
}

void IndexFaults::reserve() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) return;
  }
  add_slab();
}

IndexFaults::Call::Call(IndexFaults& faults, FaultQueue& queue) : queue_(queue), lock_(queue.mutex) {
  if (queue.record == nullptr) queue.record = faults.take_record();
  queue.note_caller();
  queue.last_call = ++faults.calls_;
}

kg::IndexFault* IndexFaults::Call::record() const { return queue_.record; }

std::uint64_t IndexFaults::Call::number(std::size_t dim) const { return queue_.last_call << 3 | dim; }

IndexFaults::Point IndexFaults::point(std::shared_ptr<FaultQueue> queue) {
  const std::lock_guard lock(queue->mutex);
  const std::uint64_t last_call = queue->last_call;
  return {std::move(queue), last_call};
}

IndexFaults::Queues IndexFaults::all_queues() {
  const std::lock_guard lock(mutex_);
  return queues_;
}

IndexFaults::Queues IndexFaults::ended_queues() {
  const std::lock_guard lock(mutex_);
  Queues ended;
  std::copy_if(queues_.begin(), queues_.end(), std::back_inserter(ended),
               [](const std::shared_ptr<FaultQueue>& queue) { return queue->ended.load(); });
  return ended;
}

kg::IndexFault* IndexFaults::take_record() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        kg::IndexFault* const record = free_.back();
        free_.pop_back();
        return record;
      }
    }
    // Drops ended queues whose work is done without a fault.
    if (const Queues ended = ended_queues(); !ended.empty()) {
      const auto held = driver_.hold_captures();
      driver_.synchronize();
      for (const std::shared_ptr<FaultQueue>& queue : ended) {
        const std::lock_guard lock(queue->mutex);
        if (queue->unheard.call != 0) continue;
        if (queue->record == nullptr || read(queue->record, nullptr).call == 0) retire(*queue);
      }
    }
    reserve();
  }
}

void IndexFaults::add_slab() {
  constexpr std::size_t bytes = slab_records * sizeof(kg::IndexFault);
  void* const memory = driver_.allocate(bytes, nullptr);
  try {
    driver_.fill(memory, 0, bytes, nullptr);
    // Other streams do not wait for the default one.
    driver_.synchronize_stream(nullptr);
    const std::lock_guard lock(mutex_);
    slabs_.reserve(slabs_.size() + 1);
    free_.reserve(free_.size() + slab_records);
    slabs_.push_back(static_cast<kg::IndexFault*>(memory));
    for (std::size_t i = slab_records; i-- > 0;) free_.push_back(slabs_.back() + i);
  } catch (...) {
    driver_.free(memory, bytes, nullptr);
    throw;
  }
}

void* IndexFaults::reader() {
  std::call_once(reader_created_, [&] { reader_ = driver_.create_stream(Priority::normal); });
  return reader_;
}

kg::IndexFault IndexFaults::read(const kg::IndexFault* record, void* stream) {
  kg::IndexFault fault{};
  driver_.copy_to_host(&fault, record, sizeof fault, stream);
  driver_.synchronize_stream(stream);
  return fault;
}

/// Reads and clears the record in queue order: covers everything enqueued so far.
kg::IndexFault IndexFaults::take(FaultQueue& queue, void* stream) {
  const kg::IndexFault fault = read(queue.record, stream);
  if (fault.call != 0) driver_.fill(queue.record, 0, sizeof fault, stream);
  return fault;
}

/// Returns and clears the first fault to report to a waiter of the queue.
kg::IndexFault IndexFaults::hear(FaultQueue& queue, void* stream) {
  const kg::IndexFault fault = earlier(queue.unheard, take(queue, stream));
  queue.unheard = {};
  queue.caller = {};
  queue.several_callers = false;
  return fault;
}

/// The first fault of graphs launched in the queue, whose work is done.
kg::IndexFault IndexFaults::hear_graphs(FaultQueue& queue) {
  kg::IndexFault first{};
  std::erase_if(queue.graphs, [&](const std::shared_ptr<FaultQueue>& graph) {
    const std::lock_guard lock(graph->mutex);
    if (graph->record != nullptr) first = earlier(first, hear(*graph, queue.own_stream()));
    return graph->ended.load();
  });
  return first;
}

/// Returns the cleared record of an ended queue to the pool.
void IndexFaults::retire(FaultQueue& queue) {
  // Clearing in the default queue is not yet visible to other streams.
  driver_.synchronize_stream(nullptr);
  const std::lock_guard lock(mutex_);
  if (queue.record != nullptr) free_.push_back(std::exchange(queue.record, nullptr));
  std::erase_if(queues_, [&](const std::shared_ptr<FaultQueue>& known) { return known.get() == &queue; });
}

void IndexFaults::synchronize_stream(FaultQueue& queue) {
  const kg::IndexFault* record;
  std::uint64_t last_call;
  {
    const std::lock_guard lock(queue.mutex);
    record = queue.last_call > queue.clear_call ? queue.record : nullptr;
    last_call = queue.last_call;
  }
  // Other threads may enqueue work on the stream during this wait, and synchronize() may take the record.
  bool is_bad = false;
  if (record == nullptr)
    driver_.synchronize_stream(queue.stream);
  else
    is_bad = read(record, queue.stream).call != 0;
  {
    const std::lock_guard lock(queue.mutex);
    if (!is_bad) queue.clear_call = std::max(queue.clear_call, last_call);
    const kg::IndexFault of_graphs = hear_graphs(queue);
    if (is_bad || queue.unheard.call != 0) tell(earlier(hear(queue, queue.own_stream()), of_graphs));
    tell(of_graphs);
  }
  if (!queue.of_thread) return;
  kg::IndexFault left{};
  for (const std::shared_ptr<FaultQueue>& ended : ended_queues()) {
    if (!ended->of_thread) continue;
    const std::lock_guard lock(ended->mutex);
    if (ended->record != nullptr) left = earlier(left, hear(*ended, nullptr));
    retire(*ended);
  }
  tell(left);
}

void IndexFaults::synchronize_event(void* event, const Point& point) {
  driver_.synchronize_event(event);
  FaultQueue& queue = *point.queue;
  const std::lock_guard lock(queue.mutex);
  const auto is_before = [&](const kg::IndexFault& fault) {
    return fault.call != 0 && fault.call >> 3 <= point.last_call;
  };
  if (is_before(queue.unheard)) tell(std::exchange(queue.unheard, {}));
  for (const std::shared_ptr<FaultQueue>& graph : queue.graphs) {
    const std::lock_guard graph_lock(graph->mutex);
    if (graph->record != nullptr) tell(read(graph->record, reader()));
  }
  if (point.last_call == 0 || queue.record == nullptr) return;
  // Does not wait for work after the event.
  const kg::IndexFault fault = read(queue.record, reader());
  if (!is_before(fault)) return;
  // The fault may belong to a later call; then it stays for waiters of the queue.
  if (queue.last_call == point.last_call) driver_.fill(queue.record, 0, sizeof fault, queue.own_stream());
  tell(fault);
}

void IndexFaults::synchronize() {
  const auto held = driver_.hold_captures();
  const Queues all = all_queues(), ended = ended_queues();
  driver_.synchronize();
  kg::IndexFault first{};
  for (const std::shared_ptr<FaultQueue>& queue : all) {
    const std::lock_guard lock(queue->mutex);
    const bool is_done = std::find(ended.begin(), ended.end(), queue) != ended.end();
    // A stream destroyed meanwhile may have work in flight.
    if (queue->ended && !is_done) continue;
    const bool is_mine = !queue->several_callers && queue->caller == std::this_thread::get_id();
    if (queue->record != nullptr && (is_mine || is_done)) {
      first = earlier(first, hear(*queue, queue->own_stream()));
    } else if (queue->record != nullptr) {
      // Waiters of the queue have not received this fault yet.
      const kg::IndexFault fault = take(*queue, queue->own_stream());
      first = earlier(first, fault);
      queue->unheard = earlier(queue->unheard, fault);
    }
    if (is_done) retire(*queue);
  }
  tell(first);
}

}  // namespace kernelgen
