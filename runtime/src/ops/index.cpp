#include "ops/index.hpp"

#include "common/format.hpp"

#include "ops/output.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {

void check_ids(std::string_view operation, const Tensor& ids) {
  if (is_float(ids.dtype()) || is_quantized(ids.dtype()))
    invalid(formatted("{}: ids are {}; they have to be u8, u32, i16, i32 or i64", operation,
                      name_of(ids.dtype())));
}

Layout without_dim(const Layout& layout, const Shape& shape, std::size_t dim) {
  Layout walked{shape, layout.strides, 0};
  walked.strides[dim] = 0;
  return walked;
}

IndexWalk::IndexWalk(const IndexOperation& operation, const Shape& shape, std::size_t dim, std::int64_t size,
                     const Tensor& ids)
    : operation(operation),
      shape(shape),
      dim(dim),
      size(size),
      ids(ids),
      ids_layout{shape, {}, 0},
      inner(0),
      count(ids.elements()) {
  const bool a_slice_each = ids.shape().size() != shape.size() || shape.size() == 1;
  Checked neighbours = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!a_slice_each)
      ids_layout.strides.push_back(ids.layout().strides[d]);
    else
      ids_layout.strides.push_back(d == dim ? ids.layout().strides[0] : 0);
    if (a_slice_each && d > dim) neighbours = neighbours * shape[d];
  }
  // Too many are those of a walk without elements.
  inner = neighbours.value_or(0);
}

void IndexWalk::add_check(Arguments& arguments, const IndexFaults::Call& call) const {
  arguments.add(call.record()).add(call.number(dim)).add(&operation).add(size).add(inner).add(count);
}

}  // namespace kernelgen
