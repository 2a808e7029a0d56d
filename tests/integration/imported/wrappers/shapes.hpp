// Written by kernel-gen 0.1.0 emit --wrappers. Do not edit.
#pragma once
#include <array>
#include <cstdint>
#include <kernelgen/launch.hpp>

namespace shapes {

/// The kernels of the package on a device that was opened with it. Launches are enqueued in a stream ({}:
/// the default queue) and throw as kernelgen::launch().
class Kernels {
 public:
  /// Throws Error(not_found) if no package of the device has one of the kernels, and
  /// Error(invalid_argument) if one takes other arguments than when this file was written.
  explicit Kernels(const kernelgen::Device& device)
      : kernels_{{{device, "scale", "f32*, const f32*, u64, f32"},
                  {device, "shift", "u32*, const u32*, u64, u8, u8"},
                  {device, "loop", "f64*, const i16*, u32"}}} {}

  /// At most 128 threads per block.
  void scale(const kernelgen::Stream& stream, const kernelgen::Dim3& grid, const kernelgen::Dim3& block,
             const kernelgen::Pointer<float>& y, const kernelgen::Pointer<const float>& x, std::uint64_t n,
             float factor, std::uint32_t shared_bytes = 0) const {
    kernels_[0].launch(stream, grid, block, shared_bytes, y, x, n, factor);
  }

  /// At most 1024 threads per block.
  void shift(const kernelgen::Stream& stream, const kernelgen::Dim3& grid, const kernelgen::Dim3& block,
             const kernelgen::Pointer<std::uint32_t>& y, const kernelgen::Pointer<const std::uint32_t>& x,
             std::uint64_t n, std::uint8_t by, std::uint8_t up, std::uint32_t shared_bytes = 0) const {
    kernels_[1].launch(stream, grid, block, shared_bytes, y, x, n, by, up);
  }

  /// At most 64 threads per block.
  void loop(const kernelgen::Stream& stream, const kernelgen::Dim3& grid, const kernelgen::Dim3& block,
            const kernelgen::Pointer<double>& in, const kernelgen::Pointer<const std::int16_t>& stream_,
            std::uint32_t grid_, std::uint32_t shared_bytes = 0) const {
    kernels_[2].launch(stream, grid, block, shared_bytes, in, stream_, grid_);
  }

 private:
  std::array<kernelgen::PackageKernel, 3> kernels_;
};

}  // namespace shapes
