// Collectives of CPU devices, from one thread and from several, and of GPUs over stubs of NCCL and RCCL.
#include "kernelgen/collective.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>

#include "kernelgen/graph.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "stub_gpu/stub_nccl.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;
using test::StubNccl;

std::vector<float> values(const Tensor& tensor, const Stream& stream = {}) {
  const std::vector<std::byte> bytes = tensor.to_host(stream);
  std::vector<float> result(bytes.size() / sizeof(float));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

Tensor tensor(const Device& device, const std::vector<float>& given, const Stream& stream = {}) {
  return Tensor::from_host(device, std::as_bytes(std::span(given)), {static_cast<std::int64_t>(given.size())},
                           DType::f32, stream);
}

class CollectiveTest : public testing::TestWithParam<const char*> {
 protected:
  CollectiveTest() {
    ::setenv("KERNELGEN_CPU_DEVICES", "3", 1);
    const std::string_view kind = GetParam();
    if (kind == "cpu") {
      for (const char* name : {"cpu", "cpu.1"}) devices.push_back(Device::open(name));
    } else {
      const bool is_hip = kind == "hip";
      ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
      ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
      ::setenv(is_hip ? "KERNELGEN_RCCL_LIBRARY" : "KERNELGEN_NCCL_LIBRARY", KERNELGEN_STUB_NCCL, 1);
      gpu_ = &test::stub_state<StubGpu>(is_hip ? KERNELGEN_STUB_HIP : KERNELGEN_STUB_CUDA, "stub_gpu");
      *gpu_ = StubGpu();
      stub() = StubNccl();
      const std::vector<std::byte> amd = test::amd_code_object(4);
      const test::SampleTarget targets[] = {{"gfx90a", 1, 64, amd},
                                            {"sm_90", 2, 32, test::bytes_of(".version 8.0\n")}};
      bytes_ = test::sample_package(targets);
      package_ = Package::from_memory(bytes_);
      for (const char* number : {":0", ":1"})
        devices.push_back(Device::open(std::string(kind) + number, *package_));
    }
    ranks = Communicator::of(devices);
  }
  ~CollectiveTest() override {
    ranks.clear();
    devices.clear();
    EXPECT_EQ(stub().communicators, 0);
    if (gpu_ != nullptr) {
      EXPECT_TRUE(gpu_->handles.empty()) << gpu_->handles.size() << " handles of the driver are left";
    }
  }

  static StubNccl& stub() { return test::stub_state<StubNccl>(KERNELGEN_STUB_NCCL, "stub_nccl"); }
  /// What each rank gets of call(communicator, its tensor).
  template <class Call>
  std::vector<std::vector<float>> each(const std::vector<std::vector<float>>& given, const Call& call) const {
    std::vector<Tensor> results;
    group([&] {
      for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        results.push_back(call(ranks[rank], tensor(devices[rank], given[rank])));
    });
    std::vector<std::vector<float>> found;
    for (const Tensor& result : results) found.push_back(values(result));
    return found;
  }

  std::vector<Device> devices;
  std::vector<Communicator> ranks;
  StubGpu* gpu_ = nullptr;

 private:
  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

using Lists = std::vector<std::vector<float>>;
INSTANTIATE_TEST_SUITE_P(Devices, CollectiveTest, testing::Values("cpu", "hip", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(CollectiveTest, RanksAreKnown) {
  ASSERT_EQ(ranks.size(), 2u);
  for (int rank = 0; rank < 2; ++rank) {
    const Communicator& one = ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.rank(), rank);
    EXPECT_EQ(one.ranks(), 2);
    EXPECT_EQ(one.device(), devices[static_cast<std::size_t>(rank)]);
  }
  EXPECT_FALSE(Communicator());
  EXPECT_TRUE(Communicator::of({}).empty());
}

TEST_P(CollectiveTest, Reduce) {
  const Lists given{{1, -2, 3, 8}, {5, 4, -1, 2}};
  const auto reduce = [&](Reduction reduction) {
    return each(given,
                [&](const Communicator& one, const Tensor& x) { return all_reduce(one, x, reduction); });
  };
  EXPECT_EQ(reduce(Reduction::sum), (Lists{{6, 2, 2, 10}, {6, 2, 2, 10}}));
  EXPECT_EQ(reduce(Reduction::mean), (Lists{{3, 1, 1, 5}, {3, 1, 1, 5}}));
  EXPECT_EQ(reduce(Reduction::min), (Lists{{1, -2, -1, 2}, {1, -2, -1, 2}}));
  EXPECT_EQ(each(given, [](const Communicator& one, const Tensor& x) { return reduce_scatter(one, x); }),
            (Lists{{6, 2}, {2, 10}}));
  if (gpu_ != nullptr) return;
  EXPECT_EQ(reduce(Reduction::product), (Lists{{5, -8, -3, 16}, {5, -8, -3, 16}}));
  EXPECT_EQ(reduce(Reduction::max), (Lists{{5, 4, 3, 8}, {5, 4, 3, 8}}));
}

TEST_P(CollectiveTest, MoveElements) {
  const Lists given{{1, 2}, {3, 4}};
  EXPECT_EQ(each(given, [](const Communicator& one, const Tensor& x) { return all_gather(one, x); }),
            (Lists{{1, 2, 3, 4}, {1, 2, 3, 4}}));
  EXPECT_EQ(each(given, [](const Communicator& one, const Tensor& x) { return broadcast(one, x, 1); }),
            (Lists{{3, 4}, {3, 4}}));
  EXPECT_EQ(each(given,
                 [](const Communicator& one, const Tensor& x) {
                   const Tensor result = Tensor::empty(x.device(), {2}, DType::f32);
                   send(one, x, 1 - one.rank());
                   receive(one, result, 1 - one.rank());
                   return result;
                 }),
            (Lists{{3, 4}, {1, 2}}));
}

TEST_P(CollectiveTest, WriteInPlaceAndToOut) {
  const std::vector<Tensor> x{tensor(devices[0], {1, 2}), tensor(devices[1], {3, 4})};
  group([&] {
    for (std::size_t rank = 0; rank < 2; ++rank)
      all_reduce(ranks[rank], x[rank], Reduction::sum, {.out = &x[rank]});
  });
  EXPECT_EQ(values(x[0]), (std::vector<float>{4, 6}));
  EXPECT_EQ(values(x[1]), (std::vector<float>{4, 6}));
}

TEST_P(CollectiveTest, WorkInTheStreamThatIsNamed) {
  const Stream streams[] = {devices[0].new_stream(), devices[1].new_stream()};
  std::vector<Tensor> results;
  group([&] {
    for (std::size_t rank = 0; rank < 2; ++rank)
      results.push_back(all_reduce(ranks[rank], tensor(devices[rank], {1}, streams[rank]), Reduction::sum,
                                   {.stream = streams[rank]}));
    // The tensors that were given are gone, and still there for what is not begun yet.
    if (gpu_ != nullptr) {
      EXPECT_EQ(stub().calls.back(), "ncclAllReduce");
    }
  });
  EXPECT_EQ(values(results[0], streams[0]), (std::vector<float>{2}));
  if (gpu_ != nullptr) {
    EXPECT_EQ(stub().streams, (std::vector<void*>{streams[0].native(), streams[1].native()}));
  }
}

TEST_P(CollectiveTest, RefuseWhatTheyDoNotTake) {
  const Tensor x = tensor(devices[0], {1, 2, 3}), other = tensor(devices[1], {1, 2, 3});
  const Communicator& one = ranks[0];
  const auto refuses = [](std::initializer_list<std::string_view> parts, const auto& call) {
    expect_error(Code::invalid_argument, parts, call);
  };
  refuses({"all_reduce: the communicator is default-constructed"}, [&] { all_reduce({}, x); });
  refuses({"all_reduce: the tensor is default-constructed"}, [&] { all_reduce(one, {}); });
  refuses({"broadcast", "copy one over first"}, [&] { broadcast(one, other, 0); });
  refuses({"broadcast: root is 2; there are ranks 0 to 1"}, [&] { broadcast(one, x, 2); });
  refuses({"send: to is -1"}, [&] { send(one, x, -1); });
  refuses({"receive: from is 5"}, [&] { receive(one, x, 5); });
  refuses({"receive: the tensor is", "contiguous"},
          [&] { receive(one, x.reshape({1, 3}).broadcast_to({2, 3}), 1); });
  refuses({"reduce_scatter: x is [3]; its first extent has to be a multiple of the 2 ranks"},
          [&] { reduce_scatter(one, x); });
  refuses({"all_gather: x has no dims"}, [&] { all_gather(one, x.narrow(0, 0, 1).reshape({})); });
  refuses({"all_reduce: no reduction of dtype i16", "it accepts u8 u32"},
          [&] { all_reduce(one, Tensor::empty(devices[0], {1}, DType::i16)); });
  refuses({"all_reduce: no mean of dtype i32"},
          [&] { all_reduce(one, Tensor::empty(devices[0], {1}, DType::i32), Reduction::mean); });
  refuses({"Communicator: rank 2 of 2"}, [&] { Communicator(devices[0], 2, 2, {}); });
  refuses({"Communicator: the device is default-constructed"}, [&] { Communicator({}, 2, 0, {}); });
  refuses({"not all of one kind"}, [&] { Communicator::of(std::vector{devices[0], Device()}); });
}

TEST_P(CollectiveTest, ErrorsEndTheGroup) {
  EXPECT_THROW(group([] { throw std::runtime_error("mine"); }), std::runtime_error);
  if (gpu_ == nullptr) return;
  stub().failures = {{"ncclAllReduce", 3}};
  expect_error(Code::device, {"collectives: ncclAllReduce of", "failed: status 3, stub"},
               [&] { group([&] { all_reduce(ranks[0], tensor(devices[0], {1})); }); });
  stub().failures = {{"ncclGroupEnd", 5}};
  expect_error(Code::device, {"ncclGroupEnd", "invalid usage"},
               [&] { each({{1}, {2}}, [](const auto& one, const auto& x) { return all_reduce(one, x); }); });
  stub().failures.clear();
  EXPECT_EQ(each({{1}, {2}}, [](const auto& one, const auto& x) { return all_reduce(one, x); }),
            (Lists{{3}, {3}}));
}

/// A thread for each rank, as programs have them.
class CpuCollectives : public testing::Test {
 protected:
  static constexpr int count = 3;

  CpuCollectives() {
    ::setenv("KERNELGEN_CPU_DEVICES", "3", 1);
    for (const char* name : {"cpu", "cpu.1", "cpu.2"}) devices.push_back(Device::open(name));
    id = Communicator::make_id(devices[0]);
  }

  template <class Work>
  void run(const Work& work) const {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        const Device& device = devices[static_cast<std::size_t>(rank)];
        work(Communicator(device, count, rank, id));
      });
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<Device> devices;
  Communicator::Id id;
};

TEST_F(CpuCollectives, OfThreadsMeet) {
  run([](const Communicator& one) {
    const auto rank = static_cast<float>(one.rank());
    for (int turn = 0; turn < 200; ++turn) {
      const Tensor x = tensor(one.device(), {rank, static_cast<float>(turn), 1});
      EXPECT_EQ(values(all_reduce(one, x)), (std::vector<float>{3, 3.0f * static_cast<float>(turn), 3}));
      EXPECT_EQ(values(reduce_scatter(one, x)),
                (std::vector<float>{rank == 0   ? 3
                                    : rank == 1 ? 3.0f * static_cast<float>(turn)
                                                : 3}));
      // Around a ring.
      const Tensor from = Tensor::empty(one.device(), {3}, DType::f32);
      group([&] {
        send(one, x, (one.rank() + 1) % count);
        receive(one, from, (one.rank() + count - 1) % count);
      });
      EXPECT_EQ(values(from)[0], static_cast<float>((one.rank() + count - 1) % count));
    }
  });
}

TEST_F(CpuCollectives, OfHalvesAreSummedInF32) {
  run([](const Communicator& one) {
    // 2048 + 1 is no f16; 2048 + 1 + 1 is.
    const std::uint16_t bits = one.rank() == 0 ? 0x6800 : 0x3c00;
    const Tensor x = Tensor::from_host(one.device(), std::as_bytes(std::span(&bits, 1)), {1}, DType::f16);
    std::uint16_t sum = 0;
    const std::vector<std::byte> bytes = all_reduce(one, x).to_host();
    std::memcpy(&sum, bytes.data(), 2);
    EXPECT_EQ(sum, 0x6801);
  });
}

TEST_F(CpuCollectives, OfViewsAndOfNoElements) {
  run([](const Communicator& one) {
    std::vector<float> given(6);
    std::iota(given.begin(), given.end(), static_cast<float>(one.rank()));
    const Tensor x = tensor(one.device(), given).reshape({2, 3}).transpose(0, 1);
    EXPECT_EQ(values(all_reduce(one, x)), (std::vector<float>{3, 12, 6, 15, 9, 18}));
    EXPECT_EQ(all_gather(one, Tensor::empty(one.device(), {0, 4}, DType::u8)).shape(), Shape({0, 4}));
  });
}

TEST_F(CpuCollectives, ThatDifferAreRefusedForAll) {
  run([](const Communicator& one) {
    const Tensor x = Tensor::zeros(one.device(), {one.rank() == 1 ? 2 : 3}, DType::f32);
    expect_error(
        Code::invalid_argument,
        {"rank 0 calls all_reduce of f32 [3], rank 1 all_reduce of f32 [2]; all ranks make the same calls"},
        [&] { all_reduce(one, x); });
    const Tensor y = Tensor::zeros(one.device(), {3}, DType::f32);
    expect_error(Code::invalid_argument, {"with another root or reduction"},
                 [&] { broadcast(one, y, one.rank() == 0 ? 1 : 0); });
    EXPECT_EQ(values(all_reduce(one, y)), std::vector<float>(3));
  });
}

TEST_F(CpuCollectives, SayWhoIsGone) {
  run([](const Communicator& one) {
    if (one.rank() == 2) return;
    expect_error(Code::invalid_argument, {"waits for rank 2 of 3, which is gone"},
                 [&] { all_gather(one, Tensor::zeros(one.device(), {1}, DType::f32)); });
  });
}

TEST_F(CpuCollectives, SayWhoWasGoneBeforeOthersJoined) {
  {
    const Communicator gone(devices[1], 2, 1, id);
  }
  expect_error(Code::invalid_argument, {"rank 1 of 2 joins where that rank is already"},
               [&] { Communicator(devices[1], 2, 1, id); });
  if (HasFailure()) return;  // else no peer would arrive
  const Communicator one(devices[0], 2, 0, id);
  expect_error(Code::invalid_argument, {"waits for rank 1 of 2, which is gone"},
               [&] { all_gather(one, Tensor::zeros(devices[0], {1}, DType::f32)); });
}

TEST_F(CpuCollectives, MeetAnewWhereAllAreGone) {
  for (int turn = 0; turn < 2; ++turn) {
    const Communicator first(devices[0], 2, 0, id), second(devices[1], 2, 1, id);
  }
}

TEST_F(CpuCollectives, JoinOnceEach) {
  const Communicator first(devices[0], 2, 0, id);
  expect_error(Code::invalid_argument, {"rank 0 of 2 joins where that rank is already"},
               [&] { Communicator(devices[1], 2, 0, id); });
  expect_error(Code::invalid_argument, {"rank 1 of 3 joins where the ranks are 2"},
               [&] { Communicator(devices[1], 3, 1, id); });
  EXPECT_NE(Communicator::make_id(devices[0]), id);
}

TEST_F(CpuCollectives, AreNoPartOfAGraph) {
  const Communicator alone(devices[0], 1, 0, id);
  const Tensor x = tensor(devices[0], {1});
  devices[0].capture([&] {
    expect_error(Code::invalid_argument, {"all_reduce of CPU devices", "captures a graph"},
                 [&] { all_reduce(alone, x); });
  });
  EXPECT_EQ(values(all_reduce(alone, x)), (std::vector<float>{1}));
}

}  // namespace
}  // namespace kernelgen
