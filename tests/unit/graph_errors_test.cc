// Errors of graphs, on the CPU and over stubs of HIP and CUDA: refusals, and the state after them.
#include "graph_fixture.hpp"

#include <thread>

#include "device/graph_access.hpp"
#include "plan/index_fault.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

class GraphErrorsTest : public test::GraphTest {};

INSTANTIATE_TEST_SUITE_P(Devices, GraphErrorsTest, testing::Values("cpu:2", "hip:0", "cuda:0"),
                         test::kind_of);

TEST_P(GraphErrorsTest, FailedWorkLeavesNothingBehind) {
  const Stream stream = device.new_stream();
  const Tensor x = tensor({1}), y = tensor({0});
  EXPECT_THROW(device.capture(stream,
                              [&] {
                                copy(x, y, stream);
                                throw std::runtime_error("mine");
                              }),
               std::runtime_error);
  copy(x, y, stream);
  EXPECT_EQ(values(y, stream), (std::vector<float>{1}));
  device.capture(stream, [&] { copy(x, y, stream); }).launch(stream);
}

TEST_P(GraphErrorsTest, RefusesWhatCannotBePartOfAGraph) {
  const Stream stream = device.new_stream(), other = device.new_stream();
  const Event event = device.record();
  const Tensor x = tensor({1});
  const Graph earlier = device.capture([&] { copy(x, x); });
  const std::string where = "on " + device.location();
  const Graph graph = device.capture(stream, [&] {
    const std::size_t inside = stub_ != nullptr ? stub_->calls.size() : 0;
    const auto refuses = [&](std::string_view what, const auto& action) {
      expect_error(Code::invalid_argument, {what, where, "captures a graph", "before or after the capture"},
                   action);
    };
    refuses("waiting for the device", [&] { device.synchronize(); });
    refuses("waiting for a stream", [&] { stream.synchronize(); });
    refuses("waiting for a stream", [&] { other.synchronize(); });
    refuses("waiting for an event", [&] { event.synchronize(); });
    refuses("waiting for an event", [&] { device.wait(stream, event); });
    refuses("an event", [&] { device.record(stream); });
    refuses("to_host: a copy of what is not computed yet", [&] { x.to_host(stream); });
    refuses("from_host: a copy of memory that the caller may change", [&] { tensor({1}); });
    refuses("a graph's launch", [&] { earlier.launch(stream); });
    expect_error(Code::invalid_argument,
                 {"work for a stream of", "captures a graph in another stream", "names that one or none"},
                 [&] { Tensor::empty(device, {1}, DType::f32, other); });
    expect_error(Code::invalid_argument, {"capture on", "this thread captures a graph", "already"},
                 [&] { device.capture(stream, [] {}); });
    expect_error(Code::invalid_argument, {"capture on", "already"}, [&] { earlier.update([] {}); });
    if (stub_ != nullptr) {
      EXPECT_EQ(stub_->calls.size(), inside) << "the driver is not asked";
    }
    copy(x, x);
  });
  EXPECT_EQ(graph.nodes(), 1u) << "and the capture is not harmed";
}

TEST_P(GraphErrorsTest, RefusesStreamsOfOtherDevicesAndGraphsOfNothing) {
  const Device other = Device::open("cpu:1", device.package());
  const Stream foreign = other.new_stream();
  const Graph graph = device.capture([] {});
  expect_error(Code::invalid_argument, {"a stream of cpu:1", "given to " + device.location()},
               [&] { graph.launch(foreign); });
  expect_error(Code::invalid_argument, {"a stream of cpu:1"}, [&] { device.capture(foreign, [] {}); });
  EXPECT_FALSE(Graph());
  EXPECT_TRUE(graph);
  expect_error(Code::invalid_argument, {"launch of a graph that holds nothing", "Device::capture"},
               [] { Graph().launch(); });
  expect_error(Code::invalid_argument, {"update of a graph that holds nothing"},
               [] { Graph().update([] {}); });
  expect_error(Code::invalid_argument, {"nodes of a graph that holds nothing"}, [] { Graph().nodes(); });
  expect_error(Code::invalid_argument, {"memory of a graph that holds nothing"}, [] { Graph().memory(); });
}

TEST_P(GraphErrorsTest, AThreadThatEndsInACaptureGivesItUp) {
  const Tensor x = tensor({1}), y = tensor({0});
  std::thread([&] {
    GraphAccess::begin(device, {});
    copy(x, y);
  }).join();
  device.synchronize();
  EXPECT_EQ(values(y), (std::vector<float>{0}));
  expect_error(Code::invalid_argument, {"the end of a capture on " + device.location(), "has begun none"},
               [&] { GraphAccess::end_new(state_of(device)); });
}

