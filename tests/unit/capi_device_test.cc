// Devices, streams, events and launches through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST(CapiDevice, RefusesUnknownNamesAndKinds) {
  kernelgen_device* device = nullptr;
  EXPECT_EQ(kernelgen_device_open("gpu", nullptr, &device), KERNELGEN_NOT_FOUND);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(kernelgen_device_open("cpu", nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_device_open: device is NULL");
  int count = -1;
  EXPECT_EQ(kernelgen_device_count(KERNELGEN_CPU, &count), KERNELGEN_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(kernelgen_device_count(static_cast<kernelgen_device_kind>(3), &count),
            KERNELGEN_INVALID_ARGUMENT);
}

TEST_F(Capi, DescribesTheDevice) {
  kernelgen_device_info info;
  ok(kernelgen_device_describe(device_, &info));
  EXPECT_EQ(info.kind, KERNELGEN_CPU);
  EXPECT_STREQ(info.location, "cpu");
  EXPECT_STRNE(info.name, "");
  EXPECT_EQ(std::string(info.target).substr(0, 4), "cpu-");
  EXPECT_EQ(info.wave_size, 1);
  EXPECT_GT(info.total_memory, 0u);
  size_t free_memory = 0;
  ok(kernelgen_device_free_memory(device_, &free_memory));
  EXPECT_LE(free_memory, info.total_memory);
}

TEST_F(Capi, CountsAndLimitsMemory) {
  kernelgen_memory_use before, use;
  ok(kernelgen_device_memory_use(device_, &before));
  make({1, 2}, {2});
  ok(kernelgen_device_memory_use(device_, &use));
  EXPECT_EQ(use.in_use, before.in_use + 8);
  EXPECT_GE(use.peak, use.in_use);
  EXPECT_EQ(use.limit, SIZE_MAX);
  ok(kernelgen_device_set_memory_limit(device_, use.in_use));
  const int64_t shape[] = {1};
  kernelgen_tensor* more = nullptr;
  fails(kernelgen_tensor_empty(device_, KERNELGEN_F32, 1, shape, nullptr, &more), KERNELGEN_OUT_OF_MEMORY,
        "4 bytes were requested from");
  ok(kernelgen_device_set_memory_limit(device_, SIZE_MAX));
  ok(kernelgen_device_reset_peak_memory(device_));
  ok(kernelgen_device_trim_memory(device_));
  ok(kernelgen_device_memory_use(device_, &use));
  EXPECT_EQ(use.peak, use.in_use);
  EXPECT_EQ(use.cached, 0u);
  fails(kernelgen_device_memory_use(device_, nullptr), KERNELGEN_INVALID_ARGUMENT, "memory is NULL");
}

TEST_F(Capi, HasLaunchesSeen) {
  struct Seen {
    std::vector<std::string> kernels;
    int releases = 0;
  } seen;
  const auto look = [](void* context, const kernelgen_launch_info* launch) {
    static_cast<Seen*>(context)->kernels.emplace_back(launch->kernel);
    EXPECT_GE(launch->shape.grid[0], 1u);
    EXPECT_GT(launch->argument_bytes, 0u);
    EXPECT_EQ(launch->is_captured, 0);
  };
  const auto release = [](void* context) { ++static_cast<Seen*>(context)->releases; };
  kernelgen_tensor *x = make({1, 2}, {2}), *y = nullptr;
  ok(kernelgen_device_on_launch(device_, look, release, &seen));
  ok(kernelgen_neg(x, nullptr, nullptr, &y));
  keep(y);
  EXPECT_EQ(seen.kernels, (std::vector<std::string>{"kg_neg_f32"}));
  EXPECT_EQ(seen.releases, 0);
  ok(kernelgen_device_on_launch(device_, nullptr, nullptr, nullptr));
  EXPECT_EQ(seen.releases, 1);
  ok(kernelgen_neg(x, y, nullptr, nullptr));
  EXPECT_EQ(seen.kernels.size(), 1u);
  ok(kernelgen_device_on_launch(device_, nullptr, release, &seen));
  EXPECT_EQ(seen.releases, 2);
}

TEST_F(Capi, LaunchesAKernelById) {
  kernelgen_package* package = nullptr;
  ok(kernelgen_device_package(device_, &package));
  uint32_t id = 0;
  ok(kernelgen_package_find_kernel(package, "kg_neg_f32", &id));
  kernelgen_package_release(package);

  kernelgen_tensor* x = make({1, -2, 3}, {3});
  kernelgen_tensor* y = make({0, 0, 0}, {3});
  struct {
    void* x;
    void* y;
    uint64_t n;
  } block = {nullptr, nullptr, 3};
  ok(kernelgen_tensor_data(x, &block.x));
  ok(kernelgen_tensor_data(y, &block.y));
  const kernelgen_launch_shape shape = {{1, 1, 1}, {256, 1, 1}, 0};
  ok(kernelgen_launch_kernel(device_, id, &shape, &block, sizeof block, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{-1, 2, -3}));

  kernelgen_function function = {nullptr};
  fails(kernelgen_launch(device_, function, &shape, &block, sizeof block, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "function.handle is NULL");
  ok(kernelgen_device_kernel(device_, id, &function));
  block = {block.y, block.y, 3};
  ok(kernelgen_launch(device_, function, &shape, &block, sizeof block, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{1, -2, 3}));
  fails(kernelgen_launch_kernel(device_, id, &shape, &block, 8, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "launch of kg_neg_f32 on cpu: the kernel's arguments are 24 bytes, those given 8");
  fails(kernelgen_launch(device_, function, &shape, &block, 3, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "the kernel's arguments are 24 bytes, those given 3");
  const kernelgen_launch_shape large = {{1, 1, 1}, {256, 2, 1}, 0};
  fails(kernelgen_launch(device_, function, &large, &block, sizeof block, nullptr),
        KERNELGEN_INVALID_ARGUMENT,
        "launch of kg_neg_f32 on cpu: a block of 256 x 2 x 1 threads is larger than the kernel is compiled "
        "for, 256");
  fails(kernelgen_launch_kernel(device_, 0xffffffffu, &shape, &block, 24, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "kernel is 4294967295");
}

TEST_F(Capi, ADeviceTakesSeveralPackages) {
  kernelgen_package* packages[2] = {nullptr, nullptr};
  ok(kernelgen_package_embedded(&packages[1]));
  const void* bytes = nullptr;
  size_t count = 0;
  ok(kernelgen_package_bytes(packages[1], &bytes, &count));
  ok(kernelgen_package_from_memory(bytes, count, &packages[0]));
  kernelgen_device* device = nullptr;
  ok(kernelgen_device_open_packages("cpu", packages, 2, &device));
  const kernelgen_kernel_record* kernels = nullptr;
  ok(kernelgen_package_kernels(packages[0], &kernels, &count));
  uint32_t id = 0, in_package = 0;
  ok(kernelgen_device_find_kernel(device, "kg_neg_f32", &id));
  ok(kernelgen_package_find_kernel(packages[0], "kg_neg_f32", &in_package));
  EXPECT_EQ(id, in_package);
  float x[] = {1, -2, 3}, y[3] = {};
  struct {
    void* x;
    void* y;
    uint64_t n;
  } block = {x, y, 3};
  const kernelgen_launch_shape shape = {{1, 1, 1}, {256, 1, 1}, 0};
  const auto others = id + static_cast<uint32_t>(count);  // the same of the second package
  ok(kernelgen_launch_kernel(device, others, &shape, &block, sizeof block, nullptr));
  EXPECT_EQ(y[1], 2);
  fails(kernelgen_launch_kernel(device, others, &shape, &block, 8, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "the kernel's arguments are 24 bytes, those given 8");
  kernelgen_function function = {nullptr};
  fails(kernelgen_device_kernel(device, static_cast<uint32_t>(2 * count), &function),
        KERNELGEN_INVALID_ARGUMENT, "kernel is ");
  fails(kernelgen_device_find_kernel(device, "no", &id), KERNELGEN_NOT_FOUND, "kernel 'no'");
  kernelgen_device* same = nullptr;
  ok(kernelgen_device_retain(device, &same));
  kernelgen_device_release(device);
  ok(kernelgen_launch_kernel(same, others, &shape, &block, sizeof block, nullptr));
  kernelgen_device_release(same);
  fails(kernelgen_device_retain(nullptr, &same), KERNELGEN_INVALID_ARGUMENT, "device is NULL");

  fails(kernelgen_device_open_packages("cpu", packages, 0, &device), KERNELGEN_INVALID_ARGUMENT,
        "no package is given");
  fails(kernelgen_device_open_packages("cpu", nullptr, 1, &device), KERNELGEN_INVALID_ARGUMENT,
        "packages is NULL");
  kernelgen_package_release(packages[1]);
  packages[1] = nullptr;
  fails(kernelgen_device_open_packages("cpu", packages, 2, &device), KERNELGEN_INVALID_ARGUMENT,
        "packages[1] is NULL");
  kernelgen_package_release(packages[0]);
}

TEST_F(Capi, MemoryComesFromAnAllocatorOfTheCaller) {
  static std::size_t in_use = 0;
  const auto allocate = [](void* context, size_t bytes, void*) {
    in_use += bytes;
    ++*static_cast<int*>(context);
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  };
  const auto give_back = [](void*, void* memory, size_t bytes, void*) {
    in_use -= bytes;
    std::free(memory);
  };
  int calls = 0;
  ok(kernelgen_device_set_allocator(device_, allocate, give_back, &calls));
  const int64_t shape[] = {100};
  kernelgen_tensor* x = nullptr;
  ok(kernelgen_tensor_empty(device_, KERNELGEN_U8, 1, shape, nullptr, &x));
  EXPECT_EQ(in_use, 100u);
  ok(kernelgen_device_set_allocator(device_, nullptr, nullptr, nullptr));
  kernelgen_tensor_release(x);
  EXPECT_EQ(in_use, 0u);
  EXPECT_EQ(calls, 1);
  fails(kernelgen_device_set_allocator(device_, allocate, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "only one of the functions");
}

TEST_F(Capi, CopiesByPinnedMemoryAndBetweenDevices) {
  kernelgen_pinned* pinned = nullptr;
  ok(kernelgen_pinned_new(device_, 16, &pinned));
  void* data = nullptr;
  size_t bytes = 0;
  ok(kernelgen_pinned_data(pinned, &data, &bytes));
  EXPECT_EQ(bytes, 16u);
  auto* const values = static_cast<float*>(data);
  values[1] = 5;
  values[2] = 6;
  kernelgen_tensor* x = make({1, 2}, {2});
  ok(kernelgen_upload(x, pinned, 4, nullptr));
  EXPECT_EQ(read(x), (std::vector<float>{5, 6}));
  ok(kernelgen_download(pinned, x, 8, nullptr));
  EXPECT_EQ(values[3], 6);
  fails(kernelgen_upload(x, pinned, 12, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "takes 8 bytes; the memory has 4 from byte 12 on");
  fails(kernelgen_download(nullptr, x, 0, nullptr), KERNELGEN_INVALID_ARGUMENT, "destination is NULL");
  kernelgen_pinned_release(pinned);
  kernelgen_pinned_release(nullptr);

  kernelgen_device* other = nullptr;
  ok(kernelgen_device_open("cpu:1", nullptr, &other));
  kernelgen_tensor* there = nullptr;
  ok(kernelgen_tensor_to_device(x, other, nullptr, nullptr, &there));
  keep(there);
  EXPECT_EQ(read(there), (std::vector<float>{5, 6}));
  fails(kernelgen_tensor_to_device(x, nullptr, nullptr, nullptr, &there), KERNELGEN_INVALID_ARGUMENT,
        "device is NULL");
  kernelgen_device_release(other);
}

TEST_F(Capi, DevicesExchangeTensors) {
  kernelgen_device* devices[2] = {device_, nullptr};
  ok(kernelgen_device_open("cpu:1", nullptr, &devices[1]));
  kernelgen_communicator_id id;
  ok(kernelgen_communicator_make_id(device_, &id));
  kernelgen_communicator* ranks[2] = {nullptr, nullptr};
  for (int rank = 0; rank < 2; ++rank)
    ok(kernelgen_communicator_join(devices[rank], 2, rank, &id, &ranks[rank]));
  const int64_t shape[] = {2};
  const auto each = [&](const auto& call) {
    std::vector<std::vector<float>> found;
    kernelgen_tensor *x[2], *result[2] = {nullptr, nullptr};
    ok(kernelgen_group_begin());
    for (int rank = 0; rank < 2; ++rank) {
      const float given[] = {1.0f + static_cast<float>(rank), 5};
      ok(kernelgen_tensor_from_host(devices[rank], given, sizeof given, KERNELGEN_F32, 1, shape, nullptr,
                                    &x[rank]));
      keep(x[rank]);
      ok(call(ranks[rank], x[rank], &result[rank]));
      if (result[rank] != nullptr) keep(result[rank]);
    }
    ok(kernelgen_group_end());
    for (int rank = 0; rank < 2; ++rank)
      found.push_back(read(result[rank] != nullptr ? result[rank] : x[rank]));
    return found;
  };
  using Lists = std::vector<std::vector<float>>;
  EXPECT_EQ(each([](auto* one, auto* x, auto** y) {
              return kernelgen_all_reduce(one, x, KERNELGEN_REDUCE_SUM, nullptr, nullptr, y);
            }),
            (Lists{{3, 10}, {3, 10}}));
  EXPECT_EQ(each([](auto* one, auto* x, auto** y) {
              return kernelgen_reduce_scatter(one, x, KERNELGEN_REDUCE_MEAN, nullptr, nullptr, y);
            }),
            (Lists{{1.5}, {5}}));
  EXPECT_EQ(
      each([](auto* one, auto* x, auto** y) { return kernelgen_all_gather(one, x, nullptr, nullptr, y); }),
      (Lists{{1, 5, 2, 5}, {1, 5, 2, 5}}));
  EXPECT_EQ(
      each([](auto* one, auto* x, auto** y) { return kernelgen_broadcast(one, x, 1, nullptr, nullptr, y); }),
      (Lists{{2, 5}, {2, 5}}));
  EXPECT_EQ(each([&](auto* one, auto* x, auto**) {
              return one == ranks[0] ? kernelgen_send(one, x, 1, nullptr)
                                     : kernelgen_receive(one, x, 0, nullptr);
            }),
            (Lists{{1, 5}, {1, 5}}));
  kernelgen_tensor* y = nullptr;
  fails(kernelgen_all_reduce(ranks[0], make({1}, {1}), static_cast<kernelgen_reduction>(7), nullptr, nullptr,
                             &y),
        KERNELGEN_INVALID_ARGUMENT, "reduction is 7, which is not a kernelgen_reduction");
  fails(kernelgen_broadcast(nullptr, make({1}, {1}), 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "communicator is NULL");
  fails(kernelgen_group_end(), KERNELGEN_INVALID_ARGUMENT, "this thread has begun none");
  for (kernelgen_communicator* rank : ranks) kernelgen_communicator_release(rank);
  kernelgen_communicator_release(nullptr);
  kernelgen_device_release(devices[1]);
}

TEST_F(Capi, StreamsOfPrioritiesAndThreads) {
  kernelgen_stream *high = nullptr, *own = nullptr;
  ok(kernelgen_stream_new_with_priority(device_, KERNELGEN_PRIORITY_HIGH, &high));
  ok(kernelgen_stream_of_thread(device_, &own));
  fails(kernelgen_stream_new_with_priority(device_, static_cast<kernelgen_priority>(3), &high),
        KERNELGEN_INVALID_ARGUMENT, "priority is 3, which is not a kernelgen_priority");
  int called = 0;
  const auto call = [](void* context) { ++*static_cast<int*>(context); };
  ok(kernelgen_device_call(device_, call, &called, high));
  ok(kernelgen_stream_synchronize(high));
  EXPECT_EQ(called, 1);
  fails(kernelgen_device_call(device_, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "work is NULL");
  ok(kernelgen_device_use_thread_streams(device_, 1));
  ok(kernelgen_device_call(device_, call, &called, nullptr));
  ok(kernelgen_stream_synchronize(own));
  EXPECT_EQ(called, 2);
  ok(kernelgen_device_use_thread_streams(device_, 0));
  kernelgen_stream_release(high);
  kernelgen_stream_release(own);
}

TEST_F(Capi, StreamsAreFollowedUnlessItIsTurnedOff) {
  kernelgen_stream* stream = nullptr;
  ok(kernelgen_stream_new(device_, &stream));
  int follows = -1;
  ok(kernelgen_device_follows_streams(device_, &follows));
  EXPECT_EQ(follows, 1);
  ok(kernelgen_tensor_use(make({1}, {1}), stream, 1));
  ok(kernelgen_tensor_use(make({1}, {1}), nullptr, 0));
  fails(kernelgen_tensor_use(nullptr, nullptr, 0), KERNELGEN_INVALID_ARGUMENT, "tensor is NULL");
  ok(kernelgen_device_follow_streams(device_, 0));
  ok(kernelgen_device_follows_streams(device_, &follows));
  EXPECT_EQ(follows, 0);
  ok(kernelgen_device_follow_streams(device_, 1));
  fails(kernelgen_device_follows_streams(device_, nullptr), KERNELGEN_INVALID_ARGUMENT, "follows is NULL");
  kernelgen_stream_release(stream);
}

TEST_F(Capi, StreamsAndEvents) {
  kernelgen_stream* stream = nullptr;
  ok(kernelgen_stream_new(device_, &stream));
  kernelgen_event *start = nullptr, *end = nullptr;
  ok(kernelgen_event_record(device_, stream, &start));
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_exp(make({0}, {1}), nullptr, stream, &y));
  keep(y);
  ok(kernelgen_event_record(device_, stream, &end));
  ok(kernelgen_stream_wait(device_, nullptr, end));
  ok(kernelgen_event_synchronize(end));
  ok(kernelgen_stream_synchronize(stream));
  double milliseconds = -1;
  ok(kernelgen_event_elapsed(start, end, &milliseconds));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(read(y), std::vector<float>{1});
  kernelgen_event_release(start);
  kernelgen_event_release(end);
  kernelgen_stream_release(stream);
}

}  // namespace
}  // namespace kernelgen::test
