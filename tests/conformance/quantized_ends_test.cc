// Quantized operations over blocks between inaccessible pages: results are unchanged, and nothing
// before the first block or after the last is read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "environment.hpp"
#include "inputs.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// A flat tensor of these blocks that ends where a page does, or begins there.
Tensor between_pages(const Elements& blocks, bool at_end) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = blocks.bytes().size(), inner = (bytes + page - 1) / page * page;
  void* const whole = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) throw std::runtime_error("no memory between inaccessible pages");
  const std::shared_ptr<void> owner(whole, [=](void* memory) { munmap(memory, inner + 2 * page); });
  std::byte* const first = static_cast<std::byte*>(whole) + page;
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error("no memory between inaccessible pages");
  std::byte* const data = first + (at_end ? inner - bytes : 0);
  std::memcpy(data, blocks.bytes().data(), bytes);
  return Tensor(Storage::borrow(device(), data, bytes, owner), blocks.dtype(),
                Layout::contiguous({blocks.count() * block_elements(blocks.dtype())}));
}

Tensor numbers(const Shape& shape, DType dtype, int below) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < reference::count_of(shape); ++i)
    values.push_back(
        static_cast<Real>(random_bits(static_cast<std::uint64_t>(i)) % static_cast<unsigned>(below)));
  return upload(reference::make_elements(dtype, values)).reshape(shape);
}

struct EndsCase {
  std::int64_t rows, blocks, columns;
};

TEST(QuantizedEnds, NothingAroundBlocksIsRead) {
  if (device().kind() != DeviceKind::cpu) GTEST_SKIP() << "pages are the host's";
  for (const DType format : reference::block_formats)
    for (const EndsCase& c : {EndsCase{1, 1, 1}, {3, 1, 9}, {7, 3, 2}, {33, 9, 5}, {35, 17, 33}})
      for (const bool at_end : {true, false}) {
        const Elements blocks = moderate_blocks(format, c.rows * c.blocks, 71);
        const std::int64_t n = c.blocks * block_elements(format);
        const Tensor guarded = between_pages(blocks, at_end), plain = upload_blocks(blocks);
        const Tensor x = numbers({c.columns, n}, DType::f32, 9), ids = numbers({c.columns, 2}, DType::u32, 3);
        const auto expect_same = [&](const char* what, const auto& call) {
          EXPECT_EQ(call(guarded).to_host(), call(plain).to_host())
              << what << " of " << name_of(format) << " [" << c.rows << ", " << n << "] and " << c.columns
              << " columns, KERNELGEN_SEED=" << seed();
        };
        for (const DType dtype : activation_dtypes)
          expect_same("dequantize", [&](const Tensor& w) { return dequantize(w, dtype); });
        expect_same("get_rows", [&](const Tensor& w) {
          return get_rows(w.reshape({c.rows, n}), numbers({5}, DType::u32, static_cast<int>(c.rows)),
                          DType::f16);
        });
        expect_same("quantized_matmul",
                    [&](const Tensor& w) { return quantized_matmul(x, w.reshape({c.rows, n})); });
        // All experts are the same rows, and all rows the same blocks.
        expect_same("indexed_matmul", [&](const Tensor& w) {
          return indexed_matmul(x.unsqueeze(1), w.reshape({1, c.rows, n}).broadcast_to({3, c.rows, n}), ids);
        });
        expect_same("indexed_matmul of one row", [&](const Tensor& w) {
          const Tensor last = w.reshape({1, c.rows, n}).narrow(1, c.rows - 1, 1);
          return indexed_matmul(x.unsqueeze(1), last.broadcast_to({3, 19, n}), ids);
        });
      }
}

}  // namespace
}  // namespace kernelgen::conformance
