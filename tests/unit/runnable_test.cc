// The operations of `kernel-gen run`: every operation of the library and the package is listed and runs.
#include "run/runnable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "support/package_builder.hpp"

namespace kernelgen::tool {
namespace {

/// Names of the functions that the headers of kernelgen/ops declare, those written from the manifests too.
std::set<std::string> declared_functions() {
  const std::regex function(R"((?:^|\n)\w+ (\w+)\()");
  std::set<std::string> names;
  for (const char* tree : {"/runtime", "/generated"})
    for (const auto& header : std::filesystem::recursive_directory_iterator(
             std::string(KERNELGEN_SOURCE_DIR) + tree + "/include/kernelgen/ops")) {
      if (!header.is_regular_file()) continue;
      std::ifstream file(header.path());
      std::stringstream text;
      text << file.rdbuf();
      const std::string source = text.str();
      for (std::sregex_iterator match(source.begin(), source.end(), function), end; match != end; ++match)
        names.insert((*match)[1]);
    }
  return names;
}

bool is_listed(const std::vector<Runnable>& rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(), [&](const Runnable& row) { return row.is_called(name); });
}

TEST(Runnables, HaveEveryFunctionOfTheHeaders) {
  const std::vector<Runnable> rows = runnables(Package::embedded());
  const std::set<std::string> functions = declared_functions();
  EXPECT_GE(functions.size(), 60u);
  const std::set<std::string_view> by_name = {"call", "call_all", "reduce", "reduce_inputs"};
  for (const std::string& name : functions)
    EXPECT_TRUE(by_name.contains(name) || is_listed(rows, name)) << name;
}

TEST(Runnables, HaveEveryOperationOfThePackage) {
  const std::set<std::string_view> steps_of_others = {
      "scatter_add_16bit", "scatter_claim",        "scatter_write",  "attention_f8", "attention_mma",
      "attention_mma_f8",  "expert_matmul",        "group_columns",  "matmul_wide",  "quantize_columns",
      "split_columns",     "add_partial_products", "set_block_rows", "triangle",     "route_experts",
      "add_experts",       "scaled_softmax_long",  "vector_products"};
  const Package package = Package::embedded();
  const std::vector<Runnable> rows = runnables(package);
  for (const auto& record : package.operations()) {
    const std::string_view name = package.text(record.name);
    EXPECT_TRUE(steps_of_others.contains(name) || is_listed(rows, name)) << name;
  }
}

/// Operations of f32: cube, of its manifest alone, on two targets, softmax on the second, attention without code.
std::vector<std::byte> package_of_few() {
  constexpr std::string_view inputs[] = {"x"}, map[] = {"contiguous", "strided"}, rows[] = {"rows"};
  constexpr std::uint32_t f32[] = {7};
  constexpr std::byte code[] = {std::byte{1}};
  const test::TypeVariable variables[] = {{"T", f32}};
  const test::Argument argument{"n", "u64", 8};
  test::PackageBuilder builder;
  builder.add_target("gfx90a", 1, 64);
  builder.add_target("gfx1100", 1, 32);
  std::vector<std::uint32_t> kernels;
  for (const char* name : {"cube", "softmax", "attention"}) {
    builder.add_module(name);
    kernels.push_back(builder.add_kernel(name, {&argument, 1}));
  }
  builder.add_code(0, 0, code);
  builder.add_code(1, 0, code);
  builder.add_code(1, 1, code);
  const std::uint32_t cube[] = {kernels[0], kernels[0]};
  builder.add_operation("cube", inputs, map, variables, cube);
  builder.add_operation("softmax", inputs, rows, variables, {&kernels[1], 1});
  builder.add_operation("attention", inputs, rows, variables, {&kernels[2], 1});
  return builder.finish();
}

TEST(Runnables, OfAPackageAreThoseItHasKernelsFor) {
  const std::vector<std::byte> bytes = package_of_few();
  const Package package = Package::from_memory(bytes);
  const auto names = [&](std::optional<std::string_view> target) {
    std::vector<std::string> found;
    for (const Runnable& row : runnables(package, target)) found.push_back(row.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(std::nullopt), (Names{"cube", "softmax", "expression"}));
  EXPECT_EQ(names("gfx90a"), (Names{"cube", "expression"}));
  EXPECT_EQ(names("gfx1100"), (Names{"cube", "softmax", "expression"}));
  EXPECT_EQ(names("gfx906"), Names());
  try {
    find_runnable(package, "attention");
    FAIL() << "found";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string_view(error.what()).find("the package has no kernels of 'attention'"),
              std::string_view::npos)
        << error.what();
  }
}

TEST(Runnables, HaveOneNameEach) {
  std::set<std::string> names;
  for (const Runnable& row : runnables(Package::embedded())) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.also.empty() || names.insert(row.also).second) << row.also;
  }
}

