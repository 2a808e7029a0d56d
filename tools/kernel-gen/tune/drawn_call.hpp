#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "conformance/given_draws.hpp"
#include "kernelgen/ops.hpp"
#include "manifest/manifest.hpp"

namespace kernelgen::tool {

/// A call of an operation with operands that were drawn.
struct DrawnCall {
  std::vector<Tensor> inputs;
  std::vector<Scalar> scalars;

  /// "x f16 [64, 1000], w f16 [1000]"
  std::string describe(const OperationEntry& operation) const;
};

/// Draws calls of an operation: dtypes, ranks of 1 to 3 and extents, of which several are equal. Extents are
/// log-uniform, floats uniform from -1 to 1, integers from 0 to 7, scalars 1, unless the "draw" of the reference says more.
class CallDrawer {
 public:
  /// Inputs have at most 2^`most_bits` elements.
  CallDrawer(const OperationEntry& operation, const Reference& reference, std::uint64_t seed, int most_bits)
      : operation_(operation), reference_(reference), random_(seed), most_bits_(most_bits) {}

  /// Throws Unfit for shapes that are too large, and DimFault.
  DrawnCall draw(const Device& device);

 private:
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  std::int64_t extent(int bits);
  Shape shape(std::vector<std::int64_t>& extents);
  DrawSource source();
  Tensor tensor(const Device& device, const Shape& shape, DType type, const std::pair<double, double>* range);

  const OperationEntry& operation_;
  const Reference& reference_;
  std::mt19937_64 random_;
  int most_bits_;
};

}  // namespace kernelgen::tool
