// Waves have 32 or 64 lanes: no kernel body may assume either.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

/// Lines that put a wave's width, or a mask of all its lanes, as a number next to lanes, waves or threads.
std::vector<std::string> offending_lines(const fs::path& folder) {
  // Matrix instructions exist for one width of waves each; a target that has them has that width.
  const std::set<std::string> exempt = {"matrix.hpp"};
  const std::regex place(R"(\blane\b|\bwave_|\bmask\b|thread_index|block_size|ballot|shfl)");
  const std::regex width(R"(\b(31|32|63|64|0xffffffffu?)\b(?!-bit))");
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hpp" || exempt.contains(entry.path().filename().string())) continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::string code = line.substr(0, line.find("//"));
      if (std::regex_search(code, place) && std::regex_search(code, width))
        lines.push_back(entry.path().string() + ":" + std::to_string(number) + ": " + line);
    }
  }
  return lines;
}

TEST(WaveSize, IsNeverALiteralInABody) {
  const std::vector<std::string> lines = offending_lines(KERNELGEN_KERNELS);
  for (const std::string& line : lines) ADD_FAILURE() << line << "\nask wave_size(), or use group.hpp";
}

TEST(WaveSize, TheCheckSeesWhatItShould) {
  const fs::path folder = fs::path(testing::TempDir()) / "wave_size_test";
  fs::create_directories(folder);
  std::ofstream(folder / "bad.hpp")
      << "u32 a = thread_index() & 31;\nu32 b = lane % 64;\nu32 c = shfl(0xffffffff, x);\n"
         "u32 fine = value & 31;  // thread_index\nu32 d = wave_size();\n";
  EXPECT_EQ(offending_lines(folder).size(), 3u);
  fs::remove_all(folder);
}

}  // namespace
