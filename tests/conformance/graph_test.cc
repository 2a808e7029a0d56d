// Operations in a graph: a launch gives the same bits as the calls, for the current contents of its inputs.
#include "kernelgen/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "environment.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor random(const Shape& shape, DType dtype = DType::f32) {
  return to_dtype(rand_normal(device(), shape, DType::f32, 0, 1), dtype);
}

Tensor ids(const std::vector<std::uint32_t>& values) {
  return Tensor::from_host(device(), std::as_bytes(std::span(values)),
                           {static_cast<std::int64_t>(values.size())}, DType::u32);
}

Tensor full(const Shape& shape, int value) {
  const Tensor tensor = Tensor::empty(device(), shape, DType::i32);
  const_set(tensor, value);
  device().synchronize();
  return tensor;
}

/// Operations with temporaries, with vendor libraries and with indices, over x [32, 64] and row numbers.
struct Work {
  Tensor x = random({32, 64}), weights = random({64, 128}), gate = random({128}),
         places = ids({3, 0, 31, 7, 7, 30, 1, 2});
  Tensor image = random({1, 4, 16, 16}), filter = random({8, 4, 3, 3});
  Tensor keys = random({1, 2, 32, 64}, DType::f16), length = ids({20});
  Tensor table = random({40, 64});

  std::vector<Tensor> run() const {
    std::vector<Tensor> y;
    y.push_back(matmul(x, weights));
    y.push_back(softmax(rms_norm(y[0], gate, 1e-5)));
    y.push_back(index_select(y[1], 0, places));
    y.push_back(sum(transposed(y[1]), std::vector<std::int64_t>{0, 1}, false));
    y.push_back(sort(x).values);
    y.push_back(conv2d(image, filter, {.padding = {1, 1}}));
    const Tensor q = to_dtype(x.narrow(0, 0, 2).reshape({1, 2, 1, 64}), DType::f16);
    y.push_back(attention(q, keys, keys, {.causal = true, .key_lengths = &length}).y);
    scatter_set(table, 0, ids_of_rows(), x.narrow(0, 0, 1));
    y.push_back(copy(table));
    return y;
  }

  static Tensor transposed(const Tensor& tensor) { return tensor.transpose(0, 1); }
  Tensor ids_of_rows() const { return length.reshape({1, 1}).broadcast_to({1, 64}); }
  /// Other values in the same memory.
  void change() const {
    copy_into(x, random({32, 64}));
    copy_into(keys, random({1, 2, 32, 64}, DType::f16));
    copy_into(length, ids({31}));
  }
};

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i].to_host(), wanted[i].to_host()) << "result " << i;
}

TEST(Graph, GivesWhatTheCallsDo) {
  const Work work;
  // What is measured is known then, and a capture takes the same.
  work.run();
  std::vector<Tensor> results;
  const Graph graph = device().capture([&] { results = work.run(); });
  EXPECT_GT(graph.nodes(), 8u);
  EXPECT_GT(graph.memory(), 0u);
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 1) work.change();
    graph.launch();
    expect_same(results, work.run());
  }
}

TEST(Graph, NeedsNothingBeforeTheCapture) {
  const Work work;
  std::vector<Tensor> results;
  const Graph graph = device().capture([&] { results = work.run(); });
  graph.launch();
  const std::vector<Tensor> wanted = work.run();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(results[i].shape(), wanted[i].shape());
  device().synchronize();
}

TEST(Graph, AnUpdateTakesOtherTensors) {
  const Tensor a = random({1000}), b = random({1000});
  Tensor y;
  const Graph graph = device().capture([&] { y = mul(silu(a), a); });
  graph.launch();
  EXPECT_EQ(y.to_host(), mul(silu(a), a).to_host());
  EXPECT_TRUE(graph.update([&] { y = mul(silu(b), b); }).in_place);
  graph.launch();
  EXPECT_EQ(y.to_host(), mul(silu(b), b).to_host());
  graph.update([&] { y = exp(b); });
  graph.launch();
  EXPECT_EQ(y.to_host(), exp(b).to_host());
  EXPECT_EQ(graph.nodes(), 1u);
}

TEST(Graph, ManyLaunchesAreInOrder) {
  const Tensor x = Tensor::zeros(device(), {100}, DType::i32), one = full({100}, 1);
  const Graph graph = device().capture([&] { add(x, one, {.out = &x}); });
  for (int i = 0; i < 500; ++i) graph.launch();
  EXPECT_EQ(x.to_host(), full({100}, 500).to_host());
}

TEST(Graph, TellsOfBadIndicesOfEachLaunch) {
  const Tensor x = random({4}), at = ids({2});
  Tensor y;
  const Graph graph = device().capture([&] { y = gather(x, 0, at); });
  for (int turn = 0; turn < 2; ++turn) {
    copy_into(at, ids({9}));
    graph.launch();
    expect_error(Code::index_out_of_range, {"gather: index 9"}, [&] { y.to_host(); });
    copy_into(at, ids({1}));
    graph.launch();
    EXPECT_EQ(y.to_host(), x.narrow(0, 1, 1).to_host());
  }
}

TEST(Graph, RefusesRandomNumbers) {
  expect_error(Code::invalid_argument,
               {"random numbers, which every launch would repeat", "captures a graph"},
               [] { device().capture([] { rand_uniform(device(), {4}, DType::f32, 0, 1); }); });
  device().synchronize();
}

TEST(Graph, ThreadsCaptureInTurnAndWorkOn) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int& mine : right)
    threads.emplace_back([&mine] {
      const Stream stream = device().new_stream();
      const Tensor x = Tensor::zeros(device(), {64}, DType::i32, stream), one = full({64}, 1);
      for (int turn = 0; turn < 8; ++turn) {
        Tensor y;
        const Graph graph = device().capture(stream, [&] { y = add(x, one); });
        graph.launch(stream);
        mine += y.to_host(stream) == one.to_host(stream) ? 1 : 0;
        device().synchronize();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 8));
}

}  // namespace
}  // namespace kernelgen::conformance
