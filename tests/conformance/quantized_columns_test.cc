// Products that share quantized activations: those of separate calls, by fewer launches.
#include "kernelgen/quantized_columns.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "expect.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr std::int64_t rows = 40, terms = 512, experts = 3;

Tensor activations(const Shape& shape) {
  return upload(moderate(DType::f32, reference::count_of(shape), 83)).reshape(shape);
}

Tensor matrices(const Shape& shape, std::uint64_t seed) {
  const std::int64_t blocks = reference::count_of(shape) / block_elements(DType::q4_K);
  return upload_blocks(moderate_blocks(DType::q4_K, blocks, seed)).reshape(shape);
}

/// How many launches quantize columns.
template <class Call>
int quantizing_launches(Call call) {
  int count = 0;
  const Device used = device();
  used.on_launch([&](const LaunchInfo& launch) {
    if (launch.kernel.find("quantize_columns") != std::string_view::npos) ++count;
  });
  call();
  used.on_launch({});
  return count;
}

TEST(QuantizedColumns, ProductsOfOneMatrixShareThem) {
  int quantized = 0;
  for (const std::int64_t columns : {1, 5, 40, 200}) {
    const Tensor first = matrices({rows, terms}, 5), second = matrices({2 * rows, terms}, 7);
    QuantizedColumns x{activations({columns, terms})};
    Tensor a, b;
    const int shared = quantizing_launches([&] {
      a = quantized_matmul(x, first);
      b = quantized_matmul(x, second);
    });
    EXPECT_EQ(a.to_host(), quantized_matmul(x.x, first).to_host()) << columns;
    EXPECT_EQ(b.to_host(), quantized_matmul(x.x, second).to_host()) << columns;
    const int separate = quantizing_launches([&] {
      quantized_matmul(x.x, first);
      quantized_matmul(x.x, second);
    });
    EXPECT_EQ(shared, separate / 2) << columns;
    if (columns == 1) {
      EXPECT_EQ(separate, 0) << "its product quantizes it";
    }
    quantized += separate;
  }
  EXPECT_GE(quantized, 2) << "some are quantized before";
}

TEST(QuantizedColumns, ProductsOfExpertsShareThem) {
  constexpr std::int64_t tokens = 9, chosen = 2;
  std::vector<Real> numbers;
  for (std::int64_t i = 0; i < tokens * chosen; ++i) numbers.push_back(static_cast<Real>(i % experts));
  const Tensor ids = upload(reference::make_elements(DType::i32, numbers)).reshape({tokens, chosen});
  const Tensor first = matrices({experts, rows, terms}, 5), second = matrices({experts, rows, terms}, 7);
  QuantizedColumns x{activations({tokens, 1, terms})};
  Tensor a, b;
  EXPECT_EQ(quantizing_launches([&] {
              a = indexed_matmul(x, first, ids);
              b = indexed_matmul(x, second, ids);
            }),
            1);
  EXPECT_EQ(a.to_host(), indexed_matmul(x.x, first, ids).to_host());
  EXPECT_EQ(b.to_host(), indexed_matmul(x.x, second, ids).to_host());
}

}  // namespace
}  // namespace kernelgen::conformance
