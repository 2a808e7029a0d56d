#pragma once
#include <dlfcn.h>

namespace kernelgen::test {

/// What a stub library keeps, by the function that gives it. A library opened twice is one library.
template <class State>
State& stub_state(const char* path, const char* function) {
  return *reinterpret_cast<State* (*)()>(::dlsym(::dlopen(path, RTLD_NOW), function))();
}

}  // namespace kernelgen::test
