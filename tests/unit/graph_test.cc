// Graphs on the CPU and over stubs of HIP and CUDA: what is captured, launched, updated and kept, what the driver is asked,
// and what is refused.
#include "kernelgen/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "device/device_state.hpp"
#include "device/graph_access.hpp"
#include "driver/device_memory.hpp"
#include "kernelgen/tensor.hpp"
#include "plan/index_fault.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;

struct ScaleArguments {
  const void* x;
  void* y;
  std::uint64_t n;
  float factor;
};

StubGpu& stub_of(const char* variable, const char* library) {
  ::setenv(variable, library, 1);
  return test::stub_state<StubGpu>(library, "stub_gpu");
}

class GraphTest : public testing::TestWithParam<const char*> {
 protected:
  GraphTest() {
    const std::vector<std::byte> cpu = test::read_file(KERNELGEN_CPU_KERNELS), amd = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu},
                                          {"gfx90a", 1, 64, amd},
                                          {"sm_90", 2, 32, test::bytes_of(".version 8.0\n")}};
    bytes_ = test::sample_package(targets);
    package_ = Package::from_memory(bytes_);
    if (on("hip")) stub_ = &stub_of("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP);
    if (on("cuda")) stub_ = &stub_of("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
    if (stub_ != nullptr) *stub_ = StubGpu();
    device = Device::open(GetParam(), *package_);
  }
  ~GraphTest() override {
    if (stub_ == nullptr) return;
    EXPECT_EQ(stub_->violations, std::vector<std::string>{});
    device = {};
    EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles of the driver are left";
  }

  static bool on(const char* kind) { return std::string_view(GetParam()).starts_with(kind); }
  static std::string name_of_call(const char* hip, const char* cuda) { return on("hip") ? hip : cuda; }
  std::ptrdiff_t calls(const char* hip, const char* cuda) const {
    return stub_ == nullptr ? 0
                            : std::count(stub_->calls.begin(), stub_->calls.end(), name_of_call(hip, cuda));
  }

  Tensor tensor(std::vector<float> values) const {
    return Tensor::from_host(device, std::as_bytes(std::span(values)),
                             {static_cast<std::int64_t>(values.size())}, DType::f32);
  }
  static std::vector<float> values(const Tensor& tensor, const Stream& stream = {}) {
    const std::vector<std::byte> bytes = tensor.to_host(stream);
    std::vector<float> result(bytes.size() / sizeof(float));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  /// y = factor x, by a kernel, which a stub notes but does not run.
  void scale(const Tensor& x, const Tensor& y, float factor, const Stream& stream = {}) const {
    const ScaleArguments arguments{x.data(), y.data(), static_cast<std::uint64_t>(x.elements()), factor};
    device.launch(device.kernel(0), {}, std::as_bytes(std::span(&arguments, 1)), stream);
  }
  /// By the driver itself, which a stub does.
  void copy(const Tensor& x, const Tensor& y, const Stream& stream = {}) const {
    DeviceState& state = state_of(device);
    state.driver().copy_on_device(y.data(), x.data(), x.storage()->bytes(), state.queue(stream));
  }

  Device device;
  StubGpu* stub_ = nullptr;

 private:
  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

INSTANTIATE_TEST_SUITE_P(Devices, GraphTest, testing::Values("cpu:2", "hip:0", "cuda:0"),
                         [](const auto& info) {
                           const std::string_view name = info.param;
                           return std::string(name.substr(0, name.find(':')));
                         });

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
  // Behind the capture it is itself again.
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
    EXPECT_NE(
        other.reason.find(name_of_call("hipGraphExecUpdate: error 910", "cuGraphExecUpdate: error 910")),
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

TEST_P(GraphTest, FailedWorkLeavesNothingBehind) {
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

TEST_P(GraphTest, RefusesWhatCannotBePartOfAGraph) {
  const Stream stream = device.new_stream(), other = device.new_stream();
  const Event event = device.record();
  const Tensor x = tensor({1});
  const Graph earlier = device.capture([&] { copy(x, x); });
  const std::string where = "on " + device.location();
  const Graph graph = device.capture(stream, [&] {
    const std::size_t inside = stub_ != nullptr ? stub_->calls.size() : 0;
    const auto refuses = [&](std::string_view what, const auto& action) {
      expect_error(Code::invalid_argument, {what, where, "captures a graph", "before or behind the capture"},
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

TEST_P(GraphTest, RefusesStreamsOfOtherDevicesAndGraphsOfNothing) {
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

TEST_P(GraphTest, AThreadThatEndsInACaptureGivesItUp) {
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

TEST_P(GraphTest, TellsOfBadIndicesWhereItIsLaunched) {
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

TEST_P(GraphTest, ErrorsOfTheDriver) {
  if (stub_ == nullptr) GTEST_SKIP() << "a CPU has none";
  const Stream stream = device.new_stream();
  const Tensor x = tensor({1}), y = tensor({0});
  const auto work = [&] { copy(x, y); };
  const auto fails = [&](const char* hip, const char* cuda, int status, const auto& action) {
    const std::string name = name_of_call(hip, cuda);
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
  stub_->failures = {{name_of_call("hipGraphExecUpdate", "cuGraphExecUpdate"), 1}};
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

TEST_P(GraphTest, HipGraphsHaveEndedBeforeTheyGo) {
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
