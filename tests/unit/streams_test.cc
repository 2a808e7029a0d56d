// What becomes of memory that several streams use: what waits for what on the device, when it is freed, and which calls of
// the driver that takes; then priorities, calls of the host, and streams of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "device/device_state.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"
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

class StreamsTest : public testing::TestWithParam<const char*> {
 protected:
  StreamsTest() {
    const std::vector<std::byte> cpu = test::read_file(KERNELGEN_CPU_KERNELS), amd = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu},
                                          {"gfx90a", 1, 64, amd},
                                          {"sm_90", 2, 32, test::bytes_of(".version 8.0\n")}};
    bytes_ = test::sample_package(targets);
    package_ = Package::from_memory(bytes_);
    if (on("hip")) use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP);
    if (on("cuda")) use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
    device = Device::open(GetParam(), *package_);
  }
  ~StreamsTest() override {
    device = {};
    if (stub_ != nullptr) {
      EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles of the driver are left";
    }
  }

  static bool on(const char* kind) { return std::string_view(GetParam()).starts_with(kind); }
  static std::string call(const char* hip, const char* cuda) { return on("hip") ? hip : cuda; }

  Tensor made(const Stream& stream = {}) const { return Tensor::empty(device, {4}, DType::f32, stream); }
  /// The calls that `work` makes.
  template <class Work>
  std::vector<std::string> calls(const Work& work) const {
    const std::size_t before = stub_->calls.size();
    work();
    std::vector<std::string> made(stub_->calls.begin() + static_cast<std::ptrdiff_t>(before),
                                  stub_->calls.end());
    std::erase(made, "hipSetDevice");
    std::erase(made, "cuCtxSetCurrent");
    return made;
  }
  /// Who waits for whom since the last time.
  std::set<std::pair<void*, void*>> waits() const {
    const std::set<std::pair<void*, void*>> found(stub_->waits.begin(), stub_->waits.end());
    stub_->waits.clear();
    return found;
  }
  std::vector<std::string> one_wait() const {
    return {call("hipEventRecord", "cuEventRecord"), call("hipStreamWaitEvent", "cuStreamWaitEvent")};
  }

  Device device;
  StubGpu* stub_ = nullptr;

 private:
  void use_stub(const char* variable, const char* library) {
    ::setenv(variable, library, 1);
    stub_ = &test::stub_state<StubGpu>(library, "stub_gpu");
    *stub_ = StubGpu();
  }

  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

/// Those that need a driver which says what it was asked.
class StreamOrderTest : public StreamsTest {};

using Waits = std::set<std::pair<void*, void*>>;
const auto kind_of = [](const auto& info) {
  const std::string_view name = info.param;
  return std::string(name.substr(0, name.find(':')));
};
INSTANTIATE_TEST_SUITE_P(Devices, StreamsTest, testing::Values("cpu:2", "hip:0", "cuda:0"), kind_of);
INSTANTIATE_TEST_SUITE_P(Devices, StreamOrderTest, testing::Values("hip:0", "cuda:0"), kind_of);

TEST_P(StreamOrderTest, OneStreamCostsNothing) {
  const Tensor x = made();
  EXPECT_TRUE(calls([&] {
                x.use();
                x.use({}, Access::read);
              }).empty());
  const Stream stream = device.new_stream();
  const Tensor y = made(stream);
  EXPECT_TRUE(calls([&] {
                x.use();
                x.use({}, Access::read);
                y.use(stream);
                y.use(stream, Access::read);
              }).empty());
}

TEST_P(StreamOrderTest, ReadersWaitForTheWriterOnce) {
  const Stream a = device.new_stream(), b = device.new_stream();
  const Tensor x = made();
  x.use();
  EXPECT_EQ(calls([&] { x.use(a, Access::read); }),
            (std::vector<std::string>{call("hipEventCreateWithFlags", "cuEventCreate"), one_wait()[0],
                                      one_wait()[1]}));
  EXPECT_EQ(waits(), (Waits{{a.native(), nullptr}}));
  EXPECT_EQ(calls([&] { x.use(b, Access::read); }), one_wait());
  EXPECT_EQ(waits(), (Waits{{b.native(), nullptr}})) << "readers wait for no other reader";
  EXPECT_TRUE(calls([&] {
                x.use(a, Access::read);
                x.use(b, Access::read);
                x.use({}, Access::read);
              }).empty());
  EXPECT_EQ(x.storage()->readers(), 2u);
  x.use();
  EXPECT_EQ(waits(), (Waits{{nullptr, a.native()}, {nullptr, b.native()}}));
  EXPECT_EQ(x.storage()->readers(), 0u);
}

TEST_P(StreamOrderTest, AWriterWaitsForReadersToo) {
  const Stream a = device.new_stream(), b = device.new_stream();
  const Tensor x = made(a);
  x.use(a);
  x.use({}, Access::read);
  waits();
  x.use(b);
  EXPECT_EQ(waits(), (Waits{{b.native(), a.native()}, {b.native(), nullptr}}));
  x.use(b, Access::read);
  EXPECT_EQ(waits(), Waits{});
  x.use(a, Access::read);
  EXPECT_EQ(waits(), (Waits{{a.native(), b.native()}}));
}

