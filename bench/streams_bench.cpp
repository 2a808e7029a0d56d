/// What streams and copies cost and gain:
///   streams_bench [DEVICE [PEER]]
/// Nanoseconds of the host for a small operation: before there is a second stream, with one, taking turns in two, and the
/// same without following them; GB/s of copies to the device, from the host's own memory and pinned; batches that are
/// uploaded and worked on in one stream and in two. With a second device GB/s from one to the other, and of an
/// all_reduce. Exits with 1 where a result is wrong.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernelgen/collective.hpp"
#include "kernelgen/ops.hpp"
#include "kernelgen/transfer.hpp"

using namespace kernelgen;

namespace {

/// Of a copy: what a GPU's link takes milliseconds for; on a CPU, where nothing is to be seen, less.
std::int64_t elements_for(const Device& device) {
  return device.kind() == DeviceKind::cpu ? 1 << 14 : 1 << 24;
}

/// Seconds that the work takes, its wait included; the best of five.
double seconds(const Device& device, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  work();
  device.synchronize();
  for (int turn = 0; turn < 5; ++turn) {
    const auto start = Clock::now();
    work();
    device.synchronize();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void print(const char* what, double value, const char* unit) {
  std::printf("%-58s %10.1f %s\n", what, value, unit);
}

void expect(const Tensor& x, float value) {
  const std::vector<std::byte> got = x.to_host();
  float first = 0, last = 0;
  std::memcpy(&first, got.data(), sizeof first);
  std::memcpy(&last, got.data() + got.size() - sizeof last, sizeof last);
  if (first != value || last != value)
    throw std::runtime_error("a result is " + std::to_string(first) + " where it has to be " +
                             std::to_string(value));
}

void time_calls(const Device& device) {
  constexpr int calls = 2000;
  const Tensor x = Tensor::zeros(device, {16}, DType::f32), y = Tensor::zeros(device, {16}, DType::f32);
  const auto nanoseconds = [&](const Stream& first, const Stream& second) {
    return 1e9 / calls * seconds(device, [&] {
             for (int i = 0; i < calls; i += 2) {
               add(x, x, {.stream = first, .out = &y});
               add(x, x, {.stream = second, .out = &y});
             }
           });
  };
  print("an operation, in the one stream that there is", nanoseconds({}, {}), "ns");
  const Stream other = device.new_stream();
  print("an operation, one stream of two", nanoseconds({}, {}), "ns");
  print("an operation, in turns in two, which wait for each other", nanoseconds({}, other), "ns");
  device.follow_streams(false);
  print("an operation, in turns in two, not followed", nanoseconds({}, other), "ns");
  device.follow_streams(true);
}

void time_copies(const Device& device) {
  const std::int64_t elements = elements_for(device);
  const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
  const std::vector<float> host(elements, 1);
  print(
      "to the device, from_host",
      1e-9 * static_cast<double>(bytes) /
          seconds(device,
                  [&] { Tensor::from_host(device, std::as_bytes(std::span(host)), {elements}, DType::f32); }),
      "GB/s");
  const PinnedMemory pinned(device, bytes);
  std::memcpy(pinned.bytes().data(), host.data(), bytes);
  const Tensor x = Tensor::empty(device, {elements}, DType::f32);
  print("to the device, pinned",
        1e-9 * static_cast<double>(bytes) / seconds(device, [&] { upload(x, pinned); }), "GB/s");
  expect(x, 1);
  print("to the host, pinned",
        1e-9 * static_cast<double>(bytes) / seconds(device, [&] { download(pinned, x); }), "GB/s");

  const Stream copies = device.new_stream();
  const auto batches = [&](const Stream& stream) {
    return 1e3 * seconds(device, [&] {
             Tensor sum = Tensor::zeros(device, {elements}, DType::f32);
             for (int batch = 0; batch < 8; ++batch) {
               const Tensor given = Tensor::empty(device, {elements}, DType::f32, stream);
               upload(given, pinned, 0, stream);
               Tensor y = given;
               for (int step = 0; step < 40; ++step) y = affine(y, 1, 0);
               sum = add(sum, y);
             }
             expect(sum, 8);
           });
  };
  print("8 batches, copied and worked on in one stream", batches({}), "ms");
  print("8 batches, copied in a separate stream", batches(copies), "ms");
}

void time_peers(const Device& device, const Device& peer) {
  const std::int64_t elements = elements_for(device);
  const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
  const Tensor x = Tensor::empty(device, {elements}, DType::f32);
  const_set(x, 3);
  std::optional<Tensor> there;
  const double took = seconds(peer, [&] { there = to_device(x, peer); });
  expect(*there, 3);
  print("from the device to its peer", 1e-9 * static_cast<double>(bytes) / took, "GB/s");
  const std::vector<Device> devices{device, peer};
  const std::vector<Communicator> ranks = Communicator::of(devices);
  const std::vector<Tensor> given{x, *there};
  std::vector<Tensor> sums(2);
  const double reduced = seconds(device, [&] {
    group([&] {
      for (std::size_t rank = 0; rank < 2; ++rank) sums[rank] = all_reduce(ranks[rank], given[rank]);
    });
  });
  expect(sums[0], 6);
  expect(sums[1], 6);
  print("all_reduce among both", 1e-9 * static_cast<double>(bytes) / reduced, "GB/s");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Device device = Device::open(argc > 1 ? argv[1] : "cpu");
    std::printf("%s, %s; copies are of %zu KB\n", device.location().c_str(), device.name().c_str(),
                static_cast<std::size_t>(elements_for(device)) * sizeof(float) >> 10);
    time_calls(device);
    time_copies(device);
    if (argc > 2) time_peers(device, Device::open(argv[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "streams_bench: %s\n", error.what());
    return 1;
  }
}
