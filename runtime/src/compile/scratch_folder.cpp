#include "compile/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

ScratchFolder::ScratchFolder() {
  const char* folder = environment_variable("TMPDIR");
  std::string name = formatted("{}/kernelgen-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(Code::io, formatted("cannot make a folder {}: {}; TMPDIR names where it goes", name,
                                    std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // what stays is the system's to sweep
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw Error(Code::io, formatted("cannot write {}", file.string()));
}

}  // namespace kernelgen
