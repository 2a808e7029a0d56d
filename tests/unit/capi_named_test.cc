// The C functions of element-wise operations: each runs the operation of its name, with its operands in order,
// and reports the wrong one.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

template <class Wanted, class... Types>
constexpr std::size_t count_of = (std::size_t{0} + ... + std::is_same_v<Wanted, Types>);

class CapiNamed : public Capi {
 protected:
  template <class... Parameters>
  void check(const char* name, kernelgen_status (*function)(Parameters...)) {
    SCOPED_TRACE(name);
    constexpr std::size_t inputs = count_of<const kernelgen_tensor*, Parameters...> - 1;  // one is `out`
    constexpr std::size_t scalars = count_of<kernelgen_scalar, Parameters...>;
    const kernelgen_tensor* const tensors[] = {make({0.75f, -2, 2}, {3}), make({2, 2, 0.5f}, {3}),
                                               make({1, 0, 1}, {3})};
    const kernelgen_scalar numbers[] = {kernelgen_real(3), kernelgen_real(0.5), kernelgen_integer(2),
                                        kernelgen_real(0.25)};
    static_assert(inputs <= std::size(tensors) && scalars <= std::size(numbers));
    kernelgen_tensor *named = nullptr, *called = nullptr;
    [&]<std::size_t... i, std::size_t... s>(std::index_sequence<i...>, std::index_sequence<s...>) {
      ok(function(tensors[i]..., numbers[s]..., nullptr, nullptr, &named));
    }(std::make_index_sequence<inputs>{}, std::make_index_sequence<scalars>{});
    ok(kernelgen_call(name, tensors, inputs, numbers, scalars, nullptr, nullptr, &called));
    EXPECT_EQ(read<unsigned char>(keep(named)), read<unsigned char>(keep(called)));
    ++functions_;
  }

  int functions_ = 0;
};

TEST_F(CapiNamed, EachRunsTheOperationOfItsName) {
#define KERNELGEN_FUNCTION(name) check(#name, kernelgen_##name);
#include "functions.inc"
#undef KERNELGEN_FUNCTION
  EXPECT_GE(functions_, 30);
}

TEST_F(CapiNamed, GiveWhatTheirNameSays) {
  kernelgen_tensor *difference = nullptr, *less = nullptr, *product = nullptr;
  const kernelgen_tensor *a = make({1, 2}, {2}), *b = make({3, 2}, {2});
  ok(kernelgen_sub(a, b, nullptr, nullptr, &difference));
  EXPECT_EQ(read(keep(difference)), (std::vector<float>{-2, 0}));
  ok(kernelgen_lt(a, b, nullptr, nullptr, &less));
  EXPECT_EQ(read<uint8_t>(keep(less)), (std::vector<uint8_t>{1, 0}));
  ok(kernelgen_affine(a, kernelgen_real(3), kernelgen_real(0.5), nullptr, nullptr, &product));
  EXPECT_EQ(read(keep(product)), (std::vector<float>{3.5, 6.5}));
}

TEST_F(CapiNamed, CallAllGivesEachResult) {
  const kernelgen_tensor* x = make({1, 2}, {2});
  kernelgen_tensor* results[KERNELGEN_MAX_RESULTS] = {};
  size_t count = 0;
  ok(kernelgen_call_all("neg", &x, 1, nullptr, 0, nullptr, results, KERNELGEN_MAX_RESULTS, &count));
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(read(keep(results[0])), (std::vector<float>{-1, -2}));
  fails(kernelgen_call_all("neg", &x, 1, nullptr, 0, nullptr, results, 0, &count), KERNELGEN_INVALID_ARGUMENT,
        "kernelgen_call_all: capacity is 0; neg has 1 results");
  fails(kernelgen_call_all("neg", &x, 1, nullptr, 0, nullptr, results, 1, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "kernelgen_call_all: count is NULL");
}

TEST_F(CapiNamed, ReductionsByNameTakeDims) {
  const kernelgen_tensor* x = make({1, 2, 3, 4}, {2, 2});
  const int64_t dim = 0, beyond = 2;
  kernelgen_tensor *kept = nullptr, *all = nullptr;
  ok(kernelgen_reduce("sum", x, 1, &dim, 1, nullptr, nullptr, &kept));
  EXPECT_EQ(read(keep(kept)), (std::vector<float>{4, 6}));
  ok(kernelgen_call("sum", &x, 1, nullptr, 0, nullptr, nullptr, &all));
  EXPECT_EQ(read(keep(all)), (std::vector<float>{10}));
  ok(kernelgen_reduce_inputs("sum", &x, 1, 1, &dim, 1, nullptr, 0, nullptr, nullptr, &kept));
  EXPECT_EQ(read(keep(kept)), (std::vector<float>{4, 6}));
  const kernelgen_scalar two = kernelgen_real(2);
  fails(kernelgen_reduce_inputs("sum", &x, 1, 1, &dim, 0, &two, 1, nullptr, nullptr, &kept),
        KERNELGEN_INVALID_ARGUMENT, "sum: 1 tensors and 1 numbers given; it takes 1 and 0");
  fails(kernelgen_reduce_inputs("sum", nullptr, 1, 1, &dim, 0, nullptr, 0, nullptr, nullptr, &kept),
        KERNELGEN_INVALID_ARGUMENT, "inputs is NULL");
  fails(kernelgen_reduce("summ", x, 1, &dim, 0, nullptr, nullptr, &kept), KERNELGEN_NOT_FOUND, "sum");
  fails(kernelgen_reduce("exp", x, 1, &dim, 0, nullptr, nullptr, &kept), KERNELGEN_INVALID_ARGUMENT,
        "exp: not a reduction");
  fails(kernelgen_reduce("sum", x, 1, &beyond, 0, nullptr, nullptr, &kept), KERNELGEN_INVALID_ARGUMENT,
        "dim 2");
  fails(kernelgen_reduce(nullptr, x, 1, &dim, 0, nullptr, nullptr, &kept), KERNELGEN_INVALID_ARGUMENT,
        "operation");
}

TEST_F(CapiNamed, NameTheFirstOperandThatIsWrong) {
  const kernelgen_tensor* x = make({1}, {1});
  kernelgen_tensor* y = nullptr;
  fails(kernelgen_add(nullptr, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "kernelgen_add: a ");
  fails(kernelgen_add(x, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "kernelgen_add: b ");
  fails(kernelgen_exp(x, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT, "kernelgen_exp: result ");
}

}  // namespace
}  // namespace kernelgen::test
