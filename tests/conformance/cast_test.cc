#include "reference/cast.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

Subject cast_subject(DType from, DType to) {
  Subject subject;
  subject.operation = "cast";
  subject.inputs = {from};
  subject.output = to;
  subject.bound = bound_of("cast", to);
  subject.run = [to](std::span<const Tensor> tensors, const CallOptions& options) {
    return to_dtype(tensors[0], to, options);
  };
  subject.reference = [to](std::span<const Elements> inputs) {
    return Wanted{reference::cast(inputs[0], to), {}};
  };
  return subject;
}

LayoutCase flat(const char* name, const Elements& elements) {
  return {name, {make_view(Kind::contiguous, {elements.count()})}};
}

/// One- and two-byte sources go through all their bit patterns in the walk itself.
void test_cast(DType from, DType to) {
  Walk walk(cast_subject(from, to));
  walk.everything();
  if (size_of(from) <= 2) return;
  const Elements boundaries = rounding_boundaries(from, to);
  walk.check(flat("rounding boundaries", boundaries), {boundaries}, Output::guarded);
  if (!is_float(from) || !is_float(to)) return;
  const Elements random = random_patterns(from, 1 << 20, 1);
  walk.check(flat("random bit patterns", random), {random}, Output::guarded);
}

void test_every_f32(DType to) {
  Walk walk(cast_subject(DType::f32, to));
  constexpr std::uint64_t step = std::uint64_t{1} << 24;
  for (std::uint64_t start = 0; start < std::uint64_t{1} << 32; start += step) {
    Elements patterns(DType::f32, static_cast<std::int64_t>(step));
    const auto bits = patterns.as<std::uint32_t>();
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint32_t>(start + i);
    walk.check(flat("every bit pattern", patterns), {patterns}, Output::fresh);
  }
}

}  // namespace

void register_cast_tests() {
  for (const DType from : all_dtypes)
    for (const DType to : all_dtypes)
      register_test("cast", std::string(name_of(from)) + "_" + std::string(name_of(to)),
                    [from, to] { test_cast(from, to); });
  for (const DType to : {DType::bf16, DType::f16, DType::f8e4m3})
    register_exhaustive_test("cast", "f32_" + std::string(name_of(to)), [to] { test_every_f32(to); });
}

}  // namespace kernelgen::conformance
