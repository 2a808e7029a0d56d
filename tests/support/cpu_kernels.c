/* A code object of the CPU kind for tests, as the kernel compiler would make one: plain C, one block a call.
 */
#include <stdint.h>

typedef struct Block {
  uint32_t index[3];
  uint32_t grid[3];
} Block;

#define EXPORT __attribute__((visibility("default")))

struct ScaleArguments {
  const float* x;
  float* y;
  uint64_t n;
  float factor;
};

EXPORT void kg_scale_f32(const void* arguments, const Block* block) {
  const struct ScaleArguments* a = arguments;
  const uint64_t begin = a->n * block->index[0] / block->grid[0];
  const uint64_t end = a->n * (block->index[0] + 1) / block->grid[0];
  for (uint64_t i = begin; i < end; ++i) a->y[i] = a->x[i] * a->factor;
}

struct VisitArguments {
  uint32_t* visits;
};

/* Counts the visits of every block of a three-dimensional grid. */
EXPORT void kg_visit(const void* arguments, const Block* block) {
  const struct VisitArguments* a = arguments;
  const uint64_t at =
      ((uint64_t)block->index[2] * block->grid[1] + block->index[1]) * block->grid[0] + block->index[0];
  __atomic_fetch_add(&a->visits[at], 1, __ATOMIC_RELAXED);
}
