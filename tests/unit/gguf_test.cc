// Valid GGUF files: every type of value; tensors in the file and on the CPU.
#include "kernelgen/gguf.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include "support/expect_error.hpp"
#include "support/sample_gguf.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

class Gguf : public testing::TestWithParam<std::uint32_t> {
 protected:
  const std::string bytes_ = test::sample_gguf(GetParam());
  const GgufFile file_ = GgufFile::from_memory(test::bytes_of_file(bytes_), "sample.gguf");
};

TEST_P(Gguf, GivesEveryTypeOfValue) {
  EXPECT_EQ(file_.version(), GetParam());
  EXPECT_EQ(file_.alignment(), 32u);
  EXPECT_EQ(file_.name(), "sample.gguf");
  ASSERT_EQ(file_.metadata().size(), 17u);
  EXPECT_EQ(file_.metadata()[0].key, "general.architecture");
  EXPECT_EQ(file_.text("general.architecture"), "llama");
  EXPECT_EQ(file_.integer("a.u8"), 255);
  EXPECT_EQ(file_.integer("a.i8"), -128);
  EXPECT_EQ(file_.integer("a.u16"), 65535);
  EXPECT_EQ(file_.integer("a.i16"), -32768);
  EXPECT_EQ(file_.integer("a.u32"), 4294967295);
  EXPECT_EQ(file_.integer("a.i32"), -7);
  EXPECT_EQ(file_.integer("a.i64"), -9);
  EXPECT_EQ(file_.real("a.f32"), 0.5);
  EXPECT_EQ(file_.real("a.f64"), 0.1);
  EXPECT_EQ(file_.real("a.u64"), 18446744073709551616.0);
  EXPECT_EQ(file_.real("a.i32"), -7.0);
  EXPECT_TRUE(file_.boolean("a.boolean"));
}

