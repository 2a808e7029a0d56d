// Launch observers: callbacks, log, trace, profiler ranges. The environment variables are
// read once per process, so each of these runs in its own child process.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "device/device_state.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;
using Environment = std::map<std::string, std::string>;

Package package() {
  static const std::vector<std::byte> cpu = test::read_file(KERNELGEN_CPU_KERNELS),
                                      amd = test::amd_code_object(4);
  const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu}, {"gfx90a", 1, 64, amd}};
  static const std::vector<std::byte> bytes = test::sample_package(targets);
  return Package::from_memory(bytes);
}

/// kg_scale_f32 over nothing, once launched and twice in a graph.
void launch_some(const Device& device) {
  const std::array<std::byte, 32> arguments{};
  const Function scale = device.kernel(0);
  device.launch(scale, {{2, 1, 1}, {64, 1, 1}, 16}, arguments);
  const Graph graph = device.capture([&] {
    device.launch(scale, {}, arguments);
    device.launch(scale, {}, arguments);
  });
  graph.launch();
  device.synchronize();
}

/// Runs it in a process with that environment, which ends as `work` does; gives what it wrote to its error output.
std::string in_child(const Environment& environment, const std::function<void()>& work) {
  testing::internal::CaptureStderr();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    work();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 0) << written;
  return written;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LaunchObserverTest : public testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

 private:
  const test::TemporaryFolder folder_{"observer"};
};

TEST_F(LaunchObserverTest, ACallbackSeesEachLaunch) {
  const Device device = Device::open("cpu:2", package());
  std::vector<std::string> seen;
  bool is_first = true;
  const Device copy = device;
  copy.on_launch([&](const LaunchInfo& launch) {
    seen.push_back(std::string(launch.kernel) + (launch.is_captured ? " captured" : ""));
    if (!std::exchange(is_first, false)) return;
    EXPECT_EQ(launch.shape.grid[0], 2u);
    EXPECT_EQ(launch.shape.shared_bytes, 16u);
    EXPECT_EQ(launch.argument_bytes, 28u);
    EXPECT_EQ(launch.stream, nullptr);
  });
  launch_some(device);
  EXPECT_EQ(seen, (std::vector<std::string>{"kg_scale_f32", "kg_scale_f32 captured", "kg_scale_f32 captured",
                                            "graph of 2 nodes"}));
  seen.clear();
  const Module module = device.load_module(test::read_file(KERNELGEN_CPU_KERNELS));
  std::uint32_t visits = 0;
  std::uint32_t* const argument = &visits;
  device.launch(module.function("kg_visit"), {}, std::as_bytes(std::span(&argument, 1)));
  EXPECT_EQ(seen, std::vector<std::string>{"kg_visit"});
  EXPECT_EQ(visits, 1u);

  device.on_launch([](const LaunchInfo&) { throw std::runtime_error("mine"); });
  EXPECT_THROW(device.launch(module.function("kg_visit"), {}, std::as_bytes(std::span(&argument, 1))),
               std::runtime_error);
  EXPECT_EQ(visits, 1u) << "it was not launched";
  device.on_launch({});
  device.launch(module.function("kg_visit"), {}, std::as_bytes(std::span(&argument, 1)));
  EXPECT_EQ(visits, 2u);
}

TEST_F(LaunchObserverTest, ALog) {
  const std::string line =
      "kernelgen cpu:2: kg_scale_f32, grid 2 x 1 x 1, block 64 x 1 x 1, 16 bytes shared, "
      "28 bytes of arguments, stream ";
  const std::string written =
      in_child({{"KERNELGEN_LOG", "stderr"}}, [] { launch_some(Device::open("cpu:2", package())); });
  EXPECT_NE(written.find("kernelgen cpu:2: module scale of "), std::string::npos) << written;
  EXPECT_NE(written.find(line), std::string::npos) << written;
  EXPECT_NE(written.find(", captured\n"), std::string::npos) << written;
  EXPECT_NE(written.find("kernelgen cpu:2: graph of 2 nodes, "), std::string::npos) << written;
  const auto log = [] { launch_some(Device::open("cpu:2", package())); };
  EXPECT_EQ(in_child({{"KERNELGEN_LOG", path("log")}}, log), "");
  EXPECT_EQ(text_of(path("log")), written);
  in_child({{"KERNELGEN_LOG", "/no/such/folder/log"}}, [] {
    expect_error(Code::io, {"KERNELGEN_LOG is /no/such/folder/log", "`stderr` nor a file", "No such file"},
                 [] { Device::open("cpu:2", package()); });
  });
}

