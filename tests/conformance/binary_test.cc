#include "reference/binary.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "environment.hpp"
#include "functions.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Both inputs the same elements: all pairs are equal.
void check_equal_inputs(const Subject& subject) {
  const Elements values = repeat(pool(subject.inputs[0]), 0, 5000);
  const View view = make_view(Kind::contiguous, {values.count()});
  Walk(subject).check({"equal inputs", {view, view}}, {values, values}, Output::fresh);
}

void test_pairs(std::string_view operation, DType input, DType output, const Bound& bound,
                Elements (*reference)(std::string_view, const Elements&, const Elements&)) {
  Subject subject = called_by_name(std::string(operation), {input, input}, output);
  subject.bound = bound;
  subject.reference = [=](std::span<const Elements> inputs) {
    return Wanted{reference(operation, inputs[0], inputs[1]), {}};
  };
  Walk(subject).everything();
  if (operation == "sub" || output == DType::f16) Walk(subject).tiles();
  check_equal_inputs(subject);
  if (operation == "add" && size_of(output) >= 4) Walk(subject).beyond_caches();

  subject.run = [operation](std::span<const Tensor> tensors, const CallOptions&) {
    return call_function(operation, tensors);
  };
  const View view = make_view(Kind::contiguous, {300});
  Walk(subject).check({"named function", {view, view}},
                      {repeat(pool(input), 0, 300), repeat(pool(input), 77, 300)}, Output::fresh);
}

}  // namespace

void register_binary_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    for (const std::string_view operation : reference::binary_operations())
      register_test(std::string(operation), types, [operation, dtype] {
        test_pairs(operation, dtype, dtype, bound_of(operation, dtype), reference::binary);
      });
    for (const std::string_view operation : reference::compare_operations())
      register_test(std::string(operation), types, [operation, dtype] {
        test_pairs(operation, dtype, DType::u8, bound_of("compare", DType::u8), reference::compare);
      });
  }
}

}  // namespace kernelgen::conformance
