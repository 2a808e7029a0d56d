// Reductions of several inputs and with scalars: what the references of manifests/forms.json do not draw.
#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

using List = std::vector<Tensor>;
using Dims = std::vector<std::int64_t>;

TEST(ReduceInputs, AreBroadcastAndReducedAlongAnyDims) {
  const Values x = numbers(5 * 70 * 33), w = numbers(70);
  const Tensor t = tensor(x, {5, 70, 33}, DType::f32), weight = tensor(w, {70, 1}, DType::f32);
  Values rows(5 * 33), all(1);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t k = 0; k < 70; ++k)
      for (std::size_t j = 0; j < 33; ++j) {
        const double product = x[(i * 70 + k) * 33 + j] * w[k];
        rows[i * 33 + j] += product;
        all[0] += product;
      }
  const Tensor columns = reduce_inputs("weighted_sum", List{t, weight}, Dims{1}, true);
  EXPECT_EQ(columns.shape(), (Shape{5, 1, 33}));
  expect_near(columns, rows, 1e-5);
  // The input with fewer dims may come first, and views need no copy.
  const Tensor turned = t.transpose(0, 2).transpose(0, 2).narrow(0, 1, 4);
  expect_near(reduce_inputs("weighted_sum", List{weight, turned}, Dims{-2}), {rows.begin() + 33, rows.end()},
              1e-5);
  expect_near(call("weighted_sum", List{t, weight}), all, 1e-4);
  expect_near(reduce_inputs("weighted_sum", List{t, weight}, Dims{0, 1, 2}), all, 1e-4);
}

TEST(ReduceInputs, FewLongResultsAreSplit) {
  const std::int64_t n = is_simulated() ? 70'001 : 3'000'001;
  const Values x = numbers(n);
  double sum = 0;
  for (const double v : x) sum += v * v;
  const Tensor t = tensor(x, {n}, DType::f32);
  expect_near(call("weighted_sum", List{t, t}), {sum}, 2e-6);
  const Tensor column = tensor(x, {n, 1}, DType::f32).broadcast_to({n, 3});
  expect_near(reduce_inputs("weighted_sum", List{column, t.unsqueeze(1)}, Dims{0}), {sum, sum, sum}, 2e-6);
}

TEST(ReduceInputs, ScalarsAreThoseOfTheElements) {
  const Tensor integers = to_dtype(tensor({1, 2, 3, 4}, {4}, DType::f32), DType::i64);
  const std::vector<Scalar> bound = {2};
  expect_near(call("sum_above", List{integers}, bound), {7}, 0);
  expect_near(reduce_inputs("sum_above", List{integers}, Dims{}, false, bound), {0, 0, 3, 4}, 0);
  const Tensor none = Tensor::empty(device(), {2, 0}, DType::f32);
  const std::vector<Scalar> scalars = {2.0, 0.5};
  expect_near(reduce_inputs("weighted_sum", List{none, none}, Dims{1}), {0, 0}, 0);
  EXPECT_EQ(reduce_inputs("weighted_sum", List{none, none}, Dims{0}).shape(), Shape{0});
}

TEST(ReduceInputs, Refuses) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32), z = tensor(numbers(4), {4}, DType::f32);
  const Dims last = {1}, beyond = {2};
  expect_error(Code::invalid_argument, {"weighted_sum: 1 tensors and 0 numbers given; it takes 2 and 0"},
               [&] { reduce("weighted_sum", x, last); });
  expect_error(Code::invalid_argument, {"sum_above: 1 tensors and 0 numbers given; it takes 1 and 1"},
               [&] { call("sum_above", List{x}); });
  expect_error(Code::invalid_argument, {"weighted_sum", "[2, 3]", "[4]"},
               [&] { call("weighted_sum", List{x, z}); });
  expect_error(Code::invalid_argument, {"weighted_sum", "dim 2"},
               [&] { reduce_inputs("weighted_sum", List{x, x}, beyond); });
  expect_error(Code::invalid_argument, {"operand w is f16, the one before it f32"},
               [&] { call("weighted_sum", List{x, to_dtype(x, DType::f16)}); });
  expect_error(Code::invalid_argument, {"weighted_sum: 0 tensors given; an operation takes 1 to 3"},
               [&] { reduce_inputs("weighted_sum", List{}, last); });
  expect_error(Code::invalid_argument, {"own_layer_norm: not a reduction"},
               [&] { reduce_inputs("own_layer_norm", List{x, x, z}, last); });
}

}  // namespace
}  // namespace kernelgen::forms
