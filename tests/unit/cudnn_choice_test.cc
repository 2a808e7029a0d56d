// The choice of cuDNN's engine for a convolution, and the handling of failures.
#include <map>

#include "cudnn_fixture.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

using test::cudnn_variable;
using test::CudnnTest;
using test::expect_error;
using test::StubCudnn;

TEST_F(CudnnTest, WithoutAnEngineOurKernelsDoIt) {
  std::int64_t columns = 32;
  const auto is_ours = [&](DType dtype = DType::f32) {
    gpu.launches.clear();
    library.convolutions.clear();
    const Shape image{2, 16, 32, ++columns};  // a problem not seen before
    conv2d(Tensor::zeros(device, image, dtype), Tensor::zeros(device, {16, 16, 3, 3}, dtype));
    return library.convolutions.empty() && gpu.launches.size() == 1;
  };
  EXPECT_FALSE(is_ours());
  library.choices = {};
  EXPECT_TRUE(is_ours());
  // Inputs or sums of fewer digits, transforms, sums in no order, and what is not known.
  for (const int note : {1, 2, 3, 4, 5, 6, 7, 8, 10, 77}) {
    library.choices = {{1, {note}}, {2, {9, note}}};
    EXPECT_TRUE(is_ours(DType::f16)) << note;
  }
  library.choices = {{1, {0}}};  // tensor cores: TF32
  EXPECT_TRUE(is_ours());
  EXPECT_FALSE(is_ours(DType::f16));
  EXPECT_FALSE(is_ours(DType::f64));
  library.choices = {{1, {}, std::int64_t{1} << 30}, {2, {}, 0, 3000}, {3, {}, 0, 4001}};
  EXPECT_TRUE(is_ours());
  library.fallbacks = {{4, {9}}};
  EXPECT_FALSE(is_ours());
  EXPECT_EQ(library.convolutions[0].engine, 4);
  library.choices = {{1, {}, 0, 0, 3007}};
  EXPECT_TRUE(is_ours());
  library.choices = {{1, {}}};
  // The operation, its graph, the heuristic and the plan.
  for (const char* kind : {"10", "15", "4", "5"})
    for (const int status : {2000, 3007}) {
      library.failures = {{std::string("cudnnBackendFinalize ") + kind, status}};
      EXPECT_TRUE(is_ours()) << kind << " " << status;
    }
}

TEST_F(CudnnTest, WorksInTheCallersStreamAndContext) {
  library.choices = {{6, {5}}, {0, {0}}, {2, {}, 4096}, {3, {}}};
  const Tensor x = numbers<float>({2, 16, 32, 32});
  const Stream stream = device.new_stream();
  constexpr std::uintptr_t foreign = 0x999;
  gpu.current = foreign;
  const Tensor weight = numbers<float>({16, 16, 3, 3});
  const Tensor out = Tensor::empty(device, {2, 16, 30, 30}, DType::f32);
  gpu.calls.clear();
  for (int i = 0; i < 2; ++i) conv2d(x, weight, {}, {.stream = stream, .out = &out});
  ASSERT_EQ(library.convolutions.size(), 2u);
  for (const StubCudnn::Convolution& convolution : library.convolutions) {
    EXPECT_EQ(convolution.engine, 2);
    EXPECT_NE(convolution.workspace, nullptr);
    EXPECT_EQ(convolution.workspace_bytes, 4096u);
    EXPECT_EQ(convolution.stream, stream.native());
    EXPECT_EQ(convolution.context, 0x100u);
  }
  EXPECT_EQ(gpu.current, foreign);
  // The second takes the workspace of the first.
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemAllocAsync"), 1);
}

TEST_F(CudnnTest, AsksOnceForAProblem) {
  const Tensor storage = numbers<float>({2 * 16 * 32 * 32 + 16}), weight = numbers<float>({16, 16, 3, 3});
  const auto image = [&](std::int64_t offset) {
    return storage.narrow(0, offset, 2 * 16 * 32 * 32).reshape({2, 16, 32, 32});
  };
  const auto asked = [&](const Tensor& x, const Window2& window = {}) {
    library.calls.clear();
    conv2d(x, weight, window);
    // An object for what is given to a known plan, many for a new one.
    return std::count(library.calls.begin(), library.calls.end(), "cudnnBackendCreateDescriptor") > 1;
  };
  EXPECT_TRUE(asked(image(0)));
  EXPECT_FALSE(asked(image(0)));
  EXPECT_FALSE(asked(image(16)));
  EXPECT_TRUE(asked(image(1)));
  EXPECT_EQ(library.convolutions.back().x.alignment, 4);
  EXPECT_EQ(library.convolutions.back().filter.alignment, 16);
  EXPECT_FALSE(asked(image(3)));
  EXPECT_TRUE(asked(image(2)));
  EXPECT_EQ(library.convolutions.back().x.alignment, 8);
  EXPECT_TRUE(asked(image(0), {.dilation = {2, 1}}));
  EXPECT_FALSE(asked(image(0), {.dilation = {2, 1}}));
}