/// A small array, as numbers.
struct Array {
  Shape shape;
  std::vector<double> values;
  DType dtype = DType::f32;
};

Tensor on_device(const Array& array) {
  static const Device device = Device::open("cpu");
  const Tensor wide =
      Tensor::from_host(device, std::as_bytes(std::span(array.values)), array.shape, DType::f64);
  return to_dtype(wide, array.dtype);
}

/// An input that is left out.
const Array left_out{{}, {}};

struct Example {
  std::string operation;
  std::vector<std::string> parameters;
  std::vector<Array> inputs;
  std::vector<Array> outputs;
};

const Array x{{2, 3}, {3, 1, 2, -1, 5, 4}}, row{{3}, {1, 2, 3}}, ids{{2, 1}, {2, 0}, DType::i64},
    image{{1, 1, 2, 2}, {1, 2, 3, 4}}, signal{{1, 1, 3}, {1, 2, 3}};
const Example examples[] = {
    {"add", {}, {x, row}, {{{2, 3}, {4, 3, 5, 0, 7, 7}}}},
    {"affine", {"mul=2", "add=0.5"}, {row}, {{{3}, {2.5, 4.5, 6.5}}}},
    {"powf", {"e=2"}, {row}, {{{3}, {1, 4, 9}}}},
    {"elu", {"alpha=1"}, {row}, {row}},
    {"cast", {"dtype=i16"}, {row}, {{{3}, {1, 2, 3}, DType::i16}}},
    {"where_cond", {}, {{{3}, {0, 1, 0}, DType::u8}, row, {{3}, {7, 8, 9}}}, {{{3}, {7, 2, 9}}}},
    {"copy", {}, {x}, {x}},
    {"copy_into", {}, {{{3}, {0, 0, 0}}, row}, {row}},
    {"copy2d",
     {"rows=2", "columns=1", "destination_stride=3", "source_stride=1", "destination_offset=2",
      "source_offset=1"},
     {{{2, 3}, {0, 0, 0, 0, 0, 0}}, row},
     {{{2, 3}, {0, 0, 2, 0, 0, 3}}}},
    {"const_set", {"value=7"}, {row}, {{{3}, {7, 7, 7}}}},
    {"expression", {"text=a * b - 1"}, {x, row}, {{{2, 3}, {2, 1, 5, -2, 9, 11}}}},
    {"expression", {"text=a > 2", "dtype=u8"}, {row}, {{{3}, {0, 0, 1}, DType::u8}}},
    {"conv1d", {"padding=1"}, {signal, {{1, 1, 2}, {1, 10}}}, {{{1, 1, 4}, {10, 21, 32, 3}}}},
    {"conv2d",
     {"stride=1,2", "padding=0,1"},
     {image, {{1, 1, 2, 2}, {1, 1, 1, 1}}},
     {{{1, 1, 1, 2}, {4, 6}}}},
    {"conv_transpose1d", {"stride=2"}, {signal, {{1, 1, 1}, {2}}}, {{{1, 1, 5}, {2, 0, 4, 0, 6}}}},
    {"conv_transpose2d", {"output_padding=0"}, {{{1, 1, 1, 1}, {2}}, image}, {{{1, 1, 2, 2}, {2, 4, 6, 8}}}},
    {"avg_pool2d", {"kernel=2", "stride=2,2"}, {image}, {{{1, 1, 1, 1}, {2.5}}}},
    {"max_pool2d", {"kernel=1,2", "stride=1"}, {image}, {{{1, 1, 2, 1}, {2, 4}}}},
    {"upsample_nearest1d", {"length=6"}, {signal}, {{{1, 1, 6}, {1, 1, 2, 2, 3, 3}}}},
    {"upsample_nearest2d", {"size=2,4"}, {image}, {{{1, 1, 2, 4}, {1, 1, 2, 2, 3, 3, 4, 4}}}},
    {"upsample_bilinear2d",
     {"size=3", "align_corners=true"},
     {image},
     {{{1, 1, 3, 3}, {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}}}},
    {"gather", {"dim=1"}, {x, ids}, {{{2, 1}, {2, -1}}}},
    {"index_select", {"dim=-1"}, {x, {{2}, {2, 0}, DType::u32}}, {{{2, 2}, {2, 3, 4, -1}}}},
    {"index_add",
     {"dim=0", "deterministic=true"},
     {x, {{1}, {1}, DType::i64}, {{1, 3}, {1, 2, 3}}},
     {{{2, 3}, {3, 1, 2, 0, 7, 7}}}},
    {"scatter_set", {"dim=1"}, {x, ids, {{2, 1}, {8, 9}}}, {{{2, 3}, {3, 1, 8, 9, 5, 4}}}},
    {"scatter_add_set", {"dim=1"}, {x, ids, {{2, 1}, {8, 9}}}, {{{2, 3}, {3, 1, 10, 8, 5, 4}}}},
    {"matmul", {}, {x, {{3, 1}, {1, 2, 3}}}, {{{2, 1}, {11, 21}}}},
    {"softmax", {}, {{{1, 2}, {4, 4}}}, {{{1, 2}, {0.5, 0.5}}}},
    {"log_softmax", {}, {{{2, 1}, {4, 7}}}, {{{2, 1}, {0, 0}}}},
    {"rms_norm", {"eps=0"}, {{{1, 2}, {3, -3}}, {{2}, {1, 2}}}, {{{1, 2}, {1, -2}}}},
    {"layer_norm", {"eps=0"}, {{{1, 2}, {1, 3}}, {{2}, {1, 2}}, {{2}, {0, 1}}}, {{{1, 2}, {-1, 3}}}},
    {"add_rms_norm",
     {"eps=0"},
     {{{1, 2}, {1, 1}}, {{1, 2}, {2, -4}}, {{2}, {1, 2}}},
     {{{1, 2}, {3, -3}}, {{1, 2}, {1, -2}}}},
    {"add_layer_norm",
     {"eps=0"},
     {{{1, 2}, {1, 1}}, {{1, 2}, {0, 2}}, {{2}, {1, 2}}, {{2}, {0, 1}}},
     {{{1, 2}, {1, 3}}, {{1, 2}, {-1, 3}}}},
    {"silu_mul", {}, {{{2}, {0, 100}}, {{2}, {7, 2}}}, {{{2}, {0, 200}}}},
    {"cross_entropy",
     {},
     {{{2, 2}, {0, -1000, 5, -1000}}, {{2}, {1, 0}, DType::i64}},
     {{{2}, {1000, 0}}, {{2}, {0, 5}}}},
    {"rand_uniform", {"shape=0,2", "dtype=f64"}, {}, {{{0, 2}, {}, DType::f64}}},
    {"rand_normal", {"shape=2", "mean=3", "deviation=0"}, {}, {{{2}, {3, 3}}}},
    {"sum", {}, {x}, {{{}, {14}}}},
    {"sum", {"dims=0,-1", "keep_dims=true"}, {x}, {{{1, 1}, {14}}}},
    {"sum", {"dims="}, {x}, {x}},
    {"mean", {"dims=1"}, {x}, {{{2}, {2, 8.0 / 3}}}},
    {"prod", {"dims=1"}, {x}, {{{2}, {6, -20}}}},
    {"min", {"dims=0"}, {x}, {{{3}, {-1, 1, 2}}}},
    {"max", {"dims=0"}, {x}, {{{3}, {3, 5, 4}}}},
    {"any", {"dims=0"}, {x}, {{{3}, {1, 1, 1}, DType::u8}}},
    {"all", {}, {x}, {{{}, {1}, DType::u8}}},
    {"argmin", {}, {x}, {{{}, {3}, DType::u32}}},
    {"argmax", {"dim=1", "keep_dims=true"}, {x}, {{{2, 1}, {0, 1}, DType::u32}}},
    {"min_with_index", {}, {x}, {{{}, {-1}}, {{}, {3}, DType::u32}}},
    {"max_with_index", {"dim=1", "keep_dims=true"}, {x}, {{{2, 1}, {3, 5}}, {{2, 1}, {0, 1}, DType::u32}}},
    {"rope", {}, {{{1, 1, 1, 2}, {1, 2}}, {{1, 1}, {0}}, {{1, 1}, {1}}}, {{{1, 1, 1, 2}, {-2, 1}}}},
    {"rope_i",
     {},
     {{{1, 1, 1, 4}, {1, 2, 3, 4}}, {{1, 2}, {0, 1}}, {{1, 2}, {1, 0}}},
     {{{1, 1, 1, 4}, {-2, 1, 3, 4}}}},
    {"rope_thd", {}, {{{1, 1, 1, 2}, {1, 2}}, {{1, 1}, {0}}, {{1, 1}, {1}}}, {{{1, 1, 1, 2}, {-2, 1}}}},
    {"attention",
     {"causal=true"},
     {{{1, 1, 1, 2}, {1, 7}}, {{1, 1, 2, 2}, {0, 0, 0, 0}}, {{1, 1, 2, 2}, {1, 2, 3, 4}}},
     {{{1, 1, 1, 2}, {2, 3}}, {{1, 1, 1}, {0.69314718}}}},
    {"attention",
     {"key_lengths=1", "scale=2", "window_left=0"},
     {{{1, 1, 1, 1}, {3}}, {{1, 1, 2, 1}, {5, 0}}, {{1, 1, 2, 1}, {4, 9}}},
     {{{1, 1, 1, 1}, {4}}, {{1, 1, 1}, {30}}}},
    // The mask hides the first key, the sink takes half of what is left.
    {"attention",
     {"scale=1"},
     {{{1, 1, 1, 1}, {0}},
      {{1, 1, 2, 1}, {0, 0}},
      {{1, 1, 2, 1}, {4, 9}},
      {{2}, {-1e30, 0}},
      left_out,
      {{1}, {0}}},
     {{{1, 1, 1, 1}, {4.5}}, {{1, 1, 1}, {0.69314718}}}},
    // The key at distance 1 loses all its weight; the pages are in reverse order.
    {"attention",
     {"scale=1", "window_right=0"},
     {{{1, 1, 1, 1}, {0}},
      {{2, 1, 1, 1}, {0, 0}},
      {{2, 1, 1, 1}, {4, 9}},
      left_out,
      {{1}, {1e9}},
      left_out,
      {{1, 2}, {1, 0}, DType::i32}},
     {{{1, 1, 1, 1}, {4}}, {{1, 1, 1}, {0}}}},
    {"rope_qk",
     {},
     {{{1, 1, 1, 2}, {1, 2}}, {{1, 2, 1, 2}, {1, 2, 3, 4}}, {{1, 1}, {0}}, {{1, 1}, {1}}},
     {{{1, 1, 1, 2}, {-2, 1}}, {{1, 2, 1, 2}, {-2, 1, -4, 3}}}},
    {"rope_i_qk",
     {},
     {{{1, 1, 1, 2}, {1, 2}}, {{1, 1, 1, 2}, {3, 4}}, {{1, 1}, {0}}, {{1, 1}, {1}}},
     {{{1, 1, 1, 2}, {-2, 1}}, {{1, 1, 1, 2}, {-4, 3}}}},
    {"rope_thd_qk",
     {},
     {{{1, 1, 1, 2}, {1, 2}}, {{1, 1, 2, 2}, {1, 2, 3, 4}}, {{1, 1}, {0}}, {{1, 1}, {1}}},
     {{{1, 1, 1, 2}, {-2, 1}}, {{1, 1, 2, 2}, {-2, 1, -4, 3}}}},
    {"rope_set_rows",
     {},
     {{{1, 1, 2}, {1, 2}},
      {{1, 1, 2}, {3, 4}},
      {{1, 1}, {5}},
      {{1, 1}, {0}},
      {{1, 1}, {1}},
      {{1, 2}, {0, 0}},
      {{1}, {0}, DType::i64},
      {{1, 1}, {0}},
      {{1}, {0}, DType::i64}},
     {{{1, 1, 2}, {-2, 1}}}},
    {"concat", {"dim=1"}, {{{2, 1}, {7, 8}}, {{2, 2}, {1, 2, 3, 4}}}, {{{2, 3}, {7, 1, 2, 8, 3, 4}}}},
    {"stack", {"dim=1"}, {{{2}, {7, 8}}, {{2}, {1, 2}}, {{2}, {3, 4}}}, {{{2, 3}, {7, 1, 3, 8, 2, 4}}}},
    {"pad", {"before=1", "after=2", "value=9"}, {row}, {{{6}, {9, 1, 2, 3, 9, 9}}}},
    {"pad_reflect", {"before=1", "after=2"}, {row}, {{{6}, {2, 1, 2, 3, 2, 1}}}},
    {"pad_replicate", {"before=1", "after=2"}, {row}, {{{6}, {1, 1, 2, 3, 3, 3}}}},
    {"pad_circular", {"before=1", "after=2"}, {row}, {{{6}, {3, 1, 2, 3, 1, 2}}}},
    {"roll", {"shifts=1", "dims=0"}, {row}, {{{3}, {3, 1, 2}}}},
    {"tril", {"diagonal=-1"}, {x}, {{{2, 3}, {0, 0, 0, -1, 0, 0}}}},
    {"triu", {"value=7"}, {x}, {{{2, 3}, {3, 1, 2, 7, 5, 4}}}},
    {"diag", {}, {{{2}, {4, 5}}}, {{{2, 2}, {4, 0, 0, 5}}}},
    {"arange", {"start=1", "stop=6", "step=2"}, {}, {{{3}, {1, 3, 5}}}},
    {"timestep_embedding", {"columns=3"}, {{{1}, {0}}}, {{{1, 3}, {1, 0, 0}}}},
    {"plain_rms_norm", {"eps=0"}, {{{1, 2}, {3, -3}}}, {{{1, 2}, {1, -1}}}},
    {"plain_layer_norm", {"eps=0"}, {{{1, 2}, {1, 3}}}, {{{1, 2}, {-1, 1}}}},
    {"l2_norm", {"eps=0"}, {{{1, 2}, {3, -4}}}, {{{1, 2}, {0.6, -0.8}}}},
    {"group_norm", {"groups=2", "eps=0"}, {{{1, 2, 2}, {1, 3, 7, 5}}}, {{{1, 2, 2}, {-1, 1, 1, -1}}}},
    {"scaled_softmax", {"scale=2"}, {{{1, 2}, {4, 4}}}, {{{1, 2}, {0.5, 0.5}}}},
    {"scaled_softmax",
     {},
     {{{1, 1, 2}, {4, 4}}, left_out, left_out, {{1}, {4}}},
     {{{1, 1, 2}, {1.0 / 3, 1.0 / 3}}}},
    {"set_rows", {}, {x, {{1}, {1}, DType::i64}, {{1, 3}, {1, 2, 3}}}, {{{2, 3}, {3, 1, 2, 1, 2, 3}}}},
    {"linear_recurrence",
     {"scale=2"},
     // Without keys the state stays, as often as it is called.
     {{{1, 1, 1, 2}, {1, 2}}, {{1, 1, 1, 2}, {0, 0}}, {{1, 1, 1, 1}, {3}}, {{1, 1, 1, 2}, {5, 3}}},
     {{{1, 1, 1, 1}, {22}}}},
    {"solve_triangular",
     {"unit_diagonal=true"},
     {{{2, 2}, {7, 7, 3, 7}}, {{2, 2}, {1, 2, 5, 7}}},
     {{{2, 2}, {1, 2, 2, 1}}}},
    {"cumsum", {"dim=0"}, {x}, {{{2, 3}, {3, 1, 2, 2, 6, 6}}}},
    {"top_k", {"k=2"}, {x}, {{{2, 2}, {3, 2, 5, 4}}, {{2, 2}, {0, 2, 1, 2}, DType::u32}}},
    {"sort", {}, {x}, {{{2, 3}, {1, 2, 3, -1, 4, 5}}, {{2, 3}, {1, 2, 0, 0, 2, 1}, DType::u32}}},
    {"arg_sort", {"ascending=false"}, {x}, {{{2, 3}, {0, 2, 1, 1, 2, 0}, DType::u32}}},
};

