#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "driver/driver.hpp"

namespace kg {
struct IndexFault;
}

namespace kernelgen {

/// Bad indices that a device's kernels have met and nobody has heard of yet. Kernels leave the first one of the
/// earliest call in a record on the device; waiting for the device reads it, when there were calls since it was
/// last read. Thread-safe.
class IndexFaults {
 public:
  explicit IndexFaults(Driver& driver) : driver_(driver) {}
  ~IndexFaults();
  IndexFaults(const IndexFaults&) = delete;
  IndexFaults& operator=(const IndexFaults&) = delete;

  /// One call of an operation by index, from before its launches to behind them.
  class Call {
   public:
    /// Throws Error(out_of_memory), on the device's first call only.
    Call(IndexFaults& faults, void* stream);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// What the kernels are handed.
    kg::IndexFault* record() const { return faults_.record_; }
    std::uint64_t number(std::size_t dim) const { return number_ << 3 | dim; }

   private:
    IndexFaults& faults_;
    void* stream_;
    std::uint64_t number_;
  };

  /// Driver::synchronize_stream and Driver::synchronize, which then throw Error(index_out_of_range) where there
  /// was a bad index.
  void synchronize_stream(void* stream);
  void synchronize();

 private:
  void create();
  kg::IndexFault read(void* stream);
  /// Throws, unless another thread has done so.
  void report();

  Driver& driver_;
  kg::IndexFault* record_ = nullptr;
  std::once_flag created_;
  std::mutex mutex_;
  std::uint64_t begun_ = 0;
  std::uint64_t launched_ = 0;    ///< calls whose launches are in their streams
  std::uint64_t read_ = 0;        ///< of these, those known to be good
  void* stream_ = nullptr;        ///< of the last call
  bool several_streams_ = false;  ///< among the calls not known to be good
};

}  // namespace kernelgen
