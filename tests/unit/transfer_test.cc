// Asynchronous copies through pinned memory and between devices, of which the CPU may be several.
#include "kernelgen/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include "device/device_state.hpp"
#include "kernelgen/graph.hpp"
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

class TransferTest : public testing::TestWithParam<const char*> {
 protected:
  TransferTest() {
    const std::vector<std::byte> cpu = test::read_file(KERNELGEN_CPU_KERNELS), amd = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu},
                                          {"gfx90a", 1, 64, amd},
                                          {"sm_90", 2, 32, test::bytes_of(".version 8.0\n")}};
    bytes_ = test::sample_package(targets);
    package_ = Package::from_memory(bytes_);
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    ::unsetenv("KERNELGEN_CPU_DEVICES");
    hip() = StubGpu();
    cuda() = StubGpu();
  }
  ~TransferTest() override {
    device = {};
    for (const StubGpu* stub : {&hip(), &cuda()}) {
      EXPECT_TRUE(stub->handles.empty()) << stub->handles.size() << " handles of a driver are left";
    }
  }

  static StubGpu& hip() { return test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu"); }
  static StubGpu& cuda() { return test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu"); }
  /// Of the device that the test is of; null for a CPU's.
  static StubGpu* stub() {
    const std::string_view name = GetParam();
    return name.starts_with("hip") ? &hip() : name.starts_with("cuda") ? &cuda() : nullptr;
  }
  Device open(const char* name) const { return Device::open(name, *package_); }

  static Tensor tensor(const Device& device, std::vector<float> values, const Stream& stream = {}) {
    return Tensor::from_host(device, std::as_bytes(std::span(values)),
                             {static_cast<std::int64_t>(values.size())}, DType::f32, stream);
  }
  static std::vector<float> values(const Tensor& tensor, const Stream& stream = {}) {
    const std::vector<std::byte> bytes = tensor.to_host(stream);
    std::vector<float> result(bytes.size() / sizeof(float));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  static float* floats(const PinnedMemory& memory) { return reinterpret_cast<float*>(memory.bytes().data()); }

  Device device;

 private:
  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

INSTANTIATE_TEST_SUITE_P(Devices, TransferTest, testing::Values("cpu:2", "hip:0", "cuda:0"),
                         [](const auto& info) {
                           const std::string_view name = info.param;
                           return std::string(name.substr(0, name.find(':')));
                         });

TEST_P(TransferTest, VectorsHaveTheDtypeOfTheirElements) {
  device = open(GetParam());
  const Tensor x = Tensor::from_vector<float>(device, {1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(x.narrow(0, 1, 1).to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ((Tensor::from_vector<std::int64_t>(device, {-1}, {1}).to_vector<std::int64_t>()),
            std::vector<std::int64_t>{-1});
  EXPECT_TRUE(Tensor::empty(device, {0, 3}, DType::u8).to_vector<std::uint8_t>().empty());
  expect_error(Code::invalid_argument, {"to_vector", "the tensor is f32, the vector i32", "to_dtype"},
               [&] { x.to_vector<std::int32_t>(); });
  expect_error(Code::invalid_argument, {"f32 [2, 2] has 16 bytes", "the memory 15"}, [&] {
    std::vector<std::byte> bytes(15);
    x.to_host(bytes);
  });
  EXPECT_THROW(Tensor::from_vector<float>(device, {1, 2, 3}, {2, 2}), Error);
}

TEST_P(TransferTest, AGpuReadsAFewBytesOfTheHostWithoutAWait) {
  device = open(GetParam());
  if (stub() == nullptr) GTEST_SKIP() << "a CPU copies at once";
  const auto waits = [&](std::size_t bytes) {
    std::vector<std::byte> given(bytes, std::byte{7});
    stub()->calls.clear();
    const Tensor x = Tensor::from_host(device, given, {static_cast<std::int64_t>(bytes)}, DType::u8);
    std::ranges::fill(given, std::byte{0});
    const auto found = std::ranges::count_if(
        stub()->calls, [](const std::string& call) { return call.ends_with("StreamSynchronize"); });
    EXPECT_EQ(x.to_host(), std::vector(bytes, std::byte{7}));
    return found;
  };
  EXPECT_EQ(waits(1000), 0);
  EXPECT_EQ(waits(std::size_t{1} << 20), 0);
  EXPECT_EQ(waits((std::size_t{1} << 20) + 1), 1);
}

TEST_P(TransferTest, AWaitReadsTheRecordOfBadIndicesOnceACall) {
  device = open(GetParam());
  if (stub() == nullptr) GTEST_SKIP() << "a CPU's record is host memory";
  DeviceState& state = state_of(device);
  const auto reads = [&] {
    stub()->calls.clear();
    state.synchronize({});
    return std::ranges::count_if(
        stub()->calls, [](const std::string& call) { return call.find("DtoH") != std::string::npos; });
  };
  EXPECT_EQ(reads(), 0);
  const auto index = [&] { const IndexFaults::Call call(state.index_faults(), *state.fault_queue({})); };
  index();
  EXPECT_EQ(reads(), 1);
  EXPECT_EQ(reads(), 0);
  index();
  EXPECT_EQ(reads(), 1);
}

TEST_P(TransferTest, CopiesByPinnedMemoryWithoutAWait) {
  device = open(GetParam());
  const Stream stream = device.new_stream();
  const PinnedMemory memory(device, 32);
  ASSERT_EQ(memory.bytes().size(), 32u);
  std::iota(floats(memory), floats(memory) + 8, 0.0f);
  const Tensor x = Tensor::empty(device, {3}, DType::f32);
  if (stub() != nullptr) stub()->calls.clear();
  upload(x, memory, 8, stream);
  download(memory, x, 20, stream);
  if (stub() != nullptr) {
    for (const std::string& call : stub()->calls)
      EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
  }
  stream.synchronize();
  EXPECT_EQ(values(x, stream), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(std::vector<float>(floats(memory) + 5, floats(memory) + 8), (std::vector<float>{2, 3, 4}));
  upload(Tensor::empty(device, {0}, DType::f32), memory, 32);
  EXPECT_TRUE(PinnedMemory(device, 0).bytes().empty());
  EXPECT_FALSE(PinnedMemory());
}

TEST_P(TransferTest, RefusesWhatDoesNotFit) {
  device = open(GetParam());
  const Device other = open("cpu:1");
  const PinnedMemory memory(device, 16);
  const Tensor x = Tensor::empty(device, {2, 2}, DType::f32);
  expect_error(Code::invalid_argument,
               {"upload: f32 [2, 2] takes 16 bytes; the memory has 12 from byte 4 on"},
               [&] { upload(x, memory, 4); });
  expect_error(Code::invalid_argument, {"download", "has 0 from byte 17 on"},
               [&] { download(memory, x, 17); });
  expect_error(Code::invalid_argument, {"upload: the tensor is", "contiguous"},
               [&] { upload(x.transpose(0, 1), memory); });
  expect_error(Code::invalid_argument, {"upload", device.location() + " and cpu:1"},
               [&] { upload(Tensor::empty(other, {1}, DType::f32), memory); });
  expect_error(Code::invalid_argument, {"a stream of cpu:1"},
               [&] { download(memory, x, 0, other.new_stream()); });
  expect_error(Code::invalid_argument, {"upload: the memory is default-constructed"}, [&] { upload(x, {}); });
  expect_error(Code::invalid_argument, {"download: the tensor is default-constructed"},
               [&] { download(memory, {}); });
}

TEST_P(TransferTest, PinnedMemoryIsKeptUntilItsCopiesAreDone) {
  device = open(GetParam());
  if (stub() == nullptr) return;
  const Tensor x = Tensor::empty(device, {4}, DType::f32);
  const Stream stream = device.new_stream();
  stub()->events_are_reached = false;
  const void* first = nullptr;
  {
    const PinnedMemory memory(device, 16);
    first = memory.bytes().data();
    upload(x, memory, 0, stream);
  }
  const PinnedMemory second(device, 16);
  EXPECT_NE(second.bytes().data(), first) << "the copy may not be done";
  stub()->events_are_reached = true;
  const PinnedMemory third(device, 16);
  EXPECT_EQ(third.bytes().data(), first) << "nothing is made anew";
  for (const std::string& call : stub()->calls)
    EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
}

TEST_P(TransferTest, AGraphCopiesWhatIsThereAtEachLaunch) {
  device = open(GetParam());
  const Tensor x = tensor(device, {0, 0});
  PinnedMemory in(device, 8), out(device, 8);
  float* const given = floats(in);
  const float* const got = floats(out);
  Graph graph = device.capture([&] {
    upload(x, in);
    download(out, x);
    in = {};
    out = {};
  });
  EXPECT_EQ(graph.nodes(), 2u);
  for (const float value : {1.0f, 2.0f}) {
    given[0] = value;
    given[1] = -value;
    graph.launch();
    device.synchronize();
    EXPECT_EQ(got[0], value);
    EXPECT_EQ(got[1], -value);
  }
}

TEST_P(TransferTest, AGraphsPinnedMemoryIsKeptUntilItsLaunchIsDone) {
  device = open(GetParam());
  if (stub() == nullptr) return;
  device.follow_streams(false);
  const Stream stream = device.new_stream();
  const Tensor x = tensor(device, {0, 0});
  PinnedMemory in(device, 8);
  const void* const data = in.bytes().data();
  Graph graph = device.capture([&] { upload(x, in); });
  in = {};
  stub()->events_are_reached = false;
  graph.launch(stream);
  stub()->waits.clear();
  graph = {};
  EXPECT_TRUE(std::ranges::any_of(stub()->waits, [&](const auto& one) {
    return one.second == stream.native();
  })) << "freeing it waits for the launch";
  EXPECT_NE(PinnedMemory(device, 8).bytes().data(), data);
}

TEST_P(TransferTest, CopiesToOtherDevices) {
  ::setenv("KERNELGEN_CPU_DEVICES", "2", 1);
  device = open(GetParam());
  const Tensor x = tensor(device, {1, 2, 3});
  const Stream from = device.new_stream();
  for (const char* name : {"cpu", "cpu.1", "hip:1", "cuda:1"}) {
    SCOPED_TRACE(name);
    const Device other = open(name);
    const Stream to = other.new_stream();
    const Tensor there = to_device(x, other, {from, to});
    EXPECT_EQ(there.device(), other);
    EXPECT_EQ(values(there, to), (std::vector<float>{1, 2, 3}));
    const Tensor back = to_device(there, device, {to, from});
    EXPECT_EQ(values(back, from), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(to_device(Tensor::empty(device, {0}, DType::f32), other).elements(), 0);
  }
  expect_error(Code::invalid_argument, {"a stream of cpu"},
               [&] { to_device(x, open("cpu.1"), {open("cpu").new_stream(), {}}); });
  expect_error(Code::invalid_argument, {"to_device: x is a default-constructed Tensor"},
               [&] { to_device({}, device); });
  device.capture([&] {
    expect_error(Code::invalid_argument, {"a copy to another device", "captures a graph"},
                 [&] { to_device(x, open("cpu.1")); });
  });
}

TEST_P(TransferTest, GpusOfOneKindCopyWithoutTheHost) {
  device = open(GetParam());
  if (stub() == nullptr) return;
  const bool is_hip = device.kind() == DeviceKind::hip;
  const Device other = open(is_hip ? "hip:1" : "cuda:1");
  const Stream from = device.new_stream(), to = other.new_stream();
  const Tensor x = tensor(device, {1, 2, 3}, from);
  for (const bool first : {true, false}) {
    stub()->calls.clear();
    stub()->waits.clear();
    const Tensor y = to_device(x, other, {from, to});
    EXPECT_EQ(stub()->waits, (std::vector<std::pair<void*, void*>>{{from.native(), to.native()},
                                                                   {to.native(), from.native()}}));
    const auto count = [&](const char* hip_name, const char* cuda_name) {
      return std::count(stub()->calls.begin(), stub()->calls.end(), is_hip ? hip_name : cuda_name);
    };
    EXPECT_EQ(count("hipMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2"), 1);
    EXPECT_EQ(count("hipDeviceEnablePeerAccess", "cuCtxEnablePeerAccess"), first ? 1 : 0);
    EXPECT_EQ(count("hipMemPoolSetAccess", "cuMemPoolSetAccess"), first ? 1 : 0);
    for (const std::string& call : stub()->calls) {
      EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
      EXPECT_EQ(call.find("toH"), std::string::npos) << call;
    }
  }
  EXPECT_EQ(stub()->pool_access, (std::array<int, 3>{1, 0, 3}));
}

TEST_P(TransferTest, WhereGpusDoNotReachEachOtherTheDriverKnowsAWay) {
  device = open(GetParam());
  if (stub() == nullptr) return;
  stub()->peers_are_reachable = false;
  const Device other = open(device.kind() == DeviceKind::hip ? "hip:1" : "cuda:1");
  EXPECT_EQ(values(to_device(tensor(device, {5}), other)), (std::vector<float>{5}));
  for (const std::string& call : stub()->calls) EXPECT_EQ(call.find("EnablePeer"), std::string::npos);
}

class CpuDevices : public TransferTest {};
INSTANTIATE_TEST_SUITE_P(One, CpuDevices, testing::Values("cpu"));

TEST_P(CpuDevices, AreAsManyAsTheEnvironmentSays) {
  EXPECT_EQ(Device::count(DeviceKind::cpu), 1);
  expect_error(Code::unsupported, {"no device cpu.1", "KERNELGEN_CPU_DEVICES says, 1"},
               [&] { open("cpu.1"); });
  ::setenv("KERNELGEN_CPU_DEVICES", "3", 1);
  EXPECT_EQ(Device::count(DeviceKind::cpu), 3);
  const Device first = open("cpu"), second = open("cpu.1"), third = open("cpu.2:4");
  EXPECT_FALSE(first == second);
  EXPECT_EQ(second.location(), "cpu.1");
  EXPECT_EQ(second.ordinal(), 1);
  EXPECT_EQ(third.location(), "cpu.2:4");
  EXPECT_EQ(third.compute_units(), 4);
  EXPECT_EQ(open("cpu.1"), second);
  EXPECT_EQ(open("cpu.0"), first);
  for (const char* name : {"cpu.", "cpu.x", "cpu.-1", "cpu.1:", "cpu.1:0", "cpu.1.1", "cpux"})
    expect_error(Code::not_found, {"no device is called", "cpu.K"}, [&] { open(name); });
  for (const char* number : {"0", "x", "-1", "65", "2 "}) {
    ::setenv("KERNELGEN_CPU_DEVICES", number, 1);
    expect_error(Code::unsupported,
                 {"KERNELGEN_CPU_DEVICES is \"" + std::string(number) + "\"", "from 1 to 64"},
                 [&] { open("cpu.7"); });
  }
}

}  // namespace
}  // namespace kernelgen
