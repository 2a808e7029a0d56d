#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "amdgpu/simulator.hpp"

// Lists the instructions in code objects that the simulator does not know, most frequent first.
namespace {

using namespace kernelgen::amdgpu;

void count_unknown(const char* path, std::map<std::string, std::uint64_t>& counts) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const CodeObject object(std::as_bytes(std::span(bytes)));
  Simulator simulator(object.processor());
  const auto loaded = simulator.load(std::as_bytes(std::span(bytes)));
  const auto& kernels = object.kernels();
  const unsigned wave_size = kernels.empty() ? 64 : kernels.begin()->second.wave_size;
  for (const auto& [name, count] : loaded->program(wave_size).unknown()) counts[name] += count;
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::uint64_t> counts;
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    try {
      count_unknown(arguments[i], counts);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", arguments[i], error.what());
      failed = 1;
    }
  }
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [name, times] : counts) sorted.emplace_back(times, name);
  std::sort(sorted.rbegin(), sorted.rend());
  for (const auto& [times, name] : sorted)
    std::printf("%8llu %s\n", static_cast<unsigned long long>(times), name.c_str());
  return failed;
}
