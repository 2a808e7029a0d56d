// A library of profiler ranges for tests: NVTX's functions, or with STUB_ROCTX roctx's, or with STUB_NEITHER none. It writes
// what it is told to the standard error output.
#include <cstdio>

#if !defined(STUB_NEITHER)
#if defined(STUB_ROCTX)
#define RANGE(name) roctxRange##name
#else
#define RANGE(name) nvtxRange##name
#endif

extern "C" int RANGE(PushA)(const char* name) {
  std::fprintf(stderr, "[%s", name);
  return 0;
}
extern "C" int RANGE(Pop)() {
  std::fputs("]", stderr);
  return 0;
}
#endif
