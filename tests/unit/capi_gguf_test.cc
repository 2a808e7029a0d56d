// GGUF files through the C interface.
#include "capi_fixture.hpp"
#include "support/sample_gguf.hpp"

namespace kernelgen::test {
namespace {

std::string text_of(const kernelgen_text& text) { return {text.data, text.bytes}; }

class CapiGguf : public Capi {
 protected:
  void SetUp() override {
    Capi::SetUp();
    ok(kernelgen_gguf_from_memory(bytes_.data(), bytes_.size(), &gguf_));
  }
  void TearDown() override {
    kernelgen_gguf_release(gguf_);
    Capi::TearDown();
  }

  const std::string bytes_ = sample_gguf();
  kernelgen_gguf* gguf_ = nullptr;
};

TEST_F(CapiGguf, GivesMetadata) {
  size_t entries = 0, tensors = 0;
  ok(kernelgen_gguf_counts(gguf_, &entries, &tensors));
  EXPECT_EQ(entries, 17u);
  EXPECT_EQ(tensors, 3u);
  kernelgen_text text{};
  ok(kernelgen_gguf_key(gguf_, 0, &text));
  EXPECT_EQ(text_of(text), "general.architecture");
  ok(kernelgen_gguf_text(gguf_, "general.architecture", &text));
  EXPECT_EQ(text_of(text), "llama");
  int64_t integer = 0;
  ok(kernelgen_gguf_integer(gguf_, "a.i16", &integer));
  EXPECT_EQ(integer, -32768);
  double real = 0;
  ok(kernelgen_gguf_real(gguf_, "a.f64", &real));
  EXPECT_EQ(real, 0.1);
  int boolean = 0;
  ok(kernelgen_gguf_boolean(gguf_, "a.boolean", &boolean));
  EXPECT_EQ(boolean, 1);

  fails(kernelgen_gguf_key(gguf_, 17, &text), KERNELGEN_INVALID_ARGUMENT, "position is 17, but there are 17");
  fails(kernelgen_gguf_integer(gguf_, "a.i15", &integer), KERNELGEN_NOT_FOUND, "did you mean 'a.i16'");
  fails(kernelgen_gguf_integer(gguf_, "a.f32", &integer), KERNELGEN_INVALID_ARGUMENT, "is of type f32");
  fails(kernelgen_gguf_integer(gguf_, nullptr, &integer), KERNELGEN_INVALID_ARGUMENT, "key is NULL");
  fails(kernelgen_gguf_integer(gguf_, "a.i16", nullptr), KERNELGEN_INVALID_ARGUMENT, "value is NULL");
}

TEST_F(CapiGguf, GivesArrays) {
  kernelgen_gguf_type type = -1;
  int is_array = 0;
  uint64_t count = 0;
  ok(kernelgen_gguf_kind(gguf_, "tokens", &type, &is_array, &count));
  EXPECT_EQ(type, KERNELGEN_GGUF_TEXT);
  EXPECT_EQ(is_array, 1);
  EXPECT_EQ(count, 3u);
  ok(kernelgen_gguf_kind(gguf_, "a.f32", &type, &is_array, &count));
  EXPECT_EQ(type, KERNELGEN_GGUF_F32);
  EXPECT_EQ(is_array, 0);
  kernelgen_text texts[3];
  ok(kernelgen_gguf_texts(gguf_, "tokens", texts, 3));
  EXPECT_EQ(text_of(texts[2]), "zwölf");
  double reals[2];
  ok(kernelgen_gguf_reals(gguf_, "scores", reals, 2));
  EXPECT_EQ(reals[1], -2.5);
  int64_t integers[3];
  ok(kernelgen_gguf_integers(gguf_, "flags", integers, 3));
  EXPECT_EQ(integers[2], 2);
  fails(kernelgen_gguf_reals(gguf_, "scores", reals, 1), KERNELGEN_INVALID_ARGUMENT,
        "count is 1, but there are 2 elements");
  fails(kernelgen_gguf_reals(gguf_, "scores", nullptr, 2), KERNELGEN_INVALID_ARGUMENT, "values is NULL");
}

TEST_F(CapiGguf, GivesTensors) {
  kernelgen_gguf_tensor tensor{};
  ok(kernelgen_gguf_describe(gguf_, 0, &tensor));
  EXPECT_EQ(text_of(tensor.name), "scales");
  EXPECT_EQ(text_of(tensor.format_name), "f32");
  EXPECT_EQ(tensor.dtype, KERNELGEN_F32);
  EXPECT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.shape[1], 3);
  EXPECT_EQ(tensor.bytes, 24u);
  ok(kernelgen_gguf_describe(gguf_, 2, &tensor));
  EXPECT_EQ(tensor.dtype, -1);
  EXPECT_EQ(tensor.format, 255u);
  size_t position = 0;
  ok(kernelgen_gguf_find(gguf_, "blocks", &position));
  EXPECT_EQ(position, 1u);
  const void* data = nullptr;
  size_t bytes = 0;
  ok(kernelgen_gguf_bytes(gguf_, position, &data, &bytes));
  EXPECT_EQ(bytes, 72u);
  kernelgen_tensor* scales = nullptr;
  ok(kernelgen_gguf_load(gguf_, device_, "scales", nullptr, &scales));
  EXPECT_EQ(read(keep(scales))[5], 5.0f);

  fails(kernelgen_gguf_describe(gguf_, 3, &tensor), KERNELGEN_INVALID_ARGUMENT, "position is 3");
  fails(kernelgen_gguf_find(gguf_, "block", &position), KERNELGEN_NOT_FOUND, "did you mean 'blocks'");
  fails(kernelgen_gguf_bytes(gguf_, 2, &data, &bytes), KERNELGEN_UNSUPPORTED, "type 255");
  fails(kernelgen_gguf_load(gguf_, device_, "codes", nullptr, &scales), KERNELGEN_UNSUPPORTED, "'codes'");
  kernelgen_gguf* bad = nullptr;
  fails(kernelgen_gguf_from_memory("GGUF", 4, &bad), KERNELGEN_BAD_PACKAGE, "memory: offset 4: the version");
  fails(kernelgen_gguf_open("/nonexistent/model.gguf", &bad), KERNELGEN_IO, "/nonexistent/model.gguf");
  kernelgen_gguf_release(nullptr);
}

}  // namespace
}  // namespace kernelgen::test
