#include "reference/unary.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "environment.hpp"
#include "functions.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

void test_unary(std::string_view operation, DType dtype) {
  Subject subject = called_by_name(std::string(operation), {dtype}, dtype);
  subject.reference = [operation](std::span<const Elements> inputs) {
    return Wanted{reference::unary(operation, inputs[0]), {}};
  };
  Walk(subject).everything();

  subject.run = [operation](std::span<const Tensor> tensors, const CallOptions&) {
    return call_function(operation, tensors);
  };
  Walk(subject).check({"named function", {make_view(Kind::contiguous, {300})}}, {repeat(pool(dtype), 0, 300)},
                      Output::fresh);
}

}  // namespace

void register_unary_tests() {
  for (const std::string_view operation : reference::unary_operations())
    for (const DType dtype : all_dtypes)
      if (is_float(dtype) || reference::takes_integers(operation))
        register_test(std::string(operation), std::string(name_of(dtype)),
                      [operation, dtype] { test_unary(operation, dtype); });
}

}  // namespace kernelgen::conformance
