#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

namespace kernelgen::test {

/// What `print` writes into the stream it is called with.
template <class Print>
std::string printed(const Print& print) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = open_memstream(&text, &size);
  const auto close = [&] {
    std::fclose(out);
    const std::string written(text, size);
    std::free(text);
    return written;
  };
  try {
    print(out);
  } catch (...) {
    close();
    throw;
  }
  return close();
}

}  // namespace kernelgen::test
