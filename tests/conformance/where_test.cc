#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/cast.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// About half of the elements are 0; the others are anything, most of them with a low byte that is not 0
/// or 1.
Elements conditions(DType dtype) {
  Elements values = pool(dtype);
  for (std::int64_t i = 0; i < values.count(); ++i)
    if (random_bits(static_cast<std::uint64_t>(i)) % 2 == 0) std::memset(values.at(i), 0, size_of(dtype));
  return values;
}

void test_where(DType condition, DType dtype) {
  Subject subject = called_by_name("where", {condition, dtype, dtype}, dtype);
  subject.pools = {conditions(condition), pool(dtype), pool(dtype)};
  subject.reference = [](std::span<const Elements> inputs) {
    return Wanted{reference::where(inputs[0], inputs[1], inputs[2]), {}};
  };
  subject.run = [](std::span<const Tensor> tensors, const CallOptions& options) {
    return where_cond(tensors[0], tensors[1], tensors[2], options);
  };
  Walk(subject).everything();
}

}  // namespace

void register_where_tests() {
  for (const DType condition : integer_dtypes)
    for (const DType dtype : all_dtypes)
      register_test("where", std::string(name_of(condition)) + "_" + std::string(name_of(dtype)),
                    [condition, dtype] { test_where(condition, dtype); });
}

}  // namespace kernelgen::conformance
