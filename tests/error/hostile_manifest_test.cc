// Mutated manifests: bytes and words of shipped ones inserted, removed and doubled. The
// tool writes sources or lists faults; it does not crash, and the terminal gets no raw bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "base/printable.hpp"
#include "emit/source.hpp"
#include "manifest/kernel.hpp"
#include "manifest/manifest.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

constexpr int rounds = 2000;

std::vector<std::string> shipped_manifests() {
  const RealDisk disk;
  std::vector<std::string> texts;
  for (const char* name : {"core/unary.json", "core/affine.json", "core/index.json", "core/cast.json"})
    texts.push_back(disk.read(fs::path(KERNELGEN_MANIFESTS) / name));
  return texts;
}

/// What is put between or in the place of others.
const std::vector<std::string> words = {"\"",
                                        "\\",
                                        "\n",
                                        "{}",
                                        "[]",
                                        "[[[[",
                                        "null",
                                        "-1",
                                        "1e999",
                                        "18446744073709551616",
                                        "\x1b[2J",
                                        "\\u001b]0;x\\u0007",
                                        "\\u0000",
                                        "\\ud800",
                                        "\\u202e",
                                        "\xff",
                                        "\xc2\x9b",
                                        "\"expr\": \"x\", ",
                                        "\"forms\": {}, ",
                                        "\"types\": {\"A\": \"all\", \"B\": \"all\"}, ",
                                        "__DATE__",
                                        "KG_KERNEL",
                                        "#include",
                                        "*/",
                                        "const ",
                                        ": T",
                                        "{T}",
                                        "{op}",
                                        std::string(1, '\0'),
                                        std::string(300, '['),
                                        std::string(5000, 'a')};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(text.size() + 1), length = std::min(below(40), text.size() - at);
      switch (below(5)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(at, length));
          break;
        case 2:
          text.insert(at, words[below(words.size())]);
          break;
        case 3:
          replace_string(text, words[below(words.size())]);
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(below(256));
      }
    }
    return text;
  }

  /// A file name that may hold anything but '/' and NUL.
  std::string file_name() {
    std::string name = "a.json";
    if (below(8) == 0) name.insert(below(2), 1, static_cast<char>(1 + below(255)));
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  /// Puts a word into a string, so that the code after the JSON parser is reached more often.
  void replace_string(std::string& text, const std::string& word) {
    const std::size_t open = text.find('"', below(text.size() + 1));
    if (open == std::string::npos) return;
    const std::size_t close = text.find('"', open + 1);
    if (close != std::string::npos) text.replace(open + 1, below(close - open), word);
  }

  std::mt19937 random_;
};

/// A source holds lines of printable text, one include, and no directive but that and those that say where an
/// expression or a body stands.
void expect_clean(const std::string& source) {
  EXPECT_EQ(printable(source, Lines::many), source);
  std::istringstream lines(source);
  int includes = 0;
  for (std::string line; std::getline(lines, line);) {
    includes += line.starts_with("#include \"");
    if (line.starts_with('#')) {
      EXPECT_TRUE(line.starts_with("#include \"") || line.starts_with("#line ")) << line;
    }
  }
  EXPECT_EQ(includes, 1) << source.substr(0, 200);
}

TEST(HostileManifest, IsListedOrMade) {
  const char* given = std::getenv("KERNELGEN_SEED");
  const unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 20261121;
  SCOPED_TRACE(fmt::format("KERNELGEN_SEED={}", seed));
  Mutator mutator(seed);
  const std::vector<std::string> shipped = shipped_manifests();
  const std::string copies = RealDisk().read(fs::path(KERNELGEN_MANIFESTS) / "core/copy.json");
  int made = 0, refused = 0;
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    MemoryDisk disk;
    for (const char* header : {"elementwise/map.hpp", "elementwise/copy.hpp", "index/index.hpp"})
      disk.add(fs::path("kernels") / header, "");
    disk.add(fs::path("m") / "copy.json", copies);  // whose kernels others launch
    const std::string text = mutator.mutate(shipped[static_cast<std::size_t>(round) % shipped.size()]);
    disk.add(fs::path("m") / mutator.file_name(), text);
    try {
      const KernelSet set = expand(read_manifests(disk, {"m"}, "kernels"));
      for (const Module& module : set.modules) expect_clean(emit_source(set, module));
      ++made;
    } catch (const BadInput& error) {
      ASSERT_FALSE(error.faults().empty());
      for (const Fault& fault : error.faults()) {
        const std::string line = fault.line();
        ASSERT_TRUE(line.starts_with("kernel-gen: error: ")) << line;
        ASSERT_EQ(line, printable(line));
        ASSERT_LT(line.size(), 20000u);
      }
      ++refused;
    }
  }
  // Both ways are walked, or the test tests nothing.
  EXPECT_GT(made, rounds / 50);
  EXPECT_GT(refused, rounds / 50);
}

}  // namespace
}  // namespace kernelgen::tool
