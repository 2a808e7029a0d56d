#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernelgen/dtype.hpp"
#include "library/convolution.hpp"

namespace kernelgen {

/// A value for each tensor of a convolution: its address, or the address's alignment in bytes, at most 16.
template <class Value>
struct ConvolutionOperands {
  Value x, weight, y;
};

/// The workspace limit of one convolution.
constexpr std::int64_t convolution_workspace_limit = std::int64_t{256} << 20;

/// One of a vendor library's algorithms for a convolution, ready to run. Invalid once the vendor's handle is
/// destroyed.
struct ConvolutionPlan {
  std::size_t workspace_bytes = 0;

  ConvolutionPlan() = default;
  virtual ~ConvolutionPlan() = default;
  ConvolutionPlan(const ConvolutionPlan&) = delete;
  ConvolutionPlan& operator=(const ConvolutionPlan&) = delete;
  /// Enqueues it on the stream set last. Returns false and enqueues nothing if the library cannot run it.
  /// Throws Error(device).
  virtual bool run(const ConvolutionOperands<void*>& operands, void* workspace) const = 0;
};

/// A vendor's library on one device. Used by one thread at a time, with the device current.
class ConvolutionVendor {
 public:
  virtual ~ConvolutionVendor() = default;
  virtual bool takes(DType dtype) const = 0;
  /// Whether rows, channels and images of x may be strided.
  virtual bool takes_gaps() const = 0;
  /// Sets the stream of subsequent plans.
  virtual void set_stream(void* stream) const = 0;
  /// Up to `most` eligible plans, best first by the library's estimate. Eligible plans multiply and add at
  /// full precision in a deterministic order. Transforms (Winograd, FFT) spread an infinity to neighbours and
  /// are excluded. Padding may be read as zeros. Empty if the library has no plan.
  virtual std::vector<std::unique_ptr<ConvolutionPlan>> plans(
      const Convolution& problem, const ConvolutionOperands<std::int64_t>& alignment,
      std::size_t most) const = 0;
};

}  // namespace kernelgen
