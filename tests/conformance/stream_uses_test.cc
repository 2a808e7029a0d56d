// Every operation declares the memory that it reads and writes, so that other streams and the release of the memory wait
// for it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "environment.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen::conformance {
namespace {

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

struct Call {
  const char* name;
  std::vector<Tensor> read, written;
  std::function<void(const Call&, const Stream&)> put;
};

std::vector<Call> calls() {
  static constexpr std::int64_t dim = 0;
  const Tensor none;
  const auto x = [] { return zeros({2, 2}); };
  const auto row = [] { return zeros({2}); };
  const auto ids = [](const Shape& shape) { return zeros(shape, DType::u32); };
  const auto image = [] { return zeros({1, 1, 4, 4}); };
  const auto heads = [] { return zeros({1, 1, 2, 8}); };
  const auto blocks = [] { return zeros({2, 32}, DType::q8_0); };
  using C = const Call&;
  using S = const Stream&;
  return {
      {"to_host", {x()}, {}, [](C c, S s) { c.read[0].to_host(s); }},
      {"to_host of a view", {x()}, {}, [](C c, S s) { c.read[0].transpose(0, 1).to_host(s); }},
      {"exp", {x()}, {x()}, [](C c, S s) { exp(c.read[0], {.stream = s, .out = c.written.data()}); }},
      {"exp of a view", {x()}, {}, [](C c, S s) { exp(c.read[0].transpose(0, 1), {.stream = s}); }},
      {"add",
       {x(), x()},
       {x()},
       [](C c, S s) { add(c.read[0], c.read[1], {.stream = s, .out = c.written.data()}); }},
      {"add in place",
       {x()},
       {x()},
       [](C c, S s) { add(c.written[0], c.read[0], {.stream = s, .out = c.written.data()}); }},
      {"where_cond",
       {zeros({2, 2}, DType::u8), x(), x()},
       {},
       [](C c, S s) { where_cond(c.read[0], c.read[1], c.read[2], {.stream = s}); }},
      {"to_dtype", {x()}, {}, [](C c, S s) { to_dtype(c.read[0], DType::f16, {.stream = s}); }},
      {"copy", {x()}, {x()}, [](C c, S s) { copy(c.read[0], {.stream = s, .out = c.written.data()}); }},
      {"copy of blocks", {blocks()}, {}, [](C c, S s) { copy(c.read[0], {.stream = s}); }},
      {"copy_into", {x()}, {x()}, [](C c, S s) { copy_into(c.written[0], c.read[0], s); }},
      {"copy2d", {x()}, {x()}, [](C c, S s) { copy2d(c.written[0], c.read[0], 1, 2, 2, 2, 0, 0, s); }},
      {"const_set", {}, {x()}, [](C c, S s) { const_set(c.written[0], 1, s); }},
      {"sum",
       {x()},
       {row()},
       [](C c, S s) { sum(c.read[0], {&dim, 1}, false, {.stream = s, .out = c.written.data()}); }},
      {"argmax", {x()}, {}, [](C c, S s) { argmax(c.read[0], 0, false, {.stream = s}); }},
      {"max_with_index",
       {x()},
       {row(), ids({2})},
       [](C c, S s) {
         max_with_index(c.read[0], 0, false,
                        {.stream = s, .values = c.written.data(), .indices = &c.written[1]});
       }},
      {"softmax", {x()}, {}, [](C c, S s) { softmax(c.read[0], {.stream = s}); }},
      {"layer_norm",
       {x(), row(), row()},
       {},
       [](C c, S s) { layer_norm(c.read[0], c.read[1], c.read[2], 1, {.stream = s}); }},
      {"add_layer_norm",
       {x(), x(), row(), row()},
       {x(), x()},
       [](C c, S s) {
         add_layer_norm(c.read[0], c.read[1], c.read[2], c.read[3], 1,
                        {.stream = s, .sum = c.written.data(), .norm = &c.written[1]});
       }},
      {"silu_mul", {x(), x()}, {}, [](C c, S s) { silu_mul(c.read[0], c.read[1], {.stream = s}); }},
      {"cross_entropy",
       {x(), ids({2})},
       {row(), row()},
       [](C c, S s) {
         cross_entropy(c.read[0], c.read[1],
                       {.stream = s, .loss = c.written.data(), .log_sum_exp = &c.written[1]});
       }},
      {"matmul",
       {x(), x()},
       {x()},
       [](C c, S s) { matmul(c.read[0], c.read[1], {.stream = s, .out = c.written.data()}); }},
      {"quantize", {zeros({2, 32})}, {}, [](C c, S s) { quantize(c.read[0], DType::q8_0, {.stream = s}); }},
      {"dequantize", {blocks()}, {}, [](C c, S s) { dequantize(c.read[0], DType::f32, {.stream = s}); }},
      {"get_rows",
       {blocks(), ids({1})},
       {},
       [](C c, S s) { get_rows(c.read[0], c.read[1], DType::f32, {.stream = s}); }},
      {"set_rows",
       {ids({1}), zeros({1, 32})},
       {blocks()},
       [](C c, S s) { set_rows(c.written[0], c.read[0], c.read[1], s); }},
      {"rope_set_rows",
       {zeros({1, 1, 2}), zeros({1, 1, 2}), zeros({1, 2}), zeros({1, 1}), zeros({1, 1}), ids({1}), ids({1})},
       {x(), x()},
       [](C c, S s) {
         rope_set_rows(c.read[0], c.read[1], c.read[2], c.read[3], c.read[4], c.written[0], c.read[5],
                       c.written[1], c.read[6], false, {.stream = s});
       }},
      {"concat", {x(), x()}, {}, [](C c, S s) { concat(std::span(c.read).first(2), 0, {.stream = s}); }},
      {"pad",
       {x()},
       {},
       [](C c, S s) {
         constexpr std::int64_t one[] = {1};
         pad(c.read[0], one, one, 0, {.stream = s});
       }},
      {"diag", {x()}, {}, [](C c, S s) { diag(c.read[0], {.stream = s}); }},
      {"tril", {x()}, {}, [](C c, S s) { tril(c.read[0], 0, 0, {.stream = s}); }},
      {"timestep_embedding",
       {row()},
       {},
       [](C c, S s) { timestep_embedding(c.read[0], 4, 10, {.stream = s}); }},
      {"scaled_softmax",
       {x(), x()},
       {},
       [](C c, S s) { scaled_softmax(c.read[0], {.stream = s, .mask = &c.read[1]}); }},
      {"linear_recurrence",
       {zeros({1, 2, 1, 4}), zeros({1, 2, 1, 4}), zeros({1, 2, 1, 3})},
       {zeros({1, 1, 3, 4})},
       [](C c, S s) { linear_recurrence(c.read[0], c.read[1], c.read[2], c.written[0], {.stream = s}); }},
      {"solve_triangular",
       {zeros({2, 2}), zeros({2, 3})},
       {},
       [](C c, S s) { solve_triangular(c.read[0], c.read[1], false, false, {.stream = s}); }},
      {"group_norm", {x()}, {}, [](C c, S s) { group_norm(c.read[0], 1, 1, {.stream = s}); }},
      {"l2_norm", {x()}, {}, [](C c, S s) { l2_norm(c.read[0], 1, {.stream = s}); }},
      {"quantized_matmul",
       {zeros({2, 32}), blocks()},
       {},
       [](C c, S s) { quantized_matmul(c.read[0], c.read[1], {.stream = s}); }},
      {"sort",
       {x()},
       {x(), ids({2, 2})},
       [](C c, S s) {
         sort(c.read[0], true, {.stream = s, .values = c.written.data(), .indices = &c.written[1]});
       }},
      {"arg_sort", {x()}, {}, [](C c, S s) { arg_sort(c.read[0], true, {.stream = s}); }},
      {"top_k", {x()}, {}, [](C c, S s) { top_k(c.read[0], 1, -1, {.stream = s}); }},
      {"cumsum", {x()}, {}, [](C c, S s) { cumsum(c.read[0], 0, {.stream = s}); }},
      {"gather", {x(), ids({2, 2})}, {}, [](C c, S s) { gather(c.read[0], 0, c.read[1], {.stream = s}); }},
      {"index_select",
       {x(), ids({2})},
       {},
       [](C c, S s) { index_select(c.read[0], 0, c.read[1], {.stream = s}); }},
      {"index_add",
       {x(), ids({2}), x()},
       {},
       [](C c, S s) { index_add(c.read[0], 0, c.read[1], c.read[2], false, {.stream = s}); }},
      {"scatter_set",
       {ids({2, 2}), x()},
       {x()},
       [](C c, S s) { scatter_set(c.written[0], 0, c.read[0], c.read[1], s); }},
      {"scatter_add_set",
       {ids({2, 2}), x()},
       {x()},
       [](C c, S s) { scatter_add_set(c.written[0], 0, c.read[0], c.read[1], true, s); }},
      {"conv2d",
       {image(), zeros({1, 1, 3, 3})},
       {},
       [](C c, S s) { conv2d(c.read[0], c.read[1], {}, {.stream = s}); }},
      {"conv_transpose2d",
       {image(), zeros({1, 1, 3, 3})},
       {},
       [](C c, S s) { conv_transpose2d(c.read[0], c.read[1], {}, {.stream = s}); }},
      {"max_pool2d", {image()}, {}, [](C c, S s) { max_pool2d(c.read[0], {2, 2}, {2, 2}, {.stream = s}); }},
      {"upsample_nearest2d",
       {image()},
       {},
       [](C c, S s) { upsample_nearest2d(c.read[0], {5, 5}, {.stream = s}); }},
      {"upsample_bilinear2d",
       {image()},
       {},
       [](C c, S s) { upsample_bilinear2d(c.read[0], {5, 5}, false, {}, {.stream = s}); }},
      {"rope",
       {heads(), zeros({2, 4}), zeros({2, 4})},
       {},
       [](C c, S s) { rope(c.read[0], c.read[1], c.read[2], {.stream = s}); }},
      {"rope_qk",
       {heads(), heads(), zeros({2, 4}), zeros({2, 4})},
       {heads(), heads()},
       [](C c, S s) {
         rope_qk(c.read[0], c.read[1], c.read[2], c.read[3],
                 {.stream = s, .q = c.written.data(), .k = &c.written[1]});
       }},
      {"attention",
       {heads(), heads(), heads(), zeros({2, 2}), zeros({1}), zeros({1}), ids({1}), ids({1})},
       {heads(), zeros({1, 1, 2})},
       [](C c, S s) {
         AttentionOptions options;
         options.stream = s;
         options.mask = &c.read[3];
         options.alibi_slopes = &c.read[4];
         options.sinks = &c.read[5];
         options.query_lengths = &c.read[6];
         options.key_lengths = &c.read[7];
         options.out = c.written.data();
         options.log_sum_exp = &c.written[1];
         attention(c.read[0], c.read[1], c.read[2], options);
       }},
      {"rand_uniform",
       {},
       {x()},
       [](C c, S s) {
         rand_uniform(device(), {2, 2}, DType::f32, 0, 1, {.stream = s, .out = c.written.data()});
       }},
  };
}

/// Memory of the default queue that `stream` has written is read by the default queue as another's.
bool is_written_in_another(const Tensor& tensor) {
  tensor.use({}, Access::read);
  return tensor.storage()->readers() == 1;
}

TEST(StreamUses, AreSaidByEveryOperation) {
  const Stream stream = device().new_stream();
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    call.put(call, stream);
    for (std::size_t i = 0; i < call.read.size(); ++i)
      EXPECT_EQ(call.read[i].storage()->readers(), 1u) << "operand " << i << " is read";
    for (std::size_t i = 0; i < call.written.size(); ++i)
      EXPECT_TRUE(is_written_in_another(call.written[i])) << "result " << i << " is written";
  }
  stream.synchronize();
}

