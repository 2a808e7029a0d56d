// Graphs on the CPU and over stubs of HIP and CUDA: capture, launch, update, lifetimes, driver calls.
#include "graph_fixture.hpp"

#include <thread>

#include "driver/device_memory.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

class GraphTest : public test::GraphTest {};

INSTANTIATE_TEST_SUITE_P(Devices, GraphTest, testing::Values("cpu:2", "hip:0", "cuda:0"), test::kind_of);

TEST_P(GraphTest, NothingIsDoneBeforeALaunchWhichReadsWhatIsThereThen) {
  const Stream stream = device.new_stream();
  const Tensor x = tensor({1, 2, 3}), y = tensor({0, 0, 0});
  const Graph graph = device.capture(stream, [&] {
    copy(x, y, stream);
    scale(y, y, 2, stream);
  });
  EXPECT_EQ(graph.nodes(), 2u);
  EXPECT_EQ(values(y), (std::vector<float>{0, 0, 0}));
  const float factor = on("cpu") ? 2 : 1;
  graph.launch(stream);
  EXPECT_EQ(values(y, stream), (std::vector<float>{factor, 2 * factor, 3 * factor}));
  copy(tensor({4, 5, 6}), x);
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{4 * factor, 5 * factor, 6 * factor}));
  if (stub_ == nullptr) return;
  EXPECT_EQ(calls("hipGraphLaunch", "cuGraphLaunch"), 2);
  EXPECT_EQ(stub_->capture_mode, 2) << "a module may be loaded meanwhile";
  ASSERT_EQ(stub_->launches.size(), 2u);
  EXPECT_EQ(stub_->launches[0].stream, stream.native());
  EXPECT_EQ(stub_->launches[1].stream, nullptr);
}

TEST_P(GraphTest, TheDefaultQueueIsTheCapturedStream) {
  const Tensor x = tensor({1, 2, 3}), y = tensor({0, 0, 0});
  const Graph graph = device.capture([&] { copy(x, y); });
  EXPECT_EQ(graph.nodes(), 1u);
  EXPECT_EQ(values(y), (std::vector<float>{0, 0, 0}));
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1, 2, 3}));
  // After the capture it is as before.
  copy(tensor({7, 8, 9}), y);
  EXPECT_EQ(values(y), (std::vector<float>{7, 8, 9}));
}

TEST_P(GraphTest, WhatTheWorkAllocatesIsTheGraphs) {
  const Tensor x = tensor({1, 2, 3});
  Tensor y;
  Graph graph = device.capture([&] {
    const Tensor first = Tensor::empty(device, {3}, DType::f32);
    copy(x, first);
    {
      // These two are not there at the same time.
      const Tensor second = Tensor::empty(device, {3}, DType::f32);
      copy(first, second);
    }
    y = Tensor::empty(device, {3}, DType::f32);
    copy(first, y);
    EXPECT_EQ(Tensor::empty(device, {0}, DType::f32).storage()->data(), nullptr);
  });
  EXPECT_EQ(graph.memory(), 1024u);
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1, 2, 3}));
  graph = {};
  EXPECT_EQ(values(y), (std::vector<float>{1, 2, 3})) << "the tensor keeps its memory";
}

TEST_P(GraphTest, LibrariesHaveTheirWorkspacesFromTheGraph) {
  Driver& driver = state_of(device).driver();
  const Tensor y = tensor({1, 2, 3});
  const Graph graph = device.capture([&] {
    void* const queue = state_of(device).queue({});
    void* first = nullptr;
    {
      const DeviceMemory workspace(driver, 2000, queue);
      first = workspace.data();
      driver.fill(first, 1, 2000, queue);
    }
    const DeviceMemory again(driver, 2000, queue);
    EXPECT_EQ(again.data(), first);
  });
  EXPECT_EQ(graph.memory(), 2048u);
  graph.launch();
}

TEST_P(GraphTest, WhatGoesMeanwhileStaysForTheGraph) {
  Tensor x = tensor({1, 2, 3});
  const Tensor y = tensor({0, 0, 0});
  const std::ptrdiff_t before = calls("hipFreeAsync", "cuMemFreeAsync");
  auto owner = std::make_shared<std::vector<float>>(3, 5.0f);
  const std::weak_ptr<std::vector<float>> watched = owner;
  Tensor borrowed(Storage::borrow(device, owner->data(), 12, owner), DType::f32, Layout::contiguous({3}));
  owner.reset();
  Graph graph = device.capture([&] {
    copy(x, y);
    x = {};
    borrowed = {};
  });
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(calls("hipFreeAsync", "cuMemFreeAsync"), before);
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1, 2, 3}));
  graph = {};
  EXPECT_TRUE(watched.expired());
}