TEST_P(StreamOrderTest, MemoryIsFreedBehindAllThatUseIt) {
  const Stream a = device.new_stream(), b = device.new_stream();
  Tensor x = made();
  x.use(a, Access::read);
  x.use(b, Access::read);
  waits();
  const std::vector<std::string> freeing = calls([&] { x = {}; });
  ASSERT_EQ(stub_->frees.size(), 1u);
  void* const where = stub_->frees[0];
  EXPECT_TRUE(where != nullptr && where != a.native() && where != b.native())
      << "none of the program's streams waits for another";
  EXPECT_EQ(waits(), (Waits{{where, nullptr}, {where, a.native()}, {where, b.native()}}));
  EXPECT_EQ(std::count(freeing.begin(), freeing.end(), call("hipFreeAsync", "cuMemFreeAsync")), 1);
  for (const std::string& name : freeing) EXPECT_EQ(name.find("Synchronize"), std::string::npos) << name;
}

TEST_P(StreamOrderTest, MemoryGoesToTheStreamThatWroteIt) {
  const Stream a = device.new_stream();
  Tensor x = made();
  x.use(a);
  EXPECT_EQ(waits(), (Waits{{a.native(), nullptr}}));
  EXPECT_EQ(calls([&] { x = {}; }), (std::vector<std::string>{call("hipFreeAsync", "cuMemFreeAsync")}));
  EXPECT_EQ(stub_->frees, (std::vector<void*>{a.native()}));
}

TEST_P(StreamOrderTest, EventsOfTheProgramAreCountedIn) {
  const Stream a = device.new_stream(), b = device.new_stream();
  const Tensor x = made(a), later = made(a);
  x.use(a);
  const Event event = device.record(a);
  later.use(a);
  device.wait(b, event);
  EXPECT_TRUE(calls([&] { x.use(b, Access::read); }).empty());
  EXPECT_EQ(calls([&] { later.use(b, Access::read); }).size(), 3u);
}

TEST_P(StreamOrderTest, WhatTheHostWaitedForIsCountedIn) {
  const Stream a = device.new_stream(), b = device.new_stream();
  const Tensor x = made(a), y = made(a);
  x.use(a);
  a.synchronize();
  EXPECT_TRUE(calls([&] { x.use(b, Access::read); }).empty());
  y.use(a);
  const Event event = device.record(a);
  event.synchronize();
  EXPECT_TRUE(calls([&] { y.use(b); }).empty());
  const std::vector<float> values(4);
  const Tensor z = Tensor::from_host(device, std::as_bytes(std::span(values)), {4}, DType::f32);
  EXPECT_TRUE(calls([&] { z.use(b, Access::read); }).empty());
}

TEST_P(StreamOrderTest, WhatAThreadKnowsCoversNoOthersWork) {
  const Stream a = device.new_stream(), b = device.new_stream();
  const Tensor x = made(a);
  std::thread([&] { x.use(a); }).join();
  const Event event = device.record(a);
  device.wait(b, event);
  waits();
  x.use(b, Access::read);
  EXPECT_EQ(waits(), (Waits{{b.native(), a.native()}}));
}

TEST_P(StreamOrderTest, StreamsThatAreGoneAreWaitedFor) {
  Tensor x = made();
  void* gone = nullptr;
  {
    const Stream a = device.new_stream();
    gone = a.native();
    x.use(a, Access::read);
    waits();
  }
  ASSERT_EQ(stub_->waits.size(), 1u);
  void* const freeing = stub_->waits[0].first;
  EXPECT_EQ(waits(), (Waits{{freeing, gone}}));
  x.use();
  EXPECT_EQ(waits(), (Waits{{nullptr, freeing}}));
  for (int i = 0; i < 100; ++i) x.use(device.new_stream(), Access::read);
  EXPECT_LE(x.storage()->readers(), 2u) << "weights outlive any number of streams";
  x = {};
  EXPECT_EQ(stub_->frees.back(), freeing);
}

TEST_P(StreamOrderTest, CanBeTurnedOff) {
  const Stream a = device.new_stream();
  EXPECT_TRUE(device.follows_streams());
  device.follow_streams(false);
  EXPECT_FALSE(device.follows_streams());
  Tensor x = made();
  EXPECT_EQ(calls([&] {
              x.use(a);
              x = {};
            }),
            (std::vector<std::string>{call("hipFreeAsync", "cuMemFreeAsync")}));
  EXPECT_EQ(stub_->frees, (std::vector<void*>{nullptr}));
  device.follow_streams(true);
  x = made();
  EXPECT_EQ(calls([&] { x.use(a); }).size(), 3u);
}