TEST_F(CudnnTest, TakesWhatIsFastest) {
  gpu.is_capturing = false;
  library.choices = {{6, {5}}, {1, {}}, {2, {}, 64}, {3, {}, 0, 0, 3007}, {4, {}}};
  const Tensor weight = numbers<float>({16, 16, 3, 3});
  std::int64_t columns = 32;
  // Three runs of each of the library's, but of engine 3, which cannot; then three of our kernels and of our matrix product.
  const auto engine = [&](const std::vector<float>& milliseconds) {
    gpu.milliseconds = milliseconds;
    const Tensor x = numbers<float>({2, 16, 32, ++columns});
    const Window2 window{.padding = {1, 0}};
    const Tensor first = conv2d(x, weight, window);
    EXPECT_TRUE(gpu.milliseconds.empty());
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor y = conv2d(x, weight, window);
    EXPECT_EQ(gpu.launches.size(), 1u);
    if (library.convolutions.empty()) {
      EXPECT_EQ(gpu.launches[0].function, "conv2d_implicit_gemm_small");
      return 0;
    }
    EXPECT_EQ(library.convolutions.size(), 1u);
    EXPECT_EQ(gpu.launches[0].function, "conv2d_fix_padding");
    expect_sums<float>(x, weight, window, first);
    expect_sums<float>(x, weight, window, y);
    return library.convolutions[0].engine;
  };
  EXPECT_EQ(engine({9, 3, 3, 8, 2, 2.1f, 9, 4, 4, 9, 5, 5, 9, 6, 6}), 2);
  EXPECT_EQ(engine({9, 3, 3, 8, 4, 4, 9, 4, 2.9f, 9, 5, 5, 9, 6, 6}), 4);
  EXPECT_EQ(engine({9, 3, 3, 8, 3, 3, 9, 4, 4, 9, 5, 3, 9, 6, 6}), 1);
  EXPECT_EQ(engine({9, 3, 3, 8, 2, 2, 9, 4, 4, 9, 5, 1, 9, 3, 3}), 0);
  // What takes much longer in its second run is not run again.
  EXPECT_EQ(engine({900, 3, 3, 80, 13, 9, 4, 4, 5000, 5000, 80, 50}), 1);
}

/// The last launch adds the products of `images` images.
void expect_col2im(const test::StubGpu::Launch& launch, const Tensor& y, std::int64_t first,
                   unsigned images) {
  EXPECT_EQ(launch.function, "conv2d_col2im");
  const void* pointers[2];
  kg::ConvShape shape;
  ASSERT_EQ(launch.arguments.size(), sizeof pointers + sizeof shape);
  std::memcpy(pointers, launch.arguments.data(), sizeof pointers);
  std::memcpy(&shape, launch.arguments.data() + sizeof pointers, sizeof shape);
  EXPECT_EQ(pointers[1], y.narrow(0, first, images).data());
  EXPECT_EQ(shape.batch, images);
  EXPECT_EQ(shape.groups, y.shape()[1]);
  EXPECT_EQ(shape.in_channels, shape.kernel_size.extent);
  EXPECT_EQ(shape.out_channels, 1u);
  EXPECT_EQ(shape.rows.extent, y.shape()[2]);
}

TEST_F(CudnnTest, MultipliesMatricesIfThatIsFastest) {
  gpu.is_capturing = false;
  constexpr std::string_view none = "none";
  for (const std::string_view name : {std::string_view(KERNELGEN_STUB_CUDNN), none}) {
    ::setenv(cudnn_variable, name.data(), 1);
    device = Device();  // opens the library anew
    device = Device::open("cuda:0", package);
    library.choices = {{1, {}}};
    gpu.milliseconds = {9, 5, 5, 9, 2, 2};
    if (name != none) gpu.milliseconds.insert(gpu.milliseconds.begin(), {9, 3, 3});
    // The products of an image are 24 MB: two images are multiplied at a time.
    const Tensor x = numbers<double>({3, 8, 96, 56}), weight = numbers<double>({16, 8, 7, 5});
    const Window2 window{.padding = {1, 0}};
    conv2d(x, weight, window);
    EXPECT_TRUE(gpu.milliseconds.empty());
    library.convolutions.clear();
    products.products.clear();
    gpu.launches.clear();
    const Tensor y = conv2d(x, weight, window);
    EXPECT_TRUE(library.convolutions.empty());
    ASSERT_EQ(products.products.size(), 2u);
    EXPECT_EQ(products.products[0].y.slices, 2);
    ASSERT_EQ(gpu.launches.size(), 3u);  // after a copy of the weights
    expect_col2im(gpu.launches[1], y, 0, 2);
    expect_col2im(gpu.launches[2], y, 2, 1);
  }
}