TEST_P(GraphErrorsTest, TellsOfBadIndicesWhereItIsLaunched) {
  static constexpr IndexOperation operation{"sample"};
  const Stream stream = device.new_stream(), launching = device.new_stream();
  DeviceState& state = state_of(device);
  kg::IndexFault* record = nullptr;
  std::uint64_t number = 0;
  Graph graph = device.capture(stream, [&] {
    const IndexFaults::Call call(state.index_faults(), *state.fault_queue(stream));
    record = call.record();
    number = call.number(0);
  });
  // Device memory is the host's here, so that this may do what a kernel does.
  const auto meet = [&] {
    graph.launch(launching);
    *record = {};
    record->call = number;
    record->operation = reinterpret_cast<std::uint64_t>(&operation);
    record->value = 7;
    record->size = 3;
  };
  meet();
  stream.synchronize();
  expect_error(Code::index_out_of_range, {"sample: index 7"}, [&] { launching.synchronize(); });
  launching.synchronize();
  meet();
  const Event event = device.record(launching);
  expect_error(Code::index_out_of_range, {"sample: index 7"}, [&] { event.synchronize(); });
  expect_error(Code::index_out_of_range, {"sample: index 7"}, [&] { launching.synchronize(); });
  meet();
  expect_error(Code::index_out_of_range, {"sample: index 7"}, [&] { device.synchronize(); });
  device.synchronize();
  launching.synchronize();
  meet();
  graph = {};
  expect_error(Code::index_out_of_range, {"sample: index 7"}, [&] { launching.synchronize(); });
  launching.synchronize();
}

TEST_P(GraphErrorsTest, ErrorsOfTheDriver) {
  if (stub_ == nullptr) GTEST_SKIP() << "a CPU has none";
  const Stream stream = device.new_stream();
  const Tensor x = tensor({1}), y = tensor({0});
  const auto work = [&] { copy(x, y); };
  const auto fails = [&](const char* hip, const char* cuda, int status, const auto& action) {
    const std::string name = call(hip, cuda);
    stub_->failures = {{name, status}};
    expect_error(status == 2 ? Code::out_of_memory : Code::device, {name, "error " + std::to_string(status)},
                 action);
    stub_->failures.clear();
  };
  fails("hipStreamBeginCapture", "cuStreamBeginCapture_v2", 900, [&] { device.capture(stream, work); });
  fails("hipStreamEndCapture", "cuStreamEndCapture", 901, [&] { device.capture(stream, work); });
  fails("hipGraphGetNodes", "cuGraphGetNodes", 1, [&] { device.capture(stream, work); });
  fails("hipGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags", 2,
        [&] { device.capture(stream, work); });
  fails("hipMallocAsync", "cuMemAllocAsync", 2,
        [&] { device.capture(stream, [&] { Tensor::empty(device, {1}, DType::f32); }); });
  const Graph graph = device.capture(stream, work);
  fails("hipGraphLaunch", "cuGraphLaunch", 1, [&] { graph.launch(stream); });
  stub_->failures = {{call("hipGraphExecUpdate", "cuGraphExecUpdate"), 1}};
  EXPECT_FALSE(graph.update(work).in_place);
  stub_->failures.clear();

  // What somebody else spoils, with the driver's own functions.
  const auto spoil = [&] {
    work();
    stub_->captures.begin()->second.is_spoilt = true;
  };
  expect_error(Code::device, {"capture on " + device.location(), "error 901", "cannot be part of a graph"},
               [&] { device.capture(stream, spoil); });
  stub_->captures[stream.native()] = {};
  expect_error(Code::invalid_argument, {"being captured already, by functions of /"},
               [&] { device.capture(stream, work); });
  stub_->captures.clear();
  graph.launch(stream);
}

TEST_P(GraphErrorsTest, HipGraphsHaveEndedBeforeTheyGo) {
  if (stub_ == nullptr) GTEST_SKIP() << "a CPU's have";
  const Stream stream = device.new_stream();
  const Tensor x = tensor({1}), y = tensor({0});
  {
    const Graph graph = device.capture([&] { copy(x, y); });
    graph.launch(stream);
    stub_->calls.clear();
  }
  EXPECT_EQ(calls("hipStreamSynchronize", "cuStreamSynchronize"), on("hip") ? 1 : 0);
}

}  // namespace
}  // namespace kernelgen
