#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "ops/block_rows.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/quantized_plan.hpp"

namespace kernelgen {
Tensor quantize(const Tensor& x, DType format, const CallOptions& options) {
  constexpr const char* name = "quantize";
  const Tensor* const inputs[] = {&x};
  check_inputs(name, inputs);
  check_activation(name, "x is", x.dtype());
  check_quantizable(name, "the wanted format is", format);
  const std::int64_t block = block_elements(format);
  if (x.shape().empty() || x.shape().back() % block != 0)
    invalid(formatted("{}: x is {}; blocks of {} need a last dim that is a multiple of {}", name,
                      x.shape().to_string(), name_of(format), block));
  const Device& device = x.device();
  const Operation operation = Operation::builtin(device, Builtin::quantize);
  const std::uint32_t kernel = operation.kernel({&format, 1}, operation.form("blocks"));
  const Tensor y = output(name, device, x.shape(), format, options, inputs);
  if (y.elements() == 0) return y;
  const Tensor source = x.dtype() == DType::f32 ? make_contiguous(x, options.stream)
                                                : to_dtype(x, DType::f32, {.stream = options.stream});
  const std::int64_t blocks = x.elements() / block;
  launch(device, kernel, quantize_grid(blocks, block, traits_of(device)),
         Arguments().add(source.data()).add(y.data()).add(blocks), options.stream);
  return y;
}

}  // namespace kernelgen
