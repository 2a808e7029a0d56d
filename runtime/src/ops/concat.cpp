#include <vector>

#include "common/format.hpp"

#include "kernelgen/ops.hpp"
#include "ops/output.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

/// Checks all tensors but the first against it; `dim` is that of the result.
void check_parts(std::string_view name, std::span<const Tensor> tensors, std::size_t dim) {
  const Tensor& first = tensors.front();
  for (std::size_t k = 1; k < tensors.size(); ++k) {
    const Tensor& tensor = tensors[k];
    if (tensor.dtype() != first.dtype())
      invalid(formatted("{}: input 1 is {}, input {} {}; they must have one dtype", name,
                        name_of(first.dtype()), k + 1, name_of(tensor.dtype())));
    Shape like = tensor.shape();
    if (dim < like.size() && like.size() == first.shape().size()) like[dim] = first.shape()[dim];
    if (!(like == first.shape()))
      invalid(formatted("{}: input 1 is {}, input {} {}; the shapes may differ in dim {} only", name,
                        first.shape().to_string(), k + 1, tensor.shape().to_string(), dim));
  }
}

Tensor join(std::string_view name, std::span<const Tensor> tensors, std::size_t dim,
            const CallOptions& options) {
  check_parts(name, tensors, dim);
  const Tensor& first = tensors.front();
  std::vector<const Tensor*> inputs;
  Shape shape = first.shape();
  Checked length = 0;
  for (const Tensor& tensor : tensors) {
    inputs.push_back(&tensor);
    length = length + tensor.shape()[dim];
  }
  if (!length.fits())
    invalid(formatted("{}: the inputs have more than 2^63 - 1 elements along dim {}", name, dim));
  shape[dim] = length.value_or(0);
  const Tensor out = output(name, first.device(), shape, first.dtype(), options, inputs);
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    const std::int64_t count = tensor.shape()[dim];
    if (tensor.elements() > 0) {
      const Tensor part = out.narrow(static_cast<std::int64_t>(dim), start, count);
      // A copy to contiguous elements takes tiles where they are faster.
      if (part.layout().is_contiguous())
        copy(tensor, {options.stream, &part});
      else
        copy_into(part, tensor, options.stream);
    }
    start += count;
  }
  return out;
}

void check_any(std::string_view name, std::span<const Tensor> tensors) {
  if (tensors.empty()) invalid(formatted("{}: there are no inputs; it takes one or more", name));
  std::vector<const Tensor*> inputs;
  for (const Tensor& tensor : tensors) inputs.push_back(&tensor);
  check_tensors(name, inputs);
}

}  // namespace

Tensor concat(std::span<const Tensor> tensors, std::int64_t dim, const CallOptions& options) {
  check_any("concat", tensors);
  return join("concat", tensors, normalize_dim("concat", dim, tensors.front().shape().size()), options);
}

Tensor stack(std::span<const Tensor> tensors, std::int64_t dim, const CallOptions& options) {
  check_any("stack", tensors);
  const std::size_t rank = tensors.front().shape().size();
  if (rank == max_rank)
    invalid(
        formatted("stack: the inputs have rank {}; the result would have more than {} dims", rank, max_rank));
  for (std::size_t k = 1; k < tensors.size(); ++k)
    if (!(tensors[k].shape() == tensors[0].shape()))
      invalid(formatted("stack: input 1 is {}, input {} {}; they must have one shape",
                        tensors[0].shape().to_string(), k + 1, tensors[k].shape().to_string()));
  const std::size_t at = normalize_dim("stack", dim, rank + 1);
  if (is_quantized(tensors.front().dtype()) && at == rank)
    invalid(formatted("stack: the inputs are {}; the last dim of blocks cannot be a new one",
                      name_of(tensors.front().dtype())));
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(tensor.unsqueeze(static_cast<std::int64_t>(at)));
  return join("stack", parts, at, options);
}

}  // namespace kernelgen
