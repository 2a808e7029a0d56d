/* A kernel that calls the C library: its object has a procedure linkage table, versions and a library it needs. */
#include <stdlib.h>

int (*const kg_function)(int) = abs;

void kg_visit(const void* arguments, const void* block);
void kg_visit(const void* arguments, const void* block) {
  (void)block;
  if (arguments != NULL) srand((unsigned)kg_function(-1));
}