TEST_F(LaunchObserverTest, ATraceIsJsonWithTimesOfTheDevice) {
  in_child({{"KERNELGEN_TRACE", path("trace")}}, [] {
    launch_some(Device::open("cpu:2", package()));
    const Device other = Device::open("cpu:1", package());
    other.launch(other.kernel(0), {}, std::array<std::byte, 32>{}, other.new_stream());
  });
  const auto trace = nlohmann::json::parse(text_of(path("trace")));
  std::vector<std::string> names;
  for (const auto& event : trace) {
    names.push_back(event["ph"].get<std::string>() + " " +
                    (event["ph"] == "M" ? event["args"]["name"] : event["name"]).get<std::string>());
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"], 0);
    EXPECT_GE(event["dur"], 0);
    EXPECT_GE(event["tid"], 1);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"M cpu:2", "M default queue", "X kg_scale_f32", "X graph of 2 nodes",
                                      "M cpu:1", "M default queue", "X kg_scale_f32"}));
  EXPECT_EQ(trace[2]["args"]["launch"], "grid 2 x 1 x 1, block 64 x 1 x 1, 16 bytes shared");
  in_child({{"KERNELGEN_TRACE", "/no/such/folder/trace"}}, [] {
    expect_error(Code::io, {"KERNELGEN_TRACE is /no/such/folder/trace", "No such file"},
                 [] { Device::open("cpu:2", package()); });
  });
}

TEST_F(LaunchObserverTest, AGpusTimesAreThoseOfItsEvents) {
  const Environment environment{{"KERNELGEN_TRACE", path("trace")},
                                {"KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP}};
  in_child(environment, [] {
    StubGpu& stub = test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu");
    {
      const Device device = Device::open("hip:0", package());
      stub.milliseconds = {2, 0.25f, 3, 0.5f};
      launch_some(device);
      // More than are kept before their times are read.
      for (int i = 0; i < 1100; ++i) device.launch(device.kernel(0), {}, std::array<std::byte, 28>{});
      EXPECT_LT(std::count(stub.calls.begin(), stub.calls.end(), "hipEventCreateWithFlags") -
                    std::count(stub.calls.begin(), stub.calls.end(), "hipEventDestroy"),
                200);
      stub.failures = {{"hipModuleLaunchKernel", 1}};
      expect_error(Code::device, {"hipModuleLaunchKernel"},
                   [&] { device.launch(device.kernel(0), {}, std::array<std::byte, 28>{}); });
      stub.failures = {{"hipEventElapsedTime", 1}};
    }
    EXPECT_TRUE(stub.handles.empty()) << stub.handles.size();
    EXPECT_TRUE(stub.violations.empty());
  });
  const auto trace = nlohmann::json::parse(text_of(path("trace")));
  ASSERT_GT(trace.size(), 1024u);
  EXPECT_EQ(trace[2]["dur"], 250.0);
  EXPECT_EQ(trace[3]["dur"], 500.0);
  EXPECT_DOUBLE_EQ(trace[3]["ts"].get<double>() - trace[2]["ts"].get<double>(), 1000.0);
}

TEST_F(LaunchObserverTest, RangesOfAProfiler) {
  const std::string seen = "[kg_scale_f32][kg_scale_f32][kg_scale_f32][graph of 2 nodes]";
  for (const char* library : {KERNELGEN_STUB_NVTX, KERNELGEN_STUB_ROCTX})
    EXPECT_EQ(
        in_child({{"KERNELGEN_RANGES", library}}, [] { launch_some(Device::open("cpu:2", package())); }),
        seen);
  in_child({{"KERNELGEN_RANGES", KERNELGEN_STUB_NEITHER}}, [] {
    expect_error(Code::unsupported,
                 {"which KERNELGEN_RANGES names, has neither nvtxRangePushA nor roctxRangePushA"},
                 [] { Device::open("cpu:2", package()); });
  });
  in_child({{"KERNELGEN_RANGES", "libnosuch.so"}}, [] {
    expect_error(Code::unsupported, {"no library of profiler ranges could be opened", "libnosuch.so"},
                 [] { Device::open("cpu:2", package()); });
  });
}

}  // namespace
}  // namespace kernelgen
