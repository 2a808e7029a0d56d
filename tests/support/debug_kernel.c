/* A kernel of the CPU kind as a code object holds it, with its table of arguments: count, bytes, offset and size of each.
 * Compiled with -g for tests of source lines. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT const uint32_t kg_half_args[] = {1, 8, 0, 8};
EXPORT void kg_half(const void* arguments, const void* block) {
  float* const* x = arguments;
  (void)block;
  **x *= 0.5f; /* the line that the test looks for */
}