TEST(StreamUses, AreSaidByGraphs) {
  const Stream stream = device().new_stream();
  const Tensor x = zeros({2, 2}), y = zeros({2, 2});
  const Graph graph = device().capture([&] { exp(x, {.out = &y}); });
  EXPECT_EQ(x.storage()->readers(), 0u);
  graph.launch(stream);
  EXPECT_EQ(x.storage()->readers(), 1u);
  EXPECT_TRUE(is_written_in_another(y));
  stream.synchronize();
}

/// What goes wrong without an order, if the device is quick enough to show it: results read by another stream at once, and
/// memory that is freed and written again while it is read.
TEST(StreamUses, KeepResultsRight) {
  constexpr std::int64_t n = 1 << 20;
  const std::vector<Stream> streams{device().new_stream(), device().new_stream(), Stream()};
  for (int turn = 0; turn < 60; ++turn) {
    const Stream &first = streams[static_cast<std::size_t>(turn) % 3],
                 &second = streams[static_cast<std::size_t>(turn + 1 + turn / 3 % 2) % 3];
    Tensor sum = Tensor::zeros(device(), {n}, DType::f32, first);
    for (int step = 0; step < 8; ++step) {
      const Tensor x = Tensor::empty(device(), {n}, DType::f32, first);
      const_set(x, step + turn, first);
      sum = add(sum, x, {.stream = second});
    }
    const std::vector<std::byte> bytes = sum.to_host(first);
    const auto* values = reinterpret_cast<const float*>(bytes.data());
    const auto expected = static_cast<float>(8 * turn + 28);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(values[i], expected) << "turn " << turn << ", element " << i;
  }
}

}  // namespace
}  // namespace kernelgen::conformance
