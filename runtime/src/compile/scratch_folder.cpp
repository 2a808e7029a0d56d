#include "compile/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

}  // namespace kernelgen
