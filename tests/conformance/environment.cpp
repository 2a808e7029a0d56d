#include "environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelgen::conformance {
namespace {

bool exhaustive_ = false;

class FunctionTest : public testing::Test {
 public:
  explicit FunctionTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

const Device& device() {
  static const Device opened = [] {
    const char* name = std::getenv("KERNELGEN_DEVICE");
    return Device::open(name != nullptr ? name : "cpu");
  }();
  return opened;
}

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("KERNELGEN_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 0) : 20260814ull;
  }();
  return value;
}

bool exhaustive() { return exhaustive_; }
void set_exhaustive() { exhaustive_ = true; }

bool large() {
  const char* text = std::getenv("KERNELGEN_LARGE");
  return text != nullptr && std::string(text) == "1";
}

void register_test(const std::string& operation, const std::string& types, std::function<void()> body) {
  testing::RegisterTest(("Conformance/" + operation).c_str(), types.c_str(), nullptr, nullptr, __FILE__,
                        __LINE__,
                        [body = std::move(body)]() -> testing::Test* { return new FunctionTest(body); });
}

}  // namespace kernelgen::conformance