TEST_F(CudnnTest, ChoosesNoAlgorithmWhoseTemporariesDoNotFit) {
  gpu.is_capturing = false;
  library.choices = {{1, {}}};
  const Tensor x = numbers<double>({3, 8, 96, 56}), weight = numbers<double>({16, 8, 7, 5}),
               y = Tensor::empty(device, {3, 16, 90, 52}, DType::f64);
  // Enough to measure, but not for the products of two images.
  device.set_memory_limit(device.memory_use().in_use + (std::size_t{80} << 20));
  gpu.milliseconds = {9, 5, 5, 9, 3, 3};
  for (int i = 0; i < 2; ++i) {
    gpu.launches.clear();
    conv2d(x, weight, {}, {.out = &y});
    EXPECT_TRUE(gpu.milliseconds.empty());
  }
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "conv2d_implicit_gemm_small");
}

TEST_F(CudnnTest, MirrorsATransposedConvolutionIfThatIsFastest) {
  gpu.is_capturing = false;
  library.choices = {{1, {}}};
  // The library, our kernels and our matrix product; the same of the plain convolution; and its best.
  gpu.milliseconds = {9, 8, 8, 9, 8, 8, 9, 8, 8, 9, 2, 2, 9, 3, 3, 9, 3, 3, 9, 1, 1};
  const Tensor x = numbers<float>({2, 16, 32, 33}), weight = numbers<float>({16, 16, 3, 2});
  const Tensor first = conv_transpose2d(x, weight);
  EXPECT_TRUE(gpu.milliseconds.empty());
  library.convolutions.clear();
  const Tensor y = conv_transpose2d(x, weight);
  ASSERT_EQ(library.convolutions.size(), 1u);
  EXPECT_FALSE(library.convolutions[0].by_data);
  EXPECT_EQ(y.shape(), first.shape());
}

TEST_F(CudnnTest, TriesAFewOfManyWays) {
  gpu.is_capturing = false;
  library.choices.clear();
  for (int i = 0; i < 40; ++i) library.choices.push_back({i / 3, {}});
  conv2d(numbers<float>({2, 16, 32, 32}), numbers<float>({16, 16, 3, 3}));
  std::map<int, int> runs;
  for (const StubCudnn::Convolution& convolution : library.convolutions) ++runs[convolution.engine];
  // Eight ways, two of an engine, three times each; and the first in use.
  EXPECT_EQ(runs, (std::map<int, int>{{0, 7}, {1, 6}, {2, 6}, {3, 6}}));
}

TEST_F(CudnnTest, NamesWhatFailed) {
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  library.failures = {{"cudnnBackendExecute", 5000}};
  expect_error(Code::device,
               {"conv2d: ", KERNELGEN_STUB_CUDNN, "cudnnBackendExecute ", "status 5000",
                "CUDNN_STATUS_EXECUTION_FAILED"},
               [&] { conv2d(x, weight); });
  for (const char* function :
       {"cudnnBackendSetAttribute", "cudnnBackendCreateDescriptor", "cudnnSetStream"}) {
    library.failures = {{function, 2000}};
    expect_error(Code::device, {function, "status 2000"}, [&] { conv2d(x, weight, {.dilation = {2, 2}}); });
  }
  library.failures = {{"cudnnBackendFinalize 15", 1001}};
  expect_error(Code::device, {"cudnnBackendFinalize", "status 1001"},
               [&] { conv2d(x, weight, {.dilation = {2, 2}}); });
  EXPECT_TRUE(gpu.launches.empty());
  library.failures.clear();
  conv2d(x, weight, {.dilation = {2, 2}});
  EXPECT_EQ(library.convolutions.size(), 1u);
}

TEST_F(CudnnTest, LeavesNothingBehind) {
  {
    const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
    conv2d(x, weight);
    EXPECT_GT(library.objects, 0);
  }
  device = Device();
  EXPECT_EQ(library.objects, 0);
}

TEST_F(CudnnTest, TheEnvironmentNamesTheLibrary) {
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  ::setenv(cudnn_variable, "/no/such/cudnn.so", 1);
  expect_error(Code::unsupported, {"cuDNN", cudnn_variable, "/no/such/cudnn.so"}, [&] { conv2d(x, weight); });
  ::setenv(cudnn_variable, KERNELGEN_STUB_CUDNN, 1);
  library.failures = {{"cudnnCreate", 1001}};
  expect_error(Code::device, {"cudnnCreate", "status 1001"}, [&] { conv2d(x, weight); });
  EXPECT_TRUE(gpu.launches.empty());
  ::setenv(cudnn_variable, "none", 1);
  conv2d(x, weight);
  EXPECT_EQ(gpu.launches.size(), 1u);
  EXPECT_TRUE(library.convolutions.empty());
}

}  // namespace
}  // namespace kernelgen