TEST_P(StreamOrderTest, AGraphsLaunchesAreFollowed) {
  const Stream a = device.new_stream();
  const Tensor x = made();
  Tensor y;
  const Graph graph = device.capture([&] {
    x.use({}, Access::read);
    y = made();
    y.use();
  });
  waits();
  x.use();
  graph.launch(a);
  EXPECT_EQ(waits(), (Waits{{a.native(), nullptr}}));
  y.use({}, Access::read);
  EXPECT_EQ(waits(), (Waits{{nullptr, a.native()}}));
  x.use();
  EXPECT_EQ(waits(), Waits{}) << "it waits for the launch already";
  graph.launch(a);
  x.use();
  EXPECT_EQ(waits(), (Waits{{a.native(), nullptr}, {nullptr, a.native()}}));
  EXPECT_TRUE(stub_->violations.empty());
}

TEST_P(StreamOrderTest, MemoryFromOutsideGoesInTheOrderOfTheDefaultQueue) {
  const Stream a = device.new_stream();
  std::array<float, 4> values{};
  Tensor x(Storage::borrow(device, values.data(), 16, std::make_shared<int>()), DType::f32,
           Layout::contiguous({4}));
  x.use(a, Access::read);
  EXPECT_EQ(waits(), (Waits{{a.native(), nullptr}}));
  x = {};
  EXPECT_EQ(waits(), (Waits{{nullptr, a.native()}}));
  EXPECT_TRUE(stub_->frees.empty());
}

/// Programs drawn at random, and what has to be before what in them.
TEST_P(StreamOrderTest, DrawnProgramsAreOrdered) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };

  // How much of each queue's work is before what a queue does now.
  using Clock = std::map<int, int>;
  std::map<void*, int> queues{{nullptr, 0}};
  std::map<int, Clock> clocks;
  int next_queue = 1;
  const auto queue_of = [&](void* handle) {
    const auto [found, is_new] = queues.try_emplace(handle, next_queue);
    if (is_new) ++next_queue;
    return found->second;
  };
  const auto merge = [](Clock& into, const Clock& other) {
    for (const auto& [queue, work] : other) into[queue] = std::max(into[queue], work);
  };
  const auto follow = [&] {
    for (const auto& [later, earlier] : stub_->waits)
      merge(clocks[queue_of(later)], clocks[queue_of(earlier)]);
    stub_->waits.clear();
  };

  struct Used {
    Tensor tensor;
    std::vector<std::pair<int, int>> written, read;  ///< queue, and number of the work in it
  };
  struct Recorded {
    Event event;
    Clock clock;
  };
  std::vector<Stream> streams{Stream()};
  std::vector<Used> tensors;
  std::vector<Recorded> events;
  const auto is_behind = [](const Clock& clock, const std::vector<std::pair<int, int>>& work) {
    return std::ranges::all_of(work, [&](const auto& one) {
      const auto known = clock.find(one.first);
      return known != clock.end() && known->second >= one.second;
    });
  };

  for (int step = 0; step < 3000; ++step) {
    const std::size_t what = draw(20);
    const Stream stream = streams[draw(streams.size())];
    const int queue = queue_of(stream.native());
    if (what == 0 && streams.size() < 6) {
      streams.push_back(device.new_stream());
      queues[streams.back().native()] = next_queue++;
    } else if (what == 1 && streams.size() > 1) {
      streams.erase(streams.begin() + 1 + static_cast<std::ptrdiff_t>(draw(streams.size() - 1)));
    } else if (what == 2) {
      events.push_back({device.record(stream), clocks[queue]});
    } else if (what == 3 && !events.empty()) {
      const Recorded& recorded = events[draw(events.size())];
      follow();
      device.wait(stream, recorded.event);
      stub_->waits.clear();
      merge(clocks[queue], recorded.clock);
    } else if (what <= 6 && tensors.size() < 8) {
      tensors.push_back({made(stream), {}, {}});
      tensors.back().written.emplace_back(queue, ++clocks[queue][queue]);
    } else if (what <= 8 && !tensors.empty()) {
      const std::size_t which = draw(tensors.size());
      Used used = std::move(tensors[which]);
      tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(which));
      const std::size_t before = stub_->frees.size();
      used.tensor = {};
      ASSERT_EQ(stub_->frees.size(), before + 1);
      follow();
      const Clock& clock = clocks[queue_of(stub_->frees.back())];
      ASSERT_TRUE(is_behind(clock, used.written) && is_behind(clock, used.read))
          << "step " << step << ": freed while it is used";
    } else if (!tensors.empty()) {
      Used& used = tensors[draw(tensors.size())];
      const Access access = draw(3) == 0 ? Access::write : Access::read;
      used.tensor.use(stream, access);
      follow();
      Clock& clock = clocks[queue];
      ASSERT_TRUE(is_behind(clock, used.written)) << "step " << step << ": before it is written";
      if (access == Access::write) {
        ASSERT_TRUE(is_behind(clock, used.read)) << "step " << step << ": written while it is read";
        used.written.clear();
        used.read.clear();
      }
      (access == Access::write ? used.written : used.read).emplace_back(queue, ++clock[queue]);
    }
    follow();
  }
  EXPECT_FALSE(std::ranges::count(stub_->calls, call("hipStreamSynchronize", "cuStreamSynchronize")));
}

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
