// Runs a fuzz target without libFuzzer: over its seeds, over the files of a folder, where there is one, and over as many
// inputs as asked that are made of both by changes at random. usage: fuzz_NAME [RUNS [FOLDER]]; KERNELGEN_SEED repeats a
// run. fuzz_NAME --write FOLDER writes the seeds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "seeds.hpp"

namespace {

using Random = std::mt19937_64;

/// A changed copy: bits and bytes, pieces taken out, doubled, or put in from another seed.
std::string mutated(std::string text, const std::vector<std::string>& seeds, Random& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t change = 1 + below(4); change != 0; --change) {
    const std::size_t at = below(text.size() + 1),
                      piece = below(std::min<std::size_t>(text.size() - at, 64) + 1);
    const std::string& other = seeds[below(seeds.size())];
    const std::size_t from = below(other.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 2:
        text.erase(at, piece);
        break;
      case 3:
        text.insert(at, text.substr(at, piece));
        break;
      case 4:
        text.insert(at, other.substr(from, 64));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

/// In memory of its own size, so that a sanitizer sees the first byte after it read.
void run(const std::string& input) {
  const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[input.size()]);
  std::memcpy(bytes.get(), input.data(), input.size());
  LLVMFuzzerTestOneInput(bytes.get(), input.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> seeds = kernelgen::fuzz::seeds();
  if (count == 3 && std::strcmp(arguments[1], "--write") == 0) {
    for (std::size_t i = 0; i < seeds.size(); ++i)
      if (!(std::ofstream(std::string(arguments[2]) + "/seed" + std::to_string(i), std::ios::binary)
            << seeds[i])) {
        std::fprintf(stderr, "cannot write into %s\n", arguments[2]);
        return 1;
      }
    return 0;
  }
  if (count > 2 && std::filesystem::is_directory(arguments[2]))
    for (const auto& file : std::filesystem::directory_iterator(arguments[2])) {
      std::ifstream stream(file.path(), std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  const unsigned long runs = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 0;
  const char* named = std::getenv("KERNELGEN_SEED");
  const unsigned long seed = named != nullptr ? std::strtoul(named, nullptr, 10) : 1;
  std::printf("%zu seeds and %lu inputs made of them, KERNELGEN_SEED=%lu\n", seeds.size(), runs, seed);
  std::fflush(stdout);
  Random random(seed);
  for (const std::string& input : seeds) run(input);
  for (unsigned long i = 0; i < runs; ++i) run(mutated(seeds[random() % seeds.size()], seeds, random));
  return 0;
}
