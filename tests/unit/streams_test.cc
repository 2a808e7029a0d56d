// Memory used by several streams: waits on the device, the time of its release, and the driver calls
// that this takes.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "streams_fixture.hpp"

namespace kernelgen {
namespace {

/// Those that need a driver which says what it was asked.
class StreamOrderTest : public test::StreamsTest {};

using Waits = std::set<std::pair<void*, void*>>;
INSTANTIATE_TEST_SUITE_P(Devices, StreamOrderTest, testing::Values("hip:0", "cuda:0"), test::kind_of);

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

TEST_P(StreamOrderTest, WhereNoStreamIsLeftTheHostWaits) {
  const Stream a = device.new_stream();
  Tensor x = made();
  x.use(a, Access::read);
  stub_->failures[call("hipStreamCreateWithFlags", "cuStreamCreate")] = 2;
  const std::vector<std::string> freeing = calls([&] { x = {}; });
  EXPECT_EQ(std::ranges::count(freeing, call("hipStreamSynchronize", "cuStreamSynchronize")), 2);
  EXPECT_EQ(freeing.back(), call("hipFreeAsync", "cuMemFreeAsync"));

  stub_->failures.clear();
  x = made();
  {
    const Stream b = device.new_stream();
    x.use(b, Access::read);
    stub_->failures[call("hipEventRecord", "cuEventRecord")] = 2;
    stub_->calls.clear();
  }
  EXPECT_EQ(std::ranges::count(stub_->calls, call("hipStreamSynchronize", "cuStreamSynchronize")), 1);
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
  const std::vector<float> values(std::size_t{1} << 19);
  const Tensor z = Tensor::from_vector(device, values, {std::int64_t{1} << 19});
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

TEST_P(StreamOrderTest, StreamsThatHaveWaitedForEachOtherAreForgotten) {
  std::weak_ptr<Timeline> one, other;
  {
    const Stream a = device.new_stream(), b = device.new_stream();
    one = state_of(device).timeline(a);
    other = state_of(device).timeline(b);
    const Tensor x = made(a);
    for (const Stream& stream : {a, b, a, b}) x.use(stream);
    EXPECT_FALSE(waits().empty());
  }
  EXPECT_TRUE(one.expired());
  EXPECT_TRUE(other.expired());

  const std::weak_ptr<Timeline> default_queue = state_of(device).timeline({});
  device.wait({}, device.record());
  device = {};
  EXPECT_TRUE(default_queue.expired());
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
    follow();  // of the last step, with a stream that went at its end: another may get that one's handle
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
  }
  EXPECT_FALSE(std::ranges::count(stub_->calls, call("hipStreamSynchronize", "cuStreamSynchronize")));
}

}  // namespace
}  // namespace kernelgen
