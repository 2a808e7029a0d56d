// Mutated GGUF files: bytes and numbers of a valid one inserted, removed and doubled. The
// file is refused with an Error, or everything in it can be read and is inside the file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "kernelgen/error.hpp"
#include "kernelgen/gguf.hpp"
#include "support/read_gguf.hpp"
#include "support/sample_gguf.hpp"

namespace kernelgen {
namespace {

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Mutator {
 public:
  Mutator(std::string bytes, std::uint64_t seed) : bytes_(std::move(bytes)), random_(seed) {}

  std::string next() {
    std::string bytes = bytes_;
    for (std::uint64_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) change(bytes);
    return bytes;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void change(std::string& bytes) {
    constexpr std::uint64_t numbers[] = {0,     1,          2,          8,          9,          31,
                                         255,   0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, 1ull << 61,
                                         ~0ull, ~0ull >> 1, 1ull << 63, ~0ull - 31};
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min<std::size_t>(1 + below(16), bytes.size() - at);
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random_());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:
        bytes.resize(at);
        break;
      default: {
        const std::uint64_t number = numbers[below(std::size(numbers))];
        const std::size_t size = std::min<std::size_t>(below(2) == 0 ? 4 : 8, bytes.size() - at);
        std::memcpy(bytes.data() + at, &number, size);
      }
    }
  }

  const std::string bytes_;
  std::mt19937_64 random_;
};

TEST(HostileGguf, IsRefusedOrRead) {
  const std::uint64_t turns = environment_number("KERNELGEN_HOSTILE_TURNS", 20000);
  const std::uint64_t seed = environment_number("KERNELGEN_SEED", 1);
  SCOPED_TRACE("KERNELGEN_SEED=" + std::to_string(seed));
  Mutator mutator(test::sample_gguf(), seed);
  std::uint64_t refused = 0, sum = 0;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::string text = mutator.next();
    // Memory of exactly that size, for a sanitizer to watch its ends.
    const std::unique_ptr<std::byte[]> bytes(new std::byte[text.size()]);
    std::memcpy(bytes.get(), text.data(), text.size());
    try {
      sum += test::read_all(GgufFile::from_memory({bytes.get(), text.size()}));
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::bad_package) << "turn " << turn << ": " << error.what();
      ++refused;
    }
  }
  // Both happen, or nothing was tested.
  EXPECT_GT(refused, turns / 10);
  EXPECT_LT(refused, turns - turns / 100);
  RecordProperty("sum", std::to_string(sum));
}

}  // namespace
}  // namespace kernelgen
