/* A program that uses the kernels through a shared library only. */
#include <stdio.h>

int plugin_find(const char* name);

int main(void) {
  const int id = plugin_find("kg_exp_f32");
  printf("plug-in: kg_exp_f32 is %d\n", id);
  return id < 0;
}
