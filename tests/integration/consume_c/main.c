/* A C11 program: finds kernels in the registry by id and by name, and runs operations on the CPU device. */
#include <kernelgen/kernelgen.h>
#include <kernelgen_registry.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, kernelgen_last_error()); \
      return 1;                                                                                   \
    }                                                                                             \
  } while (0)

int main(void) {
  const int id = kernelgen_find_kernel("kg_sqr_f32");
  CHECK(id == KERNELGEN_KERNEL_kg_sqr_f32);
  const kernelgen_kernel_record* kernel = &kernelgen_kernels[id];
  CHECK(strcmp(kernelgen_kernel_text(kernel->name), "kg_sqr_f32") == 0);
  CHECK(strcmp(kernelgen_kernel_text(kernelgen_kernel_modules[kernel->module].name), "unary") == 0);
  CHECK(kernel->argument_count == 3);
  const kernelgen_argument_record* argument = &kernelgen_kernel_arguments[kernel->first_argument];
  CHECK(strcmp(kernelgen_kernel_text(argument[1].name), "y") == 0 && argument[1].offset == 8);
  CHECK(strcmp(kernelgen_kernel_text(argument[1].type), "f32*") == 0 && argument[1].is_written == 1);
  CHECK(kernelgen_find_kernel("no_such_kernel") == -1);

  kernelgen_device* device = NULL;
  CHECK(kernelgen_device_open("cpu", NULL, &device) == KERNELGEN_OK);
  const float x[] = {1, 2, 3};
  float y[3] = {0};
  const int64_t shape[] = {3};
  kernelgen_tensor *input = NULL, *output = NULL;
  CHECK(kernelgen_tensor_from_host(device, x, sizeof x, KERNELGEN_F32, 1, shape, NULL, &input) ==
        KERNELGEN_OK);

  CHECK(kernelgen_affine(input, kernelgen_real(0.5), kernelgen_integer(1), NULL, NULL, &output) ==
        KERNELGEN_OK);
  CHECK(kernelgen_tensor_to_host(output, y, sizeof y, NULL) == KERNELGEN_OK);
  CHECK(y[0] == 1.5f && y[1] == 2.f && y[2] == 2.5f);

  /* The same kernel id launches by hand. */
  struct {
    void* x;
    void* y;
    uint64_t n;
  } arguments = {NULL, NULL, 3};
  CHECK(kernelgen_tensor_data(input, &arguments.x) == KERNELGEN_OK);
  CHECK(kernelgen_tensor_data(output, &arguments.y) == KERNELGEN_OK);
  const kernelgen_launch_shape launch = {{1, 1, 1}, {256, 1, 1}, 0};
  CHECK(kernelgen_launch_kernel(device, (uint32_t)id, &launch, &arguments, sizeof arguments, NULL) ==
        KERNELGEN_OK);
  CHECK(kernelgen_tensor_to_host(output, y, sizeof y, NULL) == KERNELGEN_OK);
  CHECK(y[0] == 1.f && y[1] == 4.f && y[2] == 9.f);

  kernelgen_tensor_release(output);
  kernelgen_tensor_release(input);
  kernelgen_device_release(device);
  printf("C: kernelgen %s, %d kernels\n", kernelgen_version(), (int)KERNELGEN_KERNEL_COUNT);
  return 0;
}
