// candle's element-wise kernels: every symbol, contiguous and strided, under every cut.
#include <gtest/gtest.h>

#include "conformance/bounds.hpp"
#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "launcher.hpp"
#include "reference/binary.hpp"
#include "reference/cast.hpp"
#include "reference/strided.hpp"
#include "reference/unary.hpp"

namespace kernelgen::candle {
namespace {

using conformance::pool;
using conformance::repeat;
using conformance::Wanted;
using reference::gather;

constexpr DType symbol_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64,
                                   DType::u8,   DType::u32, DType::i64, DType::f8e4m3};

/// One layout for all operands: `info` is null, or dims and then each operand's strides.
struct Case {
  const char* name;
  Shape shape;
  bool has_info;
  std::vector<Dims> strides;  ///< of operand k, from the one that `k % size` names
};
const Case cases[] = {
    {"no info", {4099}, false, {{1}}},
    {"one element", {1}, false, {{1}}},
    {"contiguous", {5, 7, 11}, true, {{77, 11, 1}}},
    {"transposed", {5, 7, 11}, true, {{1, 5, 35}, {77, 11, 1}}},
    {"repeated", {6, 1, 50}, true, {{0, 0, 1}, {1, 0, 0}}},
    {"stepped", {40, 30}, true, {{90, 3}, {1, 40}, {30, 1}}},
};

std::int64_t count_of(const Shape& shape) { return reference::count_of(shape); }

/// What an operand of a case holds and where.
struct Operand {
  Tensor tensor;
  Elements values;  ///< row-major
};
Operand make_operand(const Case& c, std::size_t k, DType dtype) {
  const Layout layout{c.shape, c.strides[k % c.strides.size()], 0};
  const Elements storage =
      repeat(pool(dtype), static_cast<std::int64_t>(13 * k + 3), layout.extent().last + 1);
  return {upload(storage), gather(storage, layout)};
}

Tensor make_info(const Case& c, std::size_t operands) {
  if (!c.has_info) return {};
  std::vector<std::int64_t> numbers(c.shape.begin(), c.shape.end());
  for (std::size_t k = 0; k < operands; ++k) {
    const Dims& strides = c.strides[k % c.strides.size()];
    numbers.insert(numbers.end(), strides.begin(), strides.end());
  }
  return upload_info(numbers);
}

/// Launches under every cut with `arguments(info, inputs, out)` and compares the whole storage of `out`, which
/// has room on both ends.
void check(const std::string& kernel, const std::string& operation, const Case& c,
           const std::vector<DType>& inputs, DType output,
           const std::function<Block(const Tensor&, std::span<const Operand>, void*)>& arguments,
           const std::function<Wanted(std::span<const Operand>)>& reference) {
  std::vector<Operand> operands;
  for (std::size_t k = 0; k < inputs.size(); ++k) operands.push_back(make_operand(c, k, inputs[k]));
  const Tensor info = make_info(c, inputs.size());
  const std::int64_t n = count_of(c.shape), room = 16;
  const auto size = static_cast<std::int64_t>(size_of(output));
  const Wanted wanted = reference(operands);
  for (const Cut& cut : element_cuts(n)) {
    const std::string what = kernel + ", " + c.name + ", " + cut.text();
    const Elements poisoned(
        output, std::vector<std::byte>(static_cast<std::size_t>((n + 2 * room) * size), std::byte{0xa5}));
    const Tensor whole = upload(poisoned);
    launch(kernel, cut, arguments(info, operands, static_cast<std::byte*>(whole.data()) + room * size));
    const Elements got = download(whole);
    const auto mismatches = conformance::find_mismatches(
        conformance::bound_of(operation, output), slice(got, room, n), wanted, [&](std::int64_t i) {
          const conformance::Real x = real_at(operands[0].values, i);
          return conformance::Scale{.tail = x < -1 ? -x : 0};
        });
    ASSERT_EQ(mismatches.count, 0) << what << ": element " << mismatches.first << " is "
                                   << describe(got, room + mismatches.first) << ", wanted "
                                   << describe(wanted.values, mismatches.first);
    EXPECT_EQ(slice(got, 0, room).bytes(), slice(poisoned, 0, room).bytes())
        << what << " wrote before its output";
    EXPECT_EQ(slice(got, room + n, room).bytes(), slice(poisoned, 0, room).bytes())
        << what << " wrote past the end of its output";
  }
}

Block head(const Case& c, const Tensor& info) {
  return Block()
      .add<std::uint64_t>(static_cast<std::uint64_t>(count_of(c.shape)))
      .add<std::uint64_t>(c.shape.size())
      .add(info);
}

/// Those that candle has.
std::vector<std::string_view> unary_operations() {
  std::vector<std::string_view> operations;
  for (const std::string_view operation : reference::unary_operations())
    if (package().find_kernel("u" + std::string(operation) + "_f32")) operations.push_back(operation);
  return operations;
}

TEST(Candle, Unary) {
  const std::vector<std::string_view> operations = unary_operations();
  EXPECT_EQ(operations.size(), 21u);
  for (const Case& c : cases)
    for (const DType dtype : symbol_dtypes) {
      if (is_float(dtype))
        for (const std::string_view operation : operations)
          check(
              "u" + std::string(operation) + "_" + suffix(dtype, "fp8_e4m3"), std::string(operation), c,
              {dtype}, dtype,
              [&](const Tensor& info, auto in, void* out) {
                return head(c, info).add(in[0].tensor).add(out);
              },
              [&](auto in) { return Wanted{reference::unary(operation, in[0].values), {}}; });
      check(
          "ucopy_" + suffix(dtype), "copy", c, {dtype}, dtype,
          [&](const Tensor& info, auto in, void* out) { return head(c, info).add(in[0].tensor).add(out); },
          [&](auto in) { return Wanted{in[0].values, {}}; });
    }
}

TEST(Candle, UnaryWithAParameter) {
  for (const Case& c : cases)
    for (const DType dtype : conformance::float_dtypes) {
      const Elements parameter = reference::make_scalar(dtype, 0.75);
      const auto arguments = [&](const Tensor& info, auto in, void* out) {
        return head(c, info).add(parameter).add(in[0].tensor).add(out);
      };
      check("uelu_" + suffix(dtype, "fp8_e4m3"), "elu", c, {dtype}, dtype, arguments,
            [&](auto in) { return Wanted{reference::elu(in[0].values, parameter), {}}; });
      check("upowf_" + suffix(dtype, "fp8_e4m3"), "powf", c, {dtype}, dtype, arguments,
            [&](auto in) { return Wanted{reference::powf(in[0].values, parameter), {}}; });
    }
}

TEST(Candle, Binary) {
  const auto arguments = [](const Case& c) {
    return [&c](const Tensor& info, auto in, void* out) {
      return head(c, info).add(in[0].tensor).add(in[1].tensor).add(out);
    };
  };
  for (const Case& c : cases)
    for (const DType dtype : symbol_dtypes) {
      for (const std::string_view operation : reference::binary_operations())
        check("b" + std::string(operation) + "_" + suffix(dtype), std::string(operation), c, {dtype, dtype},
              dtype, arguments(c),
              [&](auto in) { return Wanted{reference::binary(operation, in[0].values, in[1].values), {}}; });
      for (const std::string_view operation : reference::compare_operations())
        check(std::string(operation) + "_" + suffix(dtype), std::string(operation), c, {dtype, dtype},
              DType::u8, arguments(c),
              [&](auto in) { return Wanted{reference::compare(operation, in[0].values, in[1].values), {}}; });
    }
}

TEST(Candle, Affine) {
  for (const Case& c : cases)
    for (const DType dtype : conformance::all_dtypes) {
      const Elements mul = reference::make_scalar(dtype, 1.5), add = reference::make_scalar(dtype, 3);
      check(
          "affine_" + suffix(dtype), "affine", c, {dtype}, dtype,
          [&](const Tensor& info, auto in, void* out) {
            return head(c, info).add(in[0].tensor).add(out).add(mul).add(add);
          },
          [&](auto in) {
            const reference::Affine results = reference::affine(in[0].values, mul, add);
            return Wanted{results.fused, results.separate};
          });
    }
}

TEST(Candle, Cast) {
  int checked = 0;
  for (const DType from : conformance::all_dtypes)
    for (const DType to : conformance::all_dtypes) {
      const std::string kernel = "cast_" + suffix(from) + "_" + suffix(to);
      if (!package().find_kernel(kernel)) continue;
      ++checked;
      for (const Case& c : cases)
        check(
            kernel, "cast", c, {from}, to,
            [&](const Tensor& info, auto in, void* out) { return head(c, info).add(in[0].tensor).add(out); },
            [&](auto in) { return Wanted{reference::cast(in[0].values, to), {}}; });
    }
  EXPECT_EQ(checked, 58);
}

TEST(Candle, Where) {
  int checked = 0;
  for (const DType ids : conformance::integer_dtypes)
    for (const DType dtype : symbol_dtypes) {
      const std::string kernel = "where_" + suffix(ids) + "_" + suffix(dtype, "fp8_e4m3");
      if (!package().find_kernel(kernel)) continue;
      ++checked;
      for (const Case& c : cases)
        check(
            kernel, "where", c, {ids, dtype, dtype}, dtype,
            [&](const Tensor& info, auto in, void* out) {
              return head(c, info).add(in[0].tensor).add(in[1].tensor).add(in[2].tensor).add(out);
            },
            [&](auto in) { return Wanted{reference::where(in[0].values, in[1].values, in[2].values), {}}; });
    }
  EXPECT_EQ(checked, 26);
}

/// fill, const_set and copy2d write into a storage that must otherwise stay as it was.
TEST(Candle, Fills) {
  for (const DType dtype : symbol_dtypes) {
    const Elements value = reference::make_scalar(dtype, 5);
    const Elements before = repeat(pool(dtype), 1, 4000);
    for (const Cut& cut : element_cuts(1000)) {
      Tensor buffer = upload(before);
      launch("fill_" + suffix(dtype), cut, Block().add(buffer).add(value).add<std::uint64_t>(1001));
      Elements wanted = before;
      reference::scatter(wanted, Layout::contiguous({1001}), repeat(value, 0, 1001));
      EXPECT_EQ(download(buffer).bytes(), wanted.bytes()) << "fill " << name_of(dtype) << ", " << cut.text();

      for (const Case& c : cases) {
        if (c.strides[0][0] == 0 || count_of(c.shape) > 4000) continue;
        buffer = upload(before);
        const Layout view{c.shape, c.strides[0], 0};
        if (view.extent().last >= 4000) continue;
        launch("const_set_" + suffix(dtype), cut, head(c, make_info(c, 1)).add(value).add(buffer));
        wanted = before;
        reference::scatter(wanted, view, repeat(value, 0, count_of(c.shape)));
        EXPECT_EQ(download(buffer).bytes(), wanted.bytes())
            << "const_set " << name_of(dtype) << ", " << c.name << ", " << cut.text();
      }

      buffer = upload(before);
      const Elements source = repeat(pool(dtype), 77, 4000);
      launch("copy2d_" + suffix(dtype), cut,
             Block().add(upload(source)).add(buffer).add(37u).add(19u).add(23u).add(29u));
      wanted = before;
      reference::scatter(wanted, {{37, 19}, {29, 1}, 0}, gather(source, {{37, 19}, {23, 1}, 0}));
      EXPECT_EQ(download(buffer).bytes(), wanted.bytes())
          << "copy2d " << name_of(dtype) << ", " << cut.text();
    }
  }
}

}  // namespace
}  // namespace kernelgen::candle
