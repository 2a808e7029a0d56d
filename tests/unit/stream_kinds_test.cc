// Stream priorities, host callbacks in streams, and per-thread streams.
#include <map>
#include <memory>
#include <thread>

#include "streams_fixture.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StreamsTest;

INSTANTIATE_TEST_SUITE_P(Devices, StreamsTest, testing::Values("cpu:2", "hip:0", "cuda:0"), test::kind_of);

TEST_P(StreamsTest, HavePriorities) {
  const Stream low = device.new_stream(Priority::low), normal = device.new_stream(),
               high = device.new_stream(Priority::high);
  if (stub_ == nullptr) return;
  EXPECT_EQ(stub_->priorities, (std::map<void*, int>{{low.native(), 1}, {high.native(), -1}}));
}

TEST_P(StreamsTest, CallTheHost) {
  const Stream stream = device.new_stream();
  std::vector<int> called;
  device.call([&] { called.push_back(1); }, stream);
  device.call([&] { called.push_back(2); });
  device.synchronize();
  EXPECT_EQ(called, (std::vector<int>{1, 2}));
  expect_error(Code::invalid_argument, {"call on", "the function is empty"}, [&] { device.call({}); });
  if (stub_ == nullptr) return;
  stub_->failures[call("hipLaunchHostFunc", "cuLaunchHostFunc")] = 1;
  expect_error(Code::device, {call("hipLaunchHostFunc", "cuLaunchHostFunc")}, [&] { device.call([] {}); });
}

TEST_P(StreamsTest, AGraphCallsTheHostAtEachLaunch) {
  auto count = std::make_shared<int>(0);
  Graph graph = device.capture([&] { device.call([count] { ++*count; }); });
  EXPECT_EQ(graph.nodes(), 1u);
  EXPECT_EQ(*count, 0);
  graph.launch();
  graph.launch(device.new_stream());
  EXPECT_EQ(*count, 2);
  graph = {};
  EXPECT_EQ(count.use_count(), 1);
}

TEST_P(StreamsTest, ThreadsHaveTheirOwn) {
  DeviceState& state = state_of(device);
  device.use_thread_streams(true);
  Tensor x;
  std::thread([&] {
    void* const mine = device.thread_stream().native();
    x = made();
    x.use();
    EXPECT_EQ(state.queue({}), mine);
    EXPECT_EQ(device.thread_stream().native(), mine);
    std::thread([&] {
      void* const other = state.queue({});
      x.use();
      made();
      if (stub_ == nullptr) return;
      EXPECT_NE(other, mine);
      EXPECT_EQ(stub_->frees.back(), other);
      EXPECT_TRUE(waits().contains({other, mine}));
    }).join();
  }).join();
  x = {};
  device.synchronize();
  device.use_thread_streams(false);
  EXPECT_EQ(state.queue({}), nullptr);
}

}  // namespace
}  // namespace kernelgen