TEST_P(Gguf, GivesArrays) {
  EXPECT_EQ(file_.value("empty").size(), 0u);
  EXPECT_EQ(file_.value("tokens").texts(), (std::vector<std::string_view>{"", "one", "zwölf"}));
  EXPECT_EQ(file_.value("scores").reals(), (std::vector<double>{1, -2.5}));
  EXPECT_EQ(file_.value("flags").integers(), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(file_.value("flags").element_type(), GgufType::u8);
  const std::vector<GgufValue> nested = file_.value("nested").elements();
  ASSERT_EQ(nested.size(), 3u);
  EXPECT_EQ(nested[0].integers(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(nested[1].size(), 0u);
  EXPECT_EQ(nested[2].integers(), (std::vector<std::int64_t>{3}));
}

TEST_P(Gguf, SaysWhichKeyIsAbsentOrOfAnotherType) {
  EXPECT_EQ(file_.integer("absent", 3), 3);
  EXPECT_EQ(file_.text("absent", "none"), "none");
  EXPECT_EQ(file_.find_value("absent"), nullptr);
  expect_error(Code::not_found, {"sample.gguf: no metadata 'a.u33'", "did you mean 'a.u32'"},
               [&] { file_.integer("a.u33"); });
  expect_error(Code::invalid_argument, {"sample.gguf: metadata 'a.f32' is of type f32, wanted an integer"},
               [&] { file_.integer("a.f32", 3); });
  expect_error(Code::invalid_argument, {"'tokens' is of type array, wanted a number"},
               [&] { file_.real("tokens"); });
  expect_error(Code::invalid_argument, {"'a.u8' is of type u8, wanted a boolean"},
               [&] { file_.boolean("a.u8"); });
  expect_error(Code::invalid_argument, {"'a.u8' is of type u8, wanted a text"}, [&] { file_.text("a.u8"); });
  expect_error(Code::invalid_argument, {"'a.u8' is of type u8, wanted an array"},
               [&] { file_.value("a.u8").elements(); });
  expect_error(Code::invalid_argument, {"'tokens' is of type text, wanted a number"},
               [&] { file_.value("tokens").reals(); });
  expect_error(Code::invalid_argument, {"'a.u64' is 18446744073709551615, wanted at most 2^63 - 1"},
               [&] { file_.integer("a.u64"); });
}

TEST_P(Gguf, ListsTensors) {
  ASSERT_EQ(file_.tensors().size(), 3u);
  const GgufTensor& scales = file_.tensor("scales");
  EXPECT_EQ(scales.shape, (Shape{2, 3}));
  EXPECT_EQ(scales.format_name, "f32");
  EXPECT_EQ(scales.dtype, DType::f32);
  EXPECT_EQ(scales.bytes, 24u);
  EXPECT_EQ(scales.offset % 32, 0u);
  const GgufTensor& blocks = file_.tensor("blocks");
  EXPECT_EQ(blocks.shape, (Shape{2, 64}));
  EXPECT_EQ(blocks.format_name, "q4_0");
  EXPECT_EQ(blocks.bytes, 72u);
  EXPECT_EQ(file_.bytes(blocks).data(), test::bytes_of_file(bytes_).data() + blocks.offset);
  EXPECT_EQ(file_.bytes(blocks)[71], std::byte{0x11});
  const GgufTensor& codes = file_.tensor("codes");
  EXPECT_EQ(codes.format, 255u);
  EXPECT_EQ(codes.format_name, "");
  EXPECT_EQ(codes.dtype, std::nullopt);
  EXPECT_EQ(file_.find("absent"), nullptr);
}

TEST_P(Gguf, LoadsWhatThereIsADtypeFor) {
  const Device cpu = Device::open("cpu");
  const Tensor scales = file_.load(cpu, "scales");
  EXPECT_EQ(scales.dtype(), DType::f32);
  EXPECT_EQ(scales.shape(), (Shape{2, 3}));
  float values[6];
  std::memcpy(values, scales.to_host().data(), sizeof values);
  EXPECT_EQ(values[5], 5.0f);
  const Tensor blocks = file_.load(cpu, "blocks");
  EXPECT_EQ(blocks.dtype(), DType::q4_0);
  EXPECT_EQ(blocks.to_host(), std::vector<std::byte>(72, std::byte{0x11}));
  // Memory of the caller's is not to be written to.
  EXPECT_NE(scales.data(), file_.bytes(file_.tensor("scales")).data());
  expect_error(Code::unsupported,
               {"sample.gguf: tensor 'codes' has GGML's type 255, whose size is not known"},
               [&] { file_.load(cpu, "codes"); });
  expect_error(Code::not_found, {"sample.gguf: no tensor 'scale' (did you mean 'scales'?)"},
               [&] { file_.load(cpu, "scale"); });
}

INSTANTIATE_TEST_SUITE_P(Versions, Gguf, testing::Values(2u, 3u));

TEST(GgufFile, IsReadWhereItLies) {
  const std::string bytes = test::sample_gguf(3, 64);
  const test::TemporaryFile on_disk("sample.gguf", test::bytes_of_file(bytes));
  Tensor scales;
  {
    const GgufFile file = GgufFile::open(on_disk.path());
    EXPECT_EQ(file.alignment(), 64u);
    const Device cpu = Device::open("cpu");
    scales = file.load(cpu, "scales");
    EXPECT_EQ(scales.data(), file.bytes(file.tensor("scales")).data());
  }
  // The tensor keeps the mapping, and what is written stays there.
  static_cast<float*>(scales.data())[0] = 7;
  const GgufFile again = GgufFile::open(on_disk.path());
  float first = -1;
  std::memcpy(&first, again.bytes(again.tensor("scales")).data(), sizeof first);
  EXPECT_EQ(first, 0.0f);
}

TEST(GgufFile, IsNoPipe) {
  const test::TemporaryFolder folder("pipe");
  const std::filesystem::path pipe = folder.path() / "x.gguf";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto opened = std::async(std::launch::async, [&] {
    expect_error(Code::io, {"cannot read " + pipe.string() + ": it is a pipe, not a file"},
                 [&] { GgufFile::open(pipe); });
  });
  const bool is_refused = opened.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  EXPECT_TRUE(is_refused);
  // One that waits gets its other end.
  if (!is_refused) std::ofstream(pipe) << "end";
}

TEST(GgufFile, ThatIsCutOffGivesNoTensor) {
  const std::string bytes = test::sample_gguf();
  const test::TemporaryFile on_disk("cut.gguf", test::bytes_of_file(bytes));
  const GgufFile file = GgufFile::open(on_disk.path());
  std::filesystem::resize_file(on_disk.path(), bytes.size() - 1);
  const auto text = {std::string_view("cut.gguf: it was cut off while it was open")};
  expect_error(Code::io, text, [&] { file.bytes(file.tensor("scales")); });
  expect_error(Code::io, text, [&] { file.load(Device::open("cpu"), "scales"); });
}

TEST(GgufFile, OfAFormatWithoutADtypeIsListed) {
  GgufWriter writer;
  writer.add_tensor("x", {66}, 24, 66);
  const std::string bytes = writer.head() + std::string(66, '\0');
  const GgufFile file = GgufFile::from_memory(test::bytes_of_file(bytes), "x.gguf");
  EXPECT_EQ(file.tensor("x").format_name, "i8");
  EXPECT_EQ(file.bytes(file.tensor("x")).size(), 66u);
  expect_error(Code::unsupported,
               {"x.gguf: tensor 'x' is in GGML's format i8 (type 24), for which there is no"},
               [&] { file.load(Device::open("cpu"), "x"); });
}

TEST(GgufFile, HasNumbersOfDtypes) {
  EXPECT_EQ(gguf_format(DType::f32), 0u);
  EXPECT_EQ(gguf_format(DType::bf16), 30u);
  EXPECT_EQ(gguf_format(DType::q4_K), 12u);
  EXPECT_EQ(gguf_format(DType::mxfp4), 39u);
  EXPECT_EQ(gguf_dtype(39), DType::mxfp4);
  EXPECT_EQ(gguf_dtype(16), DType::iq2_xxs);
  EXPECT_EQ(gguf_dtype(24), std::nullopt);  // i8
  EXPECT_EQ(gguf_dtype(4), std::nullopt);
  expect_error(Code::unsupported, {"GGUF files have no number for u32"}, [] { gguf_format(DType::u32); });
}

TEST(GgufFile, WithoutTensorsOrMetadataIsRead) {
  const std::string bytes = GgufWriter().head();
  const GgufFile file = GgufFile::from_memory(test::bytes_of_file(bytes));
  EXPECT_TRUE(file.metadata().empty());
  EXPECT_TRUE(file.tensors().empty());
}

TEST(GgufFile, OfScalarsAndOfNoElements) {
  GgufWriter writer;
  writer.add_tensor("scalar", {}, 0, 4);
  writer.add_tensor("none", {3, 0}, 2, 0);
  const std::string bytes = writer.head() + std::string(32, '\0');
  const GgufFile file = GgufFile::from_memory(test::bytes_of_file(bytes));
  EXPECT_EQ(file.load(Device::open("cpu"), "scalar").elements(), 1);
  EXPECT_EQ(file.tensor("none").bytes, 0u);
  EXPECT_EQ(file.tensor("none").shape, (Shape{3, 0}));
}

}  // namespace
}  // namespace kernelgen
