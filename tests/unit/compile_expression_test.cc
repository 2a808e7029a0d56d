// Expressions compiled at run time, on the CPU.
#include "compile_fixture.hpp"
#include "kernelgen/graph.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

using test::expect_error;

class Expressions : public test::Compiling {};

TEST_F(Expressions, ComputeWhatTheirTextSays) {
  const Device device = cpu();
  const Tensor a = tensor(device, {3, 5}), b = tensor(device, {5}), c = tensor(device, {3, 1});
  const Tensor y = expression("silu(a) * b + c", {{"a", a}, {"b", b}, {"c", c}});
  EXPECT_EQ(y.shape(), (Shape{3, 5}));
  const std::vector<float> silu_a = values(silu(a)), as_b = values(b), as_c = values(c), found = values(y);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], silu_a[i] * as_b[i % 5] + as_c[i / 5]) << i;
}

TEST_F(Expressions, AreTheDigitsOfShippedOperations) {
  const Device device = cpu();
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::f8e4m3}) {
    const Tensor a = tensor(device, {100}, dtype), b = tensor(device, {100}, dtype);
    EXPECT_EQ(expression("silu(a) * b", {{"a", a}, {"b", b}}).to_host(), silu_mul(a, b).to_host())
        << name_of(dtype);
    EXPECT_EQ(expression("elu(x, alpha)", {{"x", a}, {"alpha", 0.3}}).to_host(), elu(a, 0.3).to_host())
        << name_of(dtype);
  }
}

TEST_F(Expressions, TakeAnyLayoutAndNumberOfTensors) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4, 6});
  const Tensor transposed = x.transpose(0, 1);
  EXPECT_EQ(values(expression("a * 2 + b", {{"a", transposed}, {"b", transposed}})),
            values(affine(transposed, 3, 0)));
  EXPECT_EQ(values(expression("x + 1", {{"x", x.narrow(1, 1, 3)}})), values(affine(x.narrow(1, 1, 3), 1, 1)));
  const Tensor one = tensor(device, {1, 6}).narrow(1, 3, 1);
  EXPECT_EQ(values(expression("a + b + c + d + e + f",
                              {{"a", x}, {"b", x}, {"c", one}, {"d", x}, {"e", x}, {"f", x}})),
            values(add(affine(x, 5, 0), one)));
  EXPECT_EQ(expression("x", {{"x", tensor(device, {0, 3})}}).elements(), 0);
}

TEST_F(Expressions, TakeAnyDtypes) {
  const Device device = cpu();
  const Tensor x = tensor(device, {13}), mask = ge(x, tensor(device, {1}));
  EXPECT_EQ(mask.dtype(), DType::u8);
  expect_error(Code::invalid_argument,
               {"the tensors are u8 and f32, which does not decide the result's dtype"},
               [&] { expression("m ? x : s", {{"m", mask}, {"x", x}, {"s", 0.5}}); });
  const Tensor y = expression("m == 0 ? x : s", {{"m", mask}, {"x", x}, {"s", 0.5}}, {.dtype = DType::f16});
  EXPECT_EQ(y.dtype(), DType::f16);
  EXPECT_EQ(values(y), std::vector<float>(13, 0.5f));  // numbers are of the first tensor of floats, not of u8
  const Tensor counts = expression("x > 0", {{"x", x}}, {.dtype = DType::i64});
  EXPECT_EQ(values(to_dtype(counts, DType::f32))[12], 1.0f);
  EXPECT_EQ(values(expression("x / 2", {{"x", to_dtype(x, DType::i32)}}))[0], -3.0f);
}

/// The library ended with SIGFPE, or left the result unwritten.
TEST_F(Expressions, DivideIntegersAsDivDoes) {
  const Device device = cpu();
  const auto integers = [&]<class T>(std::initializer_list<T> numbers, DType dtype) {
    return Tensor::from_host(device, std::as_bytes(std::span(numbers.begin(), numbers.size())),
                             {static_cast<std::int64_t>(numbers.size())}, dtype);
  };
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  const Tensor a = integers({lowest, lowest, 7, -7, 7}, DType::i32),
               b = integers({-1, 0, 2, 2, 0}, DType::i32);
  EXPECT_EQ(expression("a / b", {{"a", a}, {"b", b}}).to_host(), div(a, b).to_host());
  EXPECT_EQ(values(expression("a % b", {{"a", a}, {"b", b}})), (std::vector<float>{0, 0, 1, -1, 0}));
  EXPECT_EQ(expression("1 / 0 + a % 0 + a", {{"a", a}}).to_host(), a.to_host());
  constexpr std::int64_t lowest64 = std::numeric_limits<std::int64_t>::min();
  const Tensor c = integers({lowest64, std::int64_t{9}}, DType::i64),
               d = integers({std::int64_t{-1}, std::int64_t{0}}, DType::i64);
  EXPECT_EQ(expression("c / d", {{"c", c}, {"d", d}}).to_host(), div(c, d).to_host());
  EXPECT_EQ(values(expression("c % d + c / 5000000000 * 0", {{"c", c}, {"d", d}})),
            (std::vector<float>{0, 0}));
  for (const DType dtype : {DType::u8, DType::u32, DType::i16}) {
    const Tensor x = to_dtype(integers({0, 1, 9, 100}, DType::i32), dtype);
    const Tensor y = to_dtype(integers({0, 0, 4, 7}, DType::i32), dtype);
    EXPECT_EQ(expression("x / y", {{"x", x}, {"y", y}}).to_host(), div(x, y).to_host()) << name_of(dtype);
  }
  // Floats stay IEEE's, whatever they meet.
  const Tensor f = tensor(device, {13});
  EXPECT_EQ(expression("f / (f * 0)", {{"f", f}}).to_host(), div(f, mul(f, affine(f, 0, 0))).to_host());
  EXPECT_EQ(values(expression("i32(f) / 4 + f32(i32(f) / 4.0f)", {{"f", f}}))[0], -2.5f);
  EXPECT_EQ(values(expression("u8(f * 100) + i32(f * 1e20f) % 2", {{"f", f}}))[12], 256.0f);
}

