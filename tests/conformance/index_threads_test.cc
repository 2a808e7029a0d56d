// Who is told of a bad index: waits for its stream, for the default queue on the same thread, and for
// the device.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor integers(const std::vector<std::int32_t>& values, const Stream& stream = {}) {
  return Tensor::from_host(device(), std::as_bytes(std::span(values)),
                           {static_cast<std::int64_t>(values.size())}, DType::i32, stream);
}

std::vector<std::int32_t> read(const Tensor& tensor, const Stream& stream = {}) {
  const std::vector<std::byte> bytes = tensor.to_host(stream);
  std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// A gather of that index, which is bad when it is not 0 to 3.
Tensor gather_at(std::int32_t index, const Stream& stream = {}) {
  return gather(integers({10, 11, 12, 13}, stream), 0, integers({index}, stream), {.stream = stream});
}

void expect_told(std::int32_t index, const std::function<void()>& wait) {
  const std::string text = "index " + std::to_string(index) + " ";
  expect_error(Code::index_out_of_range, {text}, wait);
}

TEST(IndexFaults, AreOfTheirStream) {
  const Stream bad = device().new_stream(), good = device().new_stream();
  const Tensor wrong = gather_at(-5, bad), right = gather_at(2, good);
  EXPECT_EQ(read(right, good), (std::vector{12}));
  EXPECT_EQ(read(gather_at(3)), (std::vector{13}));
  expect_told(-5, [&] { wrong.to_host(bad); });
  // Once: then the result is what a bad index gives.
  EXPECT_EQ(read(wrong, bad), (std::vector{0}));
  device().synchronize();
}

TEST(IndexFaults, OfAnotherThreadAreToldToItToo) {
  std::atomic<int> step{0};
  std::thread other([&] {
    const Tensor wrong = gather_at(-7);
    step = 1;
    while (step != 2) std::this_thread::yield();
    expect_told(-7, [&] { wrong.to_host(); });
    device().synchronize();
  });
  while (step != 1) std::this_thread::yield();
  EXPECT_EQ(read(gather_at(1)), (std::vector{11}));
  expect_told(-7, [] { device().synchronize(); });
  device().synchronize();
  step = 2;
  other.join();
}

/// A thread that waits for the device is told although another thread's wait was told first.
TEST(IndexFaults, OfAThreadThatWaitsForTheDevice) {
  std::atomic<int> step{0};
  std::thread other([&] {
    gather_at(-8);
    step = 1;
    while (step != 2) std::this_thread::yield();
    expect_told(-8, [] { device().synchronize(); });
  });
  while (step != 1) std::this_thread::yield();
  expect_told(-8, [] { device().synchronize(); });
  step = 2;
  other.join();
}

TEST(IndexFaults, OfAThreadThatEnded) {
  std::thread([] { gather_at(-9); }).join();
  const Stream stream = device().new_stream();
  stream.synchronize();
  expect_told(-9, [] { gather_at(0).to_host(); });
  gather_at(0).to_host();
  std::thread([] { gather_at(-10); }).join();
  expect_told(-10, [] { device().synchronize(); });
  gather_at(0).to_host();
}

TEST(IndexFaults, OfAStreamThatIsGone) {
  gather_at(-11, device().new_stream());
  gather_at(0).to_host();
  expect_told(-11, [] { device().synchronize(); });
  device().synchronize();
}

TEST(IndexFaults, OfAStreamThatThreadsShare) {
  const Stream stream = device().new_stream();
  gather_at(1, stream);
  std::thread([&] { gather_at(-12, stream); }).join();
  expect_told(-12, [] { device().synchronize(); });
  expect_told(-12, [&] { stream.synchronize(); });
  stream.synchronize();
  device().synchronize();
}

TEST(IndexFaults, BeforeAnEvent) {
  const Stream stream = device().new_stream();
  const Event before = device().record(stream);
  gather_at(-13, stream);
  const Event after = device().record(stream);
  before.synchronize();
  expect_told(-13, [&] { after.synchronize(); });
  stream.synchronize();
  after.synchronize();
  // With more after the event the stream's own wait tells it again, as it could hide another.
  gather_at(-14, stream);
  const Event between = device().record(stream);
  gather_at(-15, stream);
  expect_told(-14, [&] { between.synchronize(); });
  expect_told(-14, [&] { stream.synchronize(); });
  stream.synchronize();
  gather_at(-16);
  const Event of_default = device().record();
  expect_told(-16, [&] { of_default.synchronize(); });
  gather_at(0).to_host();
}

/// More streams than the device keeps records for at first, some gone, some not.
TEST(IndexFaults, OfManyStreams) {
  std::vector<Stream> streams;
  for (int i = 0; i < 300; ++i) {
    gather_at(0, device().new_stream());
    streams.push_back(device().new_stream());
    gather_at(i % 3 == 0 ? -100 - i : 2, streams.back());
  }
  for (int i = 0; i < 300; ++i) {
    const Stream& stream = streams[static_cast<std::size_t>(i)];
    if (i % 3 == 0)
      expect_told(-100 - i, [&] { stream.synchronize(); });
    else
      stream.synchronize();
  }
  device().synchronize();
}

/// What was left by a thread outlives that its record is wanted for other queues.
TEST(IndexFaults, OfAThreadThatEndedAreKept) {
  std::atomic<int> step{0};
  std::thread other([&] {
    gather_at(-17);
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  expect_told(-17, [] { device().synchronize(); });
  step = 2;
  other.join();
  // Only calls without waits, which would hear of it.
  const Tensor x = Tensor::zeros(device(), {4}, DType::f32), ids = Tensor::zeros(device(), {1}, DType::i32);
  for (int i = 0; i < 1000; ++i) gather(x, 0, ids, {.stream = device().new_stream()});
  expect_told(-17, [] { gather_at(0).to_host(); });
  device().synchronize();
}

/// Threads that share the default queue, and threads with separate streams: each gets the errors of its bad indices,
/// every time, and of no others, and reads the elements that it gathered.
TEST(IndexFaults, OfManyThreads) {
  constexpr int threads = 4, turns = 400;
  std::atomic<bool> done{false};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([t] {
      const Stream own = t % 2 == 0 ? Stream() : device().new_stream();
      for (int i = 0; i < turns && !testing::Test::HasFailure(); ++i) {
        const bool is_bad = random_bits(static_cast<std::uint64_t>(t * turns + i)) % 3 == 0;
        const std::int32_t index = is_bad ? -(t + 1) * 100000 - i : (t + i) % 4;
        const Tensor result = gather_at(index, own);
        if (is_bad) expect_told(index, [&] { result.to_host(own); });
        ASSERT_EQ(read(result, own), (std::vector{is_bad ? 0 : 10 + index}))
            << "thread " << t << ", turn " << i;
      }
    });
  // Somebody who waits for the device takes nothing from them.
  std::thread waiter([&] {
    while (!done) {
      try {
        device().synchronize();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::index_out_of_range) << error.what();
      }
      std::this_thread::yield();
    }
  });
  for (std::thread& worker : workers) worker.join();
  done = true;
  waiter.join();
  try {
    device().synchronize();
  } catch (const Error&) {  // what the waiter did not come to
  }
}

}  // namespace
}  // namespace kernelgen::conformance
