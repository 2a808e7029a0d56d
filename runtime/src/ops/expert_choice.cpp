#include "ops/expert_choice.hpp"

#include "ops/block_rows.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "plan/quantized.hpp"

namespace kernelgen {

Tensor group_columns(const ExpertChoice& choice, std::int64_t tiles, std::uint32_t width, bool is_padded,
                     const Tensor& y, const Stream& stream) {
  const Device& device = y.device();
  const Operation operation = Operation::builtin(device, Builtin::group_columns);
  const auto words = static_cast<std::int64_t>(kg::expert_tile_words(width));
  const Tensor grouped = Tensor::empty(device, {tiles, words}, DType::u32, stream);
  if (is_padded) const_set(grouped, 0xffffffffu, stream);
  const Tensor counts = Tensor::empty(device, {3 * choice.experts + 1}, DType::u32, stream);
  const std::int64_t columns = choice.ids.elements();
  const Arguments arguments = Arguments()
                                  .add(choice.ids.data())
                                  .add(static_cast<std::uint32_t>(choice.ids.dtype()))
                                  .add(columns)
                                  .add(choice.experts)
                                  .add(grouped.data())
                                  .add(tiles)
                                  .add(width)
                                  .add(counts.data())
                                  .add(y.data())
                                  .add(activation_type(y.dtype()))
                                  .add(y.elements() / columns)
                                  .add(choice.call.record())
                                  .add(choice.call.number(0))
                                  .add(&choice.operation);
  const LaunchShape shape = block_grid(1, traits_of(device).on_cpu() ? 1 : kg::group_columns_threads);
  launch(device, operation.kernel({}, operation.form("tiles")), shape, arguments, stream);
  return grouped;
}

}  // namespace kernelgen
