#include "device/index_faults.hpp"

#include "common/format.hpp"

#include <algorithm>

#include "kernelgen/error.hpp"
#include "plan/index_fault.hpp"

namespace kernelgen {

IndexFaults::~IndexFaults() {
  if (record_ != nullptr) driver_.free(record_, sizeof(kg::IndexFault), nullptr);
}

IndexFaults::Call::Call(IndexFaults& faults, void* stream) : faults_(faults), stream_(stream) {
  std::call_once(faults.created_, [&] { faults.create(); });
  const std::lock_guard lock(faults.mutex_);
  number_ = ++faults.begun_;
}

IndexFaults::Call::~Call() {
  const std::lock_guard lock(faults_.mutex_);
  const bool first = faults_.launched_ == faults_.read_;
  faults_.several_streams_ = !first && (faults_.several_streams_ || faults_.stream_ != stream_);
  faults_.stream_ = stream_;
  ++faults_.launched_;
}

void IndexFaults::create() {
  void* const memory = driver_.allocate(sizeof(kg::IndexFault), nullptr);
  try {
    driver_.fill(memory, 0, sizeof(kg::IndexFault), nullptr);
    // Streams do not wait for the default one.
    driver_.synchronize_stream(nullptr);
  } catch (const Error&) {
    driver_.free(memory, sizeof(kg::IndexFault), nullptr);
    throw;
  }
  record_ = static_cast<kg::IndexFault*>(memory);
}

kg::IndexFault IndexFaults::read(void* stream) {
  kg::IndexFault fault{};
  driver_.copy_to_host(&fault, record_, sizeof fault, stream);
  driver_.synchronize_stream(stream);
  return fault;
}

void IndexFaults::synchronize_stream(void* stream) {
  std::uint64_t launched, all_known;
  {
    const std::lock_guard lock(mutex_);
    launched = launched_;
    // Another stream's work may not be done.
    all_known = several_streams_ || stream_ != stream ? read_ : launched_;
    if (launched == read_) launched = 0;
  }
  if (launched == 0) {
    driver_.synchronize_stream(stream);
    return;
  }
  if (read(stream).call != 0) report();
  const std::lock_guard lock(mutex_);
  read_ = std::max(read_, all_known);
}

void IndexFaults::synchronize() {
  std::uint64_t launched;
  {
    const std::lock_guard lock(mutex_);
    launched = launched_ == read_ ? 0 : launched_;
  }
  driver_.synchronize();
  if (launched == 0) return;
  if (read(nullptr).call != 0) report();
  const std::lock_guard lock(mutex_);
  read_ = std::max(read_, launched);
}

void IndexFaults::report() {
  const std::lock_guard lock(mutex_);
  // Kernels in other streams may still write the record, an earlier call's bad index among them.
  driver_.synchronize();
  const kg::IndexFault fault = read(nullptr);
  if (fault.call == 0) return;  // another thread has been here
  driver_.fill(record_, 0, sizeof fault, nullptr);
  driver_.synchronize_stream(nullptr);
  read_ = launched_;
  throw Error(
      Code::index_out_of_range,
      fmt::format("{}: index {} (number {} of ids in row-major order, counted from 0) is outside dim {} "
                  "of size {}; nothing was read or written for it",
                  reinterpret_cast<const char*>(fault.operation), fault.value, fault.position, fault.call & 7,
                  fault.size));
}

}  // namespace kernelgen
