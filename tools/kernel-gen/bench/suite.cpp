#include "bench/suite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernelgen/error.hpp"

namespace kernelgen::tool {
namespace {

using Prepared = BenchCase::Prepared;
constexpr DType f32 = DType::f32, f16 = DType::f16, bf16 = DType::bf16, f8 = DType::f8e4m3;

double bytes_of(const Tensor& tensor) {
  return static_cast<double>(tensor.elements()) * static_cast<double>(size_of(tensor.dtype()));
}

/// Numbers in [-2, 2), the same on every device.
Tensor numbers(const Device& device, const Shape& shape, DType dtype, std::uint32_t seed = 1) {
  const std::int64_t count = Layout::contiguous(shape).elements();
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator: only speed matters here
    value = std::ldexp(static_cast<float>(state >> 8), -22) - 2.0f;
  }
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, f32);
  return dtype == f32 ? x : to_dtype(x, dtype);
}

/// Indices in [0, extent), the same on every device.
Tensor indices(const Device& device, const Shape& shape, std::int64_t extent) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(Layout::contiguous(shape).elements()));
  std::uint64_t state = 1;
  for (std::uint32_t& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    value = static_cast<std::uint32_t>((state >> 33) % static_cast<std::uint64_t>(extent));
  }
  return Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::u32);
}

/// One thing to time: `inputs` and the output count as bytes.
Prepared timed(const std::vector<Tensor>& inputs, std::function<Tensor(const CallOptions&)> run) {
  auto out = std::make_shared<Tensor>(run({}));
  double bytes = bytes_of(*out);
  for (const Tensor& input : inputs) bytes += bytes_of(input);
  return {[out, inputs, run = std::move(run)] { return run({.out = out.get()}); }, bytes};
}

class Suite {
 public:
  std::vector<BenchCase> cases;

  void unary(const std::string& op, DType dtype, Tensor (*function)(const Tensor&, const CallOptions&)) {
    add(op, dtype, {1 << 26}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) { return function(x, options); });
    });
  }

  /// The first dim is divided by the scale.
  void add(const std::string& op, DType dtype, const Shape& shape,
           std::function<Prepared(const Device&, const Shape&)> prepare) {
    cases.push_back({fmt::format("{} {}", op, name_of(dtype)), shape.to_string(),
                     [=](const Device& device, std::int64_t scale) {
                       Shape scaled = shape;
                       scaled[0] = std::max<std::int64_t>(1, shape[0] / scale);
                       return prepare(device, scaled);
                     }});
  }
};

void add_elementwise(Suite& suite) {
  for (const DType dtype : {f32, f16, bf16, f8}) {
    suite.unary("copy", dtype, &copy);
    suite.unary("exp", dtype, &exp);
    suite.add("add", dtype, {1 << 26}, [=](const Device& device, const Shape& shape) {
      const Tensor a = numbers(device, shape, dtype), b = numbers(device, shape, dtype, 2);
      return timed({a, b}, [=](const CallOptions& options) { return add(a, b, options); });
    });
    suite.add("affine", dtype, {1 << 26}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) { return affine(x, 2, 1, options); });
    });
  }
  for (const DType dtype : {f32, f16})
    for (const auto& [op, function] :
         {std::pair{"gelu", &gelu}, {"gelu_erf", &gelu_erf}, {"silu", &silu}, {"tanh", &tanh}})
      suite.unary(op, dtype, function);
  suite.unary("sin", f32, &sin);
  suite.add("where", f32, {1 << 26}, [](const Device& device, const Shape& shape) {
    const Tensor a = numbers(device, shape, f32), b = numbers(device, shape, f32, 2), mask = lt(a, b);
    return timed({mask, a, b}, [=](const CallOptions& options) { return where_cond(mask, a, b, options); });
  });
  suite.add("fill", f32, {1 << 26}, [](const Device& device, const Shape& shape) {
    const Tensor x = Tensor::empty(device, shape, f32);
    return Prepared{[=] {
                      const_set(x, 1.5);
                      return x;
                    },
                    bytes_of(x)};
  });
  for (const auto& [from, to] : {std::pair{f16, f32}, {f32, f16}, {f32, bf16}, {f32, f8}, {f8, f32}})
    suite.add(fmt::format("cast to {} of", name_of(to)), from, {1 << 26},
              [from = from, to = to](const Device& device, const Shape& shape) {
                const Tensor x = numbers(device, shape, from);
                return timed({x}, [=](const CallOptions& options) { return to_dtype(x, to, options); });
              });
}