TEST_P(GraphTest, AnUpdateChangesWhatLaunchesDo) {
  const Tensor a = tensor({1, 1}), b = tensor({2, 2}), y = tensor({0, 0});
  Graph graph = device.capture([&] { copy(a, y); });
  graph.launch();
  const std::ptrdiff_t made = calls("hipGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags");
  const Graph::Update same = graph.update([&] { copy(b, y); });
  EXPECT_TRUE(same.in_place);
  EXPECT_EQ(same.reason, "");
  EXPECT_EQ(calls("hipGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags"), made);
  EXPECT_EQ(values(y), (std::vector<float>{1, 1}));
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{2, 2}));

  const Graph::Update other = graph.update([&] {
    copy(b, y);
    copy(a, y);
  });
  EXPECT_EQ(graph.nodes(), 2u);
  EXPECT_EQ(other.in_place, on("cpu"));
  if (stub_ != nullptr) {
    EXPECT_NE(other.reason.find(call("hipGraphExecUpdate: error 910", "cuGraphExecUpdate: error 910")),
              std::string::npos)
        << other.reason;
    EXPECT_NE(other.reason.find("other nodes, or in another order"), std::string::npos) << other.reason;
  }
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1, 1}));

  expect_error(Code::invalid_argument, {"waiting for the device"},
               [&] { graph.update([&] { device.synchronize(); }); });
  copy(b, y);
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1, 1})) << "as it was before";
}

TEST_P(GraphTest, AGraphOfNoWorkDoesNothing) {
  const Graph graph = device.capture([] {});
  EXPECT_EQ(graph.nodes(), 0u);
  EXPECT_EQ(graph.memory(), 0u);
  graph.launch();
}

TEST_P(GraphTest, AGraphKeepsItsDeviceOpen) {
  Tensor x = tensor({1}), y = tensor({0});
  Graph graph = device.capture([&] { copy(x, y); });
  device = {};
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1}));
}

TEST_P(GraphTest, OtherThreadsWorkOnMeanwhile) {
  const Stream stream = device.new_stream(), mine = device.new_stream();
  const Tensor x = tensor({1}), y = tensor({0}), z = tensor({0});
  Tensor of_stream = Tensor::zeros(device, {3}, DType::f32, stream);
  std::thread waiting;
  const Graph graph = device.capture(stream, [&] {
    std::thread([&] {
      copy(x, z, mine);
      mine.synchronize();
      copy(x, z);
      expect_error(Code::invalid_argument,
                   {"another thread captures a graph in it", "wait until the capture"},
                   [&] { copy(x, z, stream); });
      expect_error(Code::invalid_argument, {"another thread captures"}, [&] { stream.synchronize(); });
      // Its memory would be freed in the stream.
      of_stream = {};
    }).join();
    // Takes its turn when the capture is over.
    waiting = std::thread([&] { device.synchronize(); });
    copy(x, y);
  });
  waiting.join();
  EXPECT_EQ(graph.nodes(), 1u);
  EXPECT_EQ(values(z), (std::vector<float>{1}));
}

TEST_P(GraphTest, AGraphThatGoesMeanwhileStaysForTheOther) {
  Tensor x = tensor({1}), y = tensor({0}), between;
  Graph first = device.capture([&] {
    between = Tensor::empty(device, {1}, DType::f32);
    copy(x, between);
  });
  first.launch();
  const std::ptrdiff_t before = calls("hipGraphExecDestroy", "cuGraphExecDestroy");
  Graph second = device.capture([&] {
    copy(between, y);
    first = {};
    between = {};
  });
  EXPECT_EQ(calls("hipGraphExecDestroy", "cuGraphExecDestroy"), before);
  second.launch();
  EXPECT_EQ(values(y), (std::vector<float>{1}));
}

TEST_P(GraphTest, ModulesAreLoadedMeanwhile) {
  const Tensor x = tensor({1}), y = tensor({0});
  const Graph graph = device.capture([&] { scale(x, y, 3); });
  EXPECT_EQ(graph.nodes(), 1u);
  graph.launch();
  EXPECT_EQ(values(y), (std::vector<float>{on("cpu") ? 3.0f : 0.0f}));
  if (stub_ == nullptr) return;
  // Whoever captures, in whatever way: the thread is allowed to.
  EXPECT_EQ(stub_->load_modes, std::vector<int>{2});
  EXPECT_EQ(stub_->thread_mode, 0);
}

}  // namespace
}  // namespace kernelgen
