#include "disassembly.hpp"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/process.hpp"

namespace kernelgen::disassembly {
namespace {

/// A file that goes when this does: llvm-objdump reads no pipes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("kernelgen-disassembly-" + std::to_string(getpid()))) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path_.string());
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "0000000000001900 <kg_exp_f32>:" → kg_exp_f32; nothing for other lines.
std::string_view function_name(std::string_view line) {
  const std::size_t open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:")) return {};
  return line.substr(open + 2, line.size() - open - 4);
}

/// "    11f0:\tpushq\t%rbp" or "\ts_endpgm    // 000000001A00: BF810000".
Instruction parse_instruction(std::string_view line) {
  Instruction instruction{0, {}, {}};
  line = trimmed(line.substr(0, line.find("//")));
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + colon, instruction.address, 16);
    if (error == std::errc() && end == line.data() + colon) line = trimmed(line.substr(colon + 1));
  }
  const std::size_t split = line.find_first_of(" \t");
  instruction.mnemonic = line.substr(0, split);
  if (split != std::string_view::npos) instruction.operands = trimmed(line.substr(split));
  return instruction;
}

}  // namespace

Functions parse(const std::string& text) {
  Functions functions;
  std::vector<Instruction>* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::string_view name = function_name(line); !name.empty()) {
      current = &functions[std::string(name)];
    } else if (line.empty()) {
      current = nullptr;
    } else if (current != nullptr) {
      current->push_back(parse_instruction(line));
    }
  }
  return functions;
}

Functions disassemble(std::span<const std::byte> code_object) {
  const TemporaryFile file(code_object);
  const auto runner = tool::make_process_runner();
  const tool::ProcessResult result =
      tool::run_process(*runner, {KERNELGEN_OBJDUMP, "-d", "--no-show-raw-insn", file.path()});
  if (!result.ok())
    throw std::runtime_error(std::string(KERNELGEN_OBJDUMP) + ": " + result.outcome() + "\n" + result.err);
  return parse(result.out);
}

}  // namespace kernelgen::disassembly