TEST_F(Expressions, WriteWhereTheyAreTold) {
  const Device device = cpu();
  const Tensor x = tensor(device, {7}), y = tensor(device, {7}, DType::f16);
  const std::vector<float> before = values(x);
  expression("x * 2", {{"x", x}}, {.out = &y});
  EXPECT_EQ(values(y)[1], 2 * before[1]);
  const Tensor same = expression("x + 1", {{"x", x}}, {.out = &x});
  EXPECT_EQ(same.data(), x.data());
  EXPECT_EQ(values(x)[0], before[0] + 1);
  const Tensor narrow = tensor(device, {3});
  expect_error(Code::invalid_argument, {"expression: out is f32 [3]; it has to be f32 [7]"},
               [&] { expression("x + 1", {{"x", x}}, {.out = &narrow}); });
}

TEST_F(Expressions, AreCompiledOnce) {
  const Device device = Device::open("cpu:3", Package::embedded());
  const Tensor x = tensor(device, {4, 4});
  const auto call = [&](const Tensor& given, double number) {
    expression("x * s + 41", {{"x", given}, {"s", number}});
  };
  EXPECT_EQ(starts_of([&] { call(x, 1); }), 1);
  fs::remove_all(cache_.path() / "modules");  // the device has it
  EXPECT_EQ(starts_of([&] { call(x, 2.5); }), 0);
  EXPECT_EQ(starts_of([&] { call(x.reshape({16}), 3); }), 0);
  EXPECT_EQ(starts_of([&] { call(x.transpose(0, 1), 3); }), 1);  // a kernel for layouts
  EXPECT_EQ(starts_of([&] { call(x.narrow(0, 1, 2).transpose(0, 1), 3); }), 0);
  EXPECT_EQ(starts_of([&] { call(to_dtype(x, DType::f16), 3); }), 1);
  EXPECT_EQ(starts_of([&] { expression("a * s + 41", {{"a", x}, {"s", 1}}); }), 1);
}

TEST_F(Expressions, ThatAreNone) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4});
  expect_error(Code::invalid_argument,
               {"expression 'silo(x)': column 1: there is no function 'silo'; did you mean 'silu'?",
                "operands: x, s;"},
               [&] { expression("silo(x)", {{"x", x}, {"s", 1}}); });
  expect_error(Code::invalid_argument, {"expression '~x'", "expression:1:"},
               [&] { expression("~x", {{"x", x}}); });
  expect_error(Code::invalid_argument, {"scalar: 0.5 with a tensor of i32, which holds whole numbers"},
               [&] { expression("x * s", {{"x", to_dtype(x, DType::i32)}, {"s", 0.5}}); });
  for (const char* text : {"", "x; x", "x // 1", "(x", "__LINE__", "x\n+ 1", "KG_DEVICE x",
                           "*(volatile int*)0 + x", "x = 1", "silo(x)"})
    EXPECT_EQ(starts_of([&] {
                expect_error(Code::invalid_argument, {"expression '"}, [&] { expression(text, {{"x", x}}); });
              }),
              0)
        << text;
  for (const char* name : {"", "2x", "int", "__x", "x y"})
    expect_error(Code::invalid_argument, {"the operand's name '"}, [&] { expression("1", {{name, x}}); });
  expect_error(Code::invalid_argument, {"two operands are called 'x'"},
               [&] { expression("x", {{"x", x}, {"x", 1}}); });
  expect_error(Code::invalid_argument, {"no tensor is given"}, [&] { expression("s", {{"s", 1}}); });
  expect_error(Code::invalid_argument, {"input 2 is a default-constructed Tensor"},
               [&] { expression("x", {{"x", x}, {"z", Tensor()}}); });
  expect_error(Code::invalid_argument, {"shapes [4] and [3] do not broadcast"},
               [&] { expression("x + z", {{"x", x}, {"z", tensor(device, {3})}}); });
  expect_error(Code::invalid_argument, {"cannot be q8_0"},
               [&] { expression("x", {{"x", x}}, {.dtype = DType::q8_0}); });
  const std::vector<ExpressionOperand> many(9, {"x", x}), numbers(9, {"x", 1});
  expect_error(Code::invalid_argument, {"more than 6 tensors"}, [&] { expression("x", many); });
  expect_error(Code::invalid_argument, {"more than 8 numbers"}, [&] { expression("x", numbers); });
}

TEST_F(Expressions, GoIntoGraphs) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4});
  Tensor y;
  const Graph graph = device.capture([&] { y = expression("x * x + 17", {{"x", x}}); });
  EXPECT_EQ(graph.nodes(), 1u);
  const_set(x, 2);
  graph.launch();
  EXPECT_EQ(values(y), std::vector<float>(4, 21.0f));
}

}  // namespace
}  // namespace kernelgen
