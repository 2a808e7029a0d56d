// Graphs through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, CapturesAndLaunchesWork) {
  kernelgen_tensor *x = make({1, 2}, {2}), *other = make({5, 6}, {2}), *y = nullptr;
  ok(kernelgen_graph_begin(device_, nullptr));
  ok(kernelgen_neg(x, nullptr, nullptr, &y));
  keep(y);
  kernelgen_graph* graph = nullptr;
  ok(kernelgen_graph_end(device_, &graph));
  kernelgen_graph_info info;
  ok(kernelgen_graph_describe(graph, &info));
  EXPECT_EQ(info.nodes, 1u);
  EXPECT_EQ(info.memory, 512u);
  ok(kernelgen_graph_launch(graph, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{-1, -2}));
  ok(kernelgen_copy_into(x, other, nullptr));
  ok(kernelgen_graph_launch(graph, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{-5, -6}));

  int in_place = -1;
  ok(kernelgen_graph_begin_update(graph));
  ok(kernelgen_neg(other, other, nullptr, nullptr));
  ok(kernelgen_graph_end_update(graph, &in_place));
  EXPECT_EQ(in_place, 1);
  ok(kernelgen_graph_launch(graph, nullptr));
  EXPECT_EQ(read(other), (std::vector<float>{-5, -6}));
  kernelgen_graph_release(graph);
  kernelgen_graph_release(nullptr);
}

TEST_F(Capi, SaysWhatIsWrongWithACapture) {
  kernelgen_tensor* x = make({1, 2}, {2});
  float values[2];
  kernelgen_graph* graph = nullptr;
  fails(kernelgen_graph_begin(nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT, "device is NULL");
  fails(kernelgen_graph_end(device_, &graph), KERNELGEN_INVALID_ARGUMENT, "this thread has begun none there");
  fails(kernelgen_graph_launch(nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT, "graph is NULL");
  fails(kernelgen_graph_begin_update(nullptr), KERNELGEN_INVALID_ARGUMENT, "graph is NULL");
  kernelgen_graph_cancel();
  ok(kernelgen_graph_begin(device_, nullptr));
  fails(kernelgen_graph_begin(device_, nullptr), KERNELGEN_INVALID_ARGUMENT, "captures a graph");
  fails(kernelgen_tensor_to_host(x, values, sizeof values, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "before or after the capture");
  fails(kernelgen_graph_end(device_, nullptr), KERNELGEN_INVALID_ARGUMENT, "graph is NULL");
  ok(kernelgen_graph_end(device_, &graph));
  fails(kernelgen_graph_describe(graph, nullptr), KERNELGEN_INVALID_ARGUMENT, "info is NULL");
  kernelgen_graph_release(graph);
  ok(kernelgen_graph_begin(device_, nullptr));
  kernelgen_graph_cancel();
  EXPECT_EQ(read(x), (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace kernelgen::test