void add_strided(Suite& suite) {
  suite.add("add row", f32, {8192, 8192}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32), row = numbers(device, {shape[1]}, f32, 2);
    return timed({x, row}, [=](const CallOptions& options) { return add(x, row, options); });
  });
  suite.add("add column", f32, {8192, 8192}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32), column = numbers(device, {shape[0], 1}, f32, 2);
    return timed({x, column}, [=](const CallOptions& options) { return add(x, column, options); });
  });
  suite.add("add transposed", f32, {8192, 8192}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32), y = numbers(device, {shape[1], shape[0]}, f32, 2);
    return timed({x, y}, [=](const CallOptions& options) { return add(x, y.transpose(0, 1), options); });
  });
  suite.add("transpose", f32, {8192, 8192}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32);
    return timed({x}, [=](const CallOptions& options) { return copy(x.transpose(0, 1), options); });
  });
  suite.add("permute BHTD to BTHD", f16, {8, 32, 2048, 128}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f16);
    return timed({x}, [=](const CallOptions& options) { return copy(x.transpose(1, 2), options); });
  });
}

void add_reductions(Suite& suite) {
  const auto reduction = [&](const std::string& op, DType dtype, const Shape& shape,
                             std::vector<std::int64_t> dims,
                             Tensor (*function)(const Tensor&, Axes, bool, const CallOptions&)) {
    suite.add(op, dtype, shape, [=](const Device& device, const Shape& scaled) {
      const Tensor x = numbers(device, scaled, dtype);
      return timed({x}, [=](const CallOptions& options) { return function(x, dims, false, options); });
    });
    for (const std::int64_t dim : dims)
      suite.cases.back().terms *= static_cast<double>(shape[static_cast<std::size_t>(dim)]);
  };
  for (const DType dtype : {f32, f16}) {
    reduction("sum rows", dtype, {65536, 1024}, {1}, &sum);
    reduction("sum columns", dtype, {65536, 1024}, {0}, &sum);
    reduction("sum all", dtype, {65536, 1024}, {0, 1}, &sum);
    suite.add("argmax rows", dtype, {65536, 1024}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) { return argmax(x, 1, false, options); });
    });
  }
}

void add_normalizations(Suite& suite) {
  for (const DType dtype : {f32, f16, bf16}) {
    suite.add("softmax", dtype, {65536, 1024}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) { return softmax(x, options); });
    });
    suite.add("rms_norm", dtype, {65536, 1024}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype), weight = numbers(device, {shape[1]}, dtype, 2);
      return timed({x, weight},
                   [=](const CallOptions& options) { return rms_norm(x, weight, 1e-5, options); });
    });
    suite.add("layer_norm", dtype, {65536, 1024}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype), weight = numbers(device, {shape[1]}, dtype, 2);
      const Tensor bias = numbers(device, {shape[1]}, dtype, 3);
      return timed({x, weight, bias},
                   [=](const CallOptions& options) { return layer_norm(x, weight, bias, 1e-5, options); });
    });
  }
}

void add_sorts(Suite& suite) {
  for (const DType dtype : {f32, f16})
    for (const Shape& rows :
         {Shape{65536, 256}, Shape{4096, 1024}, Shape{4096, 4096}, Shape{64, 131072}, Shape{1 << 24}})
      suite.add("arg_sort", dtype, rows, [=](const Device& device, const Shape& shape) {
        const Tensor x = numbers(device, shape, dtype);
        return timed({x}, [=](const CallOptions& options) { return arg_sort(x, true, options); });
      });
}

