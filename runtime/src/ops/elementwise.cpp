/// Named element-wise operations, including those whose functions take more than their manifests state.
#include "ops/elementwise.hpp"

#include <utility>
#include <vector>

#include "common/format.hpp"
#include "kernelgen/error.hpp"
#include "ops/body.hpp"
#include "ops/map.hpp"
#include "ops/map_product.hpp"
#include "ops/map_rows.hpp"
#include "ops/reduce.hpp"

namespace kernelgen {
namespace {

const Device& device_of(std::string_view operation, const Tensor& x) {
  if (!x)
    throw Error(Code::invalid_argument,
                formatted("{}: the first input is a default-constructed Tensor", operation));
  return x.device();
}

/// What a call by name is of.
struct NamedCall {
  Operation operation;
  std::array<const Tensor*, KERNELGEN_MAX_INPUTS> pointers{};
  Inputs inputs;

  NamedCall(std::string_view name, std::span<const Tensor> given) : operation(of(name, given)) {
    for (std::size_t i = 0; i < given.size() && i < pointers.size(); ++i) pointers[i] = &given[i];
    if (given.size() > pointers.size())
      throw Error(Code::invalid_argument,
                  formatted("{}: {} tensors given; it takes {}", name, given.size(), operation.inputs()));
    inputs = Inputs(pointers).first(given.size());
  }
  NamedCall(const NamedCall&) = delete;
  NamedCall& operator=(const NamedCall&) = delete;

  bool is_body() const { return operation.kind() == KERNELGEN_OPERATION_BODY; }
  /// Of an operation that is no body.
  Tensor run(std::span<const Scalar> scalars, const CallOptions& options) const {
    if (operation.kind() == KERNELGEN_OPERATION_REDUCE)
      return run_reduction(operation, inputs, std::nullopt, false, scalars, options);
    if (operation.kind() == KERNELGEN_OPERATION_MATMUL)
      return map_product(operation, inputs, scalars, options);
    if (operation.kind() == KERNELGEN_OPERATION_ROW) return map_rows(operation, inputs, scalars, options);
    return map(operation, inputs, scalars, options);
  }

 private:
  static Operation of(std::string_view name, std::span<const Tensor> given) {
    if (given.empty()) throw Error(Code::invalid_argument, formatted("{}: no tensor given", name));
    return Operation::named(device_of(name, given[0]), name);
  }
};

}  // namespace

Tensor call(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars,
            const CallOptions& options) {
  const NamedCall call(operation, inputs);
  if (!call.is_body()) return call.run(scalars, options);
  std::vector<Tensor> results = run_body(call.operation, call.inputs, scalars, options);
  if (results.size() != 1)
    invalid(formatted("{}: has {} results, which call_all() gives", operation, results.size()));
  return std::move(results[0]);
}

Results call_all(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars,
                 const Stream& stream) {
  const NamedCall call(operation, inputs);
  const CallOptions options{.stream = stream};
  if (call.is_body()) return run_body(call.operation, call.inputs, scalars, options);
  return {call.run(scalars, options)};
}

Tensor elementwise(Builtin op, std::string_view function, std::initializer_list<const Tensor*> inputs,
                   std::initializer_list<Scalar> scalars, const CallOptions& options,
                   std::optional<DType> result) {
  return map(Operation::builtin(device_of(function, **inputs.begin()), op), {inputs.begin(), inputs.size()},
             {scalars.begin(), scalars.size()}, options, result);
}

Tensor to_dtype(const Tensor& x, DType dtype, const CallOptions& options) {
  return elementwise(Builtin::cast, "to_dtype", {&x}, {}, options, dtype);
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
  return elementwise(Builtin::where, "where_cond", {&condition, &a, &b}, {}, options);
}

}  // namespace kernelgen
