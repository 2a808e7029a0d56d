/// The element-wise operations by name: each is one row of a manifest.
#include "common/format.hpp"

#include "kernelgen/error.hpp"
#include "ops/map.hpp"

namespace kernelgen {
namespace {

const Device& device_of(std::string_view operation, const Tensor& x) {
  if (!x) throw Error(Code::invalid_argument, formatted("{}: the first input is no tensor", operation));
  return x.device();
}

Tensor run(Builtin op, std::string_view name, std::initializer_list<const Tensor*> inputs,
           std::initializer_list<Scalar> scalars, const CallOptions& options,
           std::optional<DType> result = std::nullopt) {
  return map(Operation::builtin(device_of(name, **inputs.begin()), op), {inputs.begin(), inputs.size()},
             {scalars.begin(), scalars.size()}, options, result);
}

}  // namespace

Tensor call(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars,
            const CallOptions& options) {
  if (inputs.empty()) throw Error(Code::invalid_argument, formatted("{}: no tensor given", operation));
  const Operation found = Operation::named(device_of(operation, inputs[0]), operation);
  std::array<const Tensor*, KERNELGEN_MAX_INPUTS> pointers{};
  for (std::size_t k = 0; k < inputs.size() && k < pointers.size(); ++k) pointers[k] = &inputs[k];
  if (inputs.size() > pointers.size())
    throw Error(Code::invalid_argument,
                formatted("{}: {} tensors given; it takes {}", operation, inputs.size(), found.inputs()));
  return map(found, Inputs(pointers).first(inputs.size()), scalars, options);
}

#define KERNELGEN_DEFINE(op) \
  Tensor op(const Tensor& x, const CallOptions& options) { return run(Builtin::op, #op, {&x}, {}, options); }
KERNELGEN_UNARY_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE
#define KERNELGEN_DEFINE(op)                                                \
  Tensor op(const Tensor& a, const Tensor& b, const CallOptions& options) { \
    return run(Builtin::op, #op, {&a, &b}, {}, options);                    \
  }
KERNELGEN_BINARY_OPERATIONS(KERNELGEN_DEFINE)
KERNELGEN_COMPARE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE

Tensor to_dtype(const Tensor& x, DType dtype, const CallOptions& options) {
  return run(Builtin::cast, "to_dtype", {&x}, {}, options, dtype);
}

Tensor powf(const Tensor& x, const Scalar& e, const CallOptions& options) {
  return run(Builtin::powf, "powf", {&x}, {e}, options);
}

Tensor elu(const Tensor& x, const Scalar& alpha, const CallOptions& options) {
  return run(Builtin::elu, "elu", {&x}, {alpha}, options);
}

Tensor affine(const Tensor& x, const Scalar& mul, const Scalar& add, const CallOptions& options) {
  return run(Builtin::affine, "affine", {&x}, {mul, add}, options);
}

Tensor where_cond(const Tensor& condition, const Tensor& a, const Tensor& b, const CallOptions& options) {
  const Tensor* const inputs[] = {&condition, &a, &b};
  check_inputs("where_cond", inputs);
  if (is_float(condition.dtype()))
    invalid(formatted("where_cond: the condition is {}; it has to be u8, u32, i16, i32 or i64",
                      name_of(condition.dtype())));
  if (a.dtype() != b.dtype())
    invalid(formatted("where_cond: a is {}, b {}; they must have one dtype", name_of(a.dtype()),
                      name_of(b.dtype())));
  return run(Builtin::where, "where_cond", {&condition, &a, &b}, {}, options);
}

}  // namespace kernelgen