void add_indexing(Suite& suite) {
  suite.add("index_select", f32, {131072, 512}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32), ids = indices(device, {shape[0]}, shape[0]);
    return timed({x, ids}, [=](const CallOptions& options) { return index_select(x, 0, ids, options); });
  });
  suite.add("gather", f32, {4096, 16384}, [](const Device& device, const Shape& shape) {
    const Tensor x = numbers(device, shape, f32), ids = indices(device, shape, shape[1]);
    return timed({x, ids}, [=](const CallOptions& options) { return gather(x, 1, ids, options); });
  });
  for (const bool deterministic : {false, true}) {
    const std::string suffix = deterministic ? " in order" : "";
    suite.add("scatter_add" + suffix, f32, {4096, 16384}, [=](const Device& device, const Shape& shape) {
      const Tensor y = numbers(device, shape, f32), source = numbers(device, shape, f32, 2);
      const Tensor ids = indices(device, shape, shape[1]);
      return Prepared{[=] {
                        scatter_add_set(y, 1, ids, source, deterministic);
                        return y;
                      },
                      2 * bytes_of(y) + bytes_of(source) + bytes_of(ids)};
    });
    suite.cases.back().terms = 16;  // as many as may meet in one place
    suite.add("index_add" + suffix, f32, {131072, 512}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, f32), source = numbers(device, shape, f32, 2);
      const Tensor ids = indices(device, {shape[0]}, shape[0]);
      return timed({x, source, ids}, [=](const CallOptions& options) {
        return index_add(x, 0, ids, source, deterministic, options);
      });
    });
    suite.cases.back().terms = 16;
  }
}

void add_images(Suite& suite) {
  using Pool = Tensor (*)(const Tensor&, Size2, Size2, const CallOptions&);
  for (const DType dtype : {f32, f16}) {
    for (const auto& [op, pool] :
         {std::pair<const char*, Pool>{"max_pool2d", &max_pool2d}, {"avg_pool2d", &avg_pool2d}})
      suite.add(op, dtype, {64, 64, 128, 128}, [=, pool = pool](const Device& device, const Shape& shape) {
        const Tensor x = numbers(device, shape, dtype);
        return timed({x}, [=](const CallOptions& options) { return pool(x, {2, 2}, {2, 2}, options); });
      });
    suite.add("upsample_nearest2d", dtype, {64, 64, 64, 64}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) {
        return upsample_nearest2d(x, {128, 128}, options);
      });
    });
    suite.add("upsample_bilinear2d", dtype, {64, 64, 64, 64}, [=](const Device& device, const Shape& shape) {
      const Tensor x = numbers(device, shape, dtype);
      return timed({x}, [=](const CallOptions& options) {
        return upsample_bilinear2d(x, {128, 128}, false, {}, options);
      });
    });
  }
}

void add_products(Suite& suite) {
  for (const DType dtype : {f32, f16, bf16}) {
    suite.add("matmul", dtype, {4096, 4096}, [=](const Device& device, const Shape& shape) {
      const Tensor a = numbers(device, shape, dtype), b = numbers(device, {shape[1], shape[1]}, dtype, 2);
      Prepared prepared = timed({a, b}, [=](const CallOptions& options) { return matmul(a, b, options); });
      prepared.operations = 2.0 * static_cast<double>(shape[0] * shape[1] * shape[1]);
      return prepared;
    });
    suite.cases.back().terms = 4096;
    suite.add("conv2d 3x3 128 to 128", dtype, {32, 128, 56, 56},
              [=](const Device& device, const Shape& shape) {
                const std::int64_t channels = shape[1];
                const Tensor x = numbers(device, shape, dtype);
                const Tensor weight = numbers(device, {channels, channels, 3, 3}, dtype, 2);
                Prepared prepared = timed({x, weight}, [=](const CallOptions& options) {
                  return conv2d(x, weight, {.padding = {1, 1}}, options);
                });
                prepared.operations = 2.0 * 9 * static_cast<double>(channels * x.elements());
                return prepared;
              });
    suite.cases.back().terms = 9 * 128;
  }
}

void add_random(Suite& suite) {
  for (const auto& [op, function] : {std::pair{"uniform", &rand_uniform}, {"normal", &rand_normal}}) {
    suite.add(op, f32, {1 << 26}, [function = function](const Device& device, const Shape& shape) {
      return timed({},
                   [=](const CallOptions& options) { return function(device, shape, f32, 0, 1, options); });
    });
    suite.cases.back().verified = false;  // each call goes on where the last stopped
  }
}

}  // namespace

std::vector<BenchCase> bench_suite(const std::string& name) {
  if (name != "ops")
    throw Error(Code::not_found, fmt::format("no suite '{}'; there are ops and launch", name));
  Suite suite;
  add_elementwise(suite);
  add_strided(suite);
  add_reductions(suite);
  add_normalizations(suite);
  add_sorts(suite);
  add_indexing(suite);
  add_images(suite);
  add_products(suite);
  add_random(suite);
  return std::move(suite.cases);
}

}  // namespace kernelgen::tool
