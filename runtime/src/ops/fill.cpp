#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"

namespace kernelgen {

void const_set(const Tensor& destination, const Scalar& value, const Stream& stream) {
  if (!destination)
    throw Error(Code::invalid_argument, "const_set: the destination is a default-constructed Tensor");
  if (is_quantized(destination.dtype()))
    throw Error(Code::invalid_argument, formatted("const_set: the destination is {}; it takes plain dtypes",
                                                  name_of(destination.dtype())));
  const DType type = destination.dtype();
  const ScalarElement element(value, type);
  check_stream(destination.device(), stream);
  const std::int64_t elements = destination.elements();
  if (elements == 0) return;
  destination.use(stream);
  const Device& device = destination.device();
  const Operation operation = Operation::builtin(device, Builtin::fill);
  const int bytes = static_cast<int>(size_of(type));
  const int per_thread = kg::pack_elements(&bytes, 1, false);
  if (destination.layout().is_contiguous()) {
    Arguments arguments;
    arguments.add(destination.data()).add(elements);
    element.add_to(arguments);
    launch(device, operation.kernel({&type, 1}, operation.form("contiguous")),
           element_grid(elements, per_thread * 2, traits_of(device)), arguments, stream);
    return;
  }
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("strided"));
  const Iteration<1> nest(destination.shape(), {&destination.layout()});
  nest.for_each_piece([&](const kg::Strided<1>& piece, const auto& offsets, std::int64_t) {
    Arguments arguments;
    arguments.add(element_address(destination, offsets[0])).add(piece);
    element.add_to(arguments);
    launch(device, kernel, element_grid(piece.elements, per_thread, traits_of(device)), arguments, stream);
  });
}

}  // namespace kernelgen
