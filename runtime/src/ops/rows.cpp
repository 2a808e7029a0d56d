#include "ops/rows.hpp"

#include <cmath>

#include "common/format.hpp"

#include "plan/row.hpp"

namespace kernelgen {

std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x) {
  if (x.shape().empty()) invalid(formatted("{}: {} has rank 0; it needs a last dim", operation, called));
  return x.shape().back();
}

std::uint32_t row_group(std::int64_t n, DType dtype) {
  const std::int64_t held = kg::held_elements(dtype == DType::f64 ? 8 : 4);
  return power_of_two(quotient_up(n, held), kg::block_threads);
}

LaunchShape row_grid(const Device& device, std::int64_t rows, std::int64_t n, std::uint32_t group) {
  DeviceState& state = state_of(device);
  if (state.threads() > 0) return element_grid(state, rows * n, 1);
  const std::int64_t rows_each = kg::block_threads / group;
  return block_grid(quotient_up(rows, rows_each));
}

void check_weights(std::string_view operation, const Tensor& x, Inputs weights) {
  const std::int64_t n = x.shape().back();
  for (const Tensor* weight : weights) {
    if (weight->dtype() != x.dtype())
      invalid(formatted("{}: x is {}, weight or bias {}; they must have one dtype", operation,
                        name_of(x.dtype()), name_of(weight->dtype())));
    if (!(weight->shape() == Shape{n}))
      invalid(formatted("{}: x is {}, weight or bias {}; they must be [{}]", operation, x.shape().to_string(),
                        weight->shape().to_string(), n));
  }
}

void check_eps(std::string_view operation, const Tensor& x, double eps) {
  // f32 is what eps is computed in, but for f64.
  const bool is_finite = std::isfinite(x.dtype() == DType::f64 ? eps : static_cast<float>(eps));
  if (!is_finite || eps < 0)
    invalid(formatted("{}: eps is {}; it has to be finite, for {} too, and not negative", operation, eps,
                      name_of(x.dtype())));
}

}  // namespace kernelgen
