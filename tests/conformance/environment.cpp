#include "environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelgen::conformance {
namespace {

class FunctionTest : public testing::Test {
 public:
  explicit FunctionTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

bool is_on(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && std::string(text) == "1";
}

void register_in(const std::string& suite, const std::string& name, std::function<void()> body) {
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [body = std::move(body)]() -> testing::Test* { return new FunctionTest(body); });
}

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

bool large() { return is_on("KERNELGEN_LARGE"); }

void register_test(const std::string& operation, const std::string& types, std::function<void()> body) {
  register_in("Conformance/" + operation, types, std::move(body));
}

void register_exhaustive_test(const std::string& operation, const std::string& types,
                              std::function<void()> body) {
  if (is_on("KERNELGEN_EXHAUSTIVE")) register_in("Exhaustive/" + operation, types, std::move(body));
}

}  // namespace kernelgen::conformance
