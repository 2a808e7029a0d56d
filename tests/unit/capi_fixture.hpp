#pragma once
#include <gtest/gtest.h>
#include <kernelgen/kernelgen.h>

#include <string>
#include <vector>

namespace kernelgen::test {

/// An open CPU device and helpers that make and read f32 tensors of it.
class Capi : public testing::Test {
 protected:
  void SetUp() override { ok(kernelgen_device_open("cpu", nullptr, &device_)); }
  void TearDown() override {
    for (kernelgen_tensor* tensor : owned_) kernelgen_tensor_release(tensor);
    kernelgen_device_release(device_);
  }

  static void ok(kernelgen_status status) { ASSERT_EQ(status, KERNELGEN_OK) << kernelgen_last_error(); }
  static void fails(kernelgen_status status, kernelgen_status expected, const std::string& text) {
    EXPECT_EQ(status, expected) << kernelgen_status_name(status);
    EXPECT_NE(std::string(kernelgen_last_error()).find(text), std::string::npos) << kernelgen_last_error();
  }
  kernelgen_tensor* keep(kernelgen_tensor* tensor) { return owned_.emplace_back(tensor); }
  kernelgen_tensor* make(const std::vector<float>& values, const std::vector<int64_t>& shape) {
    kernelgen_tensor* tensor = nullptr;
    ok(kernelgen_tensor_from_host(device_, values.data(), values.size() * sizeof(float), KERNELGEN_F32,
                                  shape.size(), shape.data(), nullptr, &tensor));
    return keep(tensor);
  }
  template <class T = float>
  static std::vector<T> read(const kernelgen_tensor* tensor) {
    size_t bytes = 0;
    ok(kernelgen_tensor_bytes(tensor, &bytes));
    std::vector<T> values(bytes / sizeof(T));
    ok(kernelgen_tensor_to_host(tensor, values.data(), bytes, nullptr));
    return values;
  }

  kernelgen_device* device_ = nullptr;
  std::vector<kernelgen_tensor*> owned_;
};

}  // namespace kernelgen::test
