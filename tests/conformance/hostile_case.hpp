#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "kernelgen/ops.hpp"

/// Calls with extreme numbers: each has to give an Error, or what the same call gives for plain copies of its operands.
namespace kernelgen::conformance {

__extension__ using Wide = __int128;

inline constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t one = 1;

/// Larger results are not computed: they would take too long.
inline constexpr Wide most_elements = 1 << 16;

/// A stream of random numbers, many of them extreme.
class Numbers {
 public:
  explicit Numbers(std::uint64_t stream) : stream_(stream << 32) {}

  std::uint64_t bits();
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
  }
  bool chance(int in) { return below(in) == 0; }
  /// Mostly small, so that calls get past their first check.
  std::int64_t number();
  std::int64_t dim() { return chance(3) ? number() : below(3); }
  double real();
  Size2 size() { return {number(), number()}; }
  Dims dims(std::int64_t rank);
  DType dtype();

 private:
  std::uint64_t stream_;
};

Wide count(const Shape& shape);

/// More than a test may take, and less than is refused for its size alone.
bool takes_long(const Shape& shape);

/// Small integers: sums of them are exact in any order.
Tensor small_tensor(const Shape& shape, DType dtype, Numbers& numbers);

/// Views without elements, with repeated ones, or with extreme strides of dims of extent 1.
Tensor odd_tensor(std::int64_t rank, DType dtype, Numbers& numbers);

/// The same elements in separate, contiguous memory.
Tensor plain(const Tensor& x);

using Bytes = std::vector<std::byte>;

/// The result of a call; nothing for an Error. Any other exception ends the test.
std::optional<Bytes> result_of(const std::function<Tensor()>& call);

using Operation1 = std::function<Tensor(const Tensor&)>;
using Operation2 = std::function<Tensor(const Tensor&, const Tensor&)>;

/// Expects the result for odd operands to be that for plain ones.
void expect_same(const Tensor& x, const Operation1& operation);
void expect_same(const Tensor& a, const Tensor& b, const Operation2& operation);

/// Runs the body with other numbers each time; KERNELGEN_HOSTILE_TURNS sets how often, 600 by default.
void repeatedly(std::uint64_t stream, const std::function<void(Numbers&)>& body);

}  // namespace kernelgen::conformance
