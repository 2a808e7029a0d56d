#pragma once
#include <span>

#include "ops/arguments.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Most tensors that an element-wise call reads: on CPUs each more doubles the loops of a kernel for layouts, one for each
/// choice of those that are broadcast along a row, and takes as much longer to compile.
inline constexpr std::size_t max_map_inputs = 6;

enum class MapForm { contiguous, strided, tiled };

/// The kernels that compute one element-wise function of one combination of dtypes (kernels/map.hpp). They take the inputs'
/// addresses, the result's, the number of elements or their layout, then the scalars.
class MapKernels {
 public:
  virtual ~MapKernels() = default;
  /// Whether there is one for two inputs that reads one of them in tiles.
  virtual bool has_tiles() const { return false; }
  /// Throws Error.
  virtual void launch(MapForm form, const LaunchShape& shape, const Arguments& arguments) const = 0;
};

/// An element-wise call that was checked.
struct MapCall {
  Inputs inputs;  ///< at least one, each of which broadcasts to the result's shape
  std::span<const Scalar> scalars;
  std::span<const DType> scalar_types;
  const Tensor& out;  ///< contiguous
  const MapKernels& kernels;

  /// Launches what computes `out`; nothing where that is empty.
  void run() const;
};

}  // namespace kernelgen