void expect_equal(const Tensor& got, const Array& wanted) {
  EXPECT_EQ(got.dtype(), wanted.dtype);
  ASSERT_EQ(got.shape(), wanted.shape) << got.shape().to_string();
  const std::vector<std::byte> bytes = to_dtype(got, DType::f64).to_host();
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    double value;
    std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
    EXPECT_NEAR(value, wanted.values[i], 1e-6) << i;
  }
}

TEST(Runnables, GiveKnownResults) {
  const Package package = Package::embedded();
  const Device device = Device::open("cpu");
  for (const Example& example : examples) {
    SCOPED_TRACE(example.operation);
    const Runnable runnable = find_runnable(package, example.operation);
    const BoundCall bound =
        runnable.bind(ParameterValues(runnable.name, runnable.parameters, example.parameters));
    ASSERT_TRUE(runnable.takes(example.inputs.size()));
    ASSERT_EQ(example.outputs.size(), runnable.outputs.size());
    std::vector<Tensor> inputs;
    for (const Array& input : example.inputs)
      inputs.push_back(input.values.empty() ? Tensor() : on_device(input));
    std::vector<Tensor> outputs = bound({.device = device, .inputs = inputs});
    ASSERT_EQ(outputs.size(), example.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) expect_equal(outputs[i], example.outputs[i]);
    if (runnable.in_place) continue;
    // Into what is there already.
    std::vector<Tensor> out;
    for (const Tensor& output : outputs) out.push_back(Tensor::zeros(device, output.shape(), output.dtype()));
    outputs = bound({.device = device, .inputs = inputs, .out = out});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(outputs[i].data(), out[i].data());
      expect_equal(out[i], example.outputs[i]);
    }
  }
}

