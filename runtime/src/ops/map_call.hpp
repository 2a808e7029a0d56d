#pragma once
#include <span>

#include "ops/arguments.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"

namespace kernelgen {

/// Maximum tensors an element-wise call reads. On CPUs each additional one doubles the loops of a strided
/// kernel, one per combination of operands broadcast along a row, and thereby the compile time.
inline constexpr std::size_t max_map_inputs = 6;

enum class MapForm { contiguous, strided, tiled };

/// The kernels of one element-wise function for one combination of dtypes (kernels/map.hpp). They take the
/// inputs' addresses, the result's address, the number of elements or the layout, then the scalars.
class MapKernels {
 public:
  virtual ~MapKernels() = default;
  /// Whether there is a kernel for two inputs that reads one of them in tiles.
  virtual bool has_tiles() const { return false; }
  /// Throws Error.
  virtual void launch(MapForm form, const LaunchShape& shape, const Arguments& arguments) const = 0;
};

/// A validated element-wise call.
struct MapCall {
  Inputs inputs;  ///< at least one; each broadcasts to the result's shape
  std::span<const ScalarElement> scalars;
  const Tensor& out;  ///< contiguous
  const MapKernels& kernels;
  const Stream& stream;  ///< that of the kernels

  /// Launches the kernels that compute `out`; does nothing if it is empty.
  void run() const;
};

}  // namespace kernelgen