const std::set<std::string_view> of_quantized_tensors = {"quantize", "dequantize", "get_rows",
                                                         "quantized_matmul", "indexed_matmul"};

TEST(Runnables, OfTheLibraryAreAllInTheExamples) {
  for (const Runnable& runnable : library_runnables())
    EXPECT_TRUE(of_quantized_tensors.contains(runnable.name) ||
                std::any_of(std::begin(examples), std::end(examples),
                            [&](const Example& example) { return runnable.is_called(example.operation); }))
        << runnable.name;
}

/// Blocks are no list of values: what is quantized here is read back by the others. Halves of 127 are exact in q8_0.
TEST(Runnables, OfQuantizedTensorsFollowOneAnother) {
  const Device device = Device::open("cpu");
  const auto run = [&](const char* name, const std::vector<std::string>& parameters,
                       const std::vector<Tensor>& inputs) {
    const Runnable runnable = find_runnable(device.package(), name);
    return runnable.bind(ParameterValues(runnable.name, runnable.parameters, parameters))(
        {.device = device, .inputs = inputs})[0];
  };
  const auto first = [](const Tensor& tensor) {
    const std::vector<std::byte> bytes = tensor.to_host();
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  };
  const std::vector<float> values(64, 63.5f);
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(values)), {2, 32}, DType::f32);
  const std::int32_t one = 1;
  const Tensor id = Tensor::from_host(device, std::as_bytes(std::span(&one, 1)), {1, 1}, DType::i32);
  const Tensor blocks = run("quantize", {"format=q8_0"}, {x});
  EXPECT_EQ(blocks.dtype(), DType::q8_0);
  EXPECT_EQ(first(run("dequantize", {}, {blocks})), 63.5f);
  EXPECT_EQ(first(run("get_rows", {}, {blocks, id})), 63.5f);
  EXPECT_NEAR(first(run("quantized_matmul", {}, {x, blocks})), 32 * 63.5f * 63.5f, 1);
  EXPECT_NEAR(first(run("indexed_matmul", {},
                        {x.reshape({1, 2, 32}).narrow(1, 0, 1), blocks.reshape({2, 1, 32}), id})),
              32 * 63.5f * 63.5f, 1);
}

}  // namespace
}  // namespace kernelgen::tool
