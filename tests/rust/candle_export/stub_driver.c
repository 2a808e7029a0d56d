/* NVIDIA's driver as far as the launchers of the exported crate call it. A launch is given to a function of the test. */
#include <stddef.h>
#include <string.h>

typedef int (*Launch)(const char* kernel, const unsigned* grid, const unsigned* block, unsigned shared_bytes,
                      void* stream, void** arguments);

static Launch launch_in_test;
static char names[256][64];
static size_t name_count;
static int contexts_pushed, modules_loaded;

void stub_set_launch(Launch launch) { launch_in_test = launch; }
int stub_modules_loaded(void) { return modules_loaded; }

/* A stream's context is the stream. */
int cuStreamGetCtx(void* stream, void** context) {
  *context = stream;
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  (void)context;
  ++contexts_pushed;
  return 0;
}
int cuCtxPopCurrent_v2(void** context) {
  *context = NULL;
  return --contexts_pushed == 0 ? 0 : 201;
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return contexts_pushed == 1 ? 0 : 201;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : 0; /* compute capability 9.0 */
  return attribute == 75 || attribute == 76 ? 0 : 1;
}
int cuModuleLoadData(void** module, const void* image) {
  *module = (void*)image;
  ++modules_loaded;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  (void)module;
  if (name_count == sizeof names / sizeof *names || strlen(name) >= sizeof *names) return 500;
  *function = strcpy(names[name_count++], name);
  return 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned across, unsigned down,
                   unsigned deep, unsigned shared_bytes, void* stream, void** arguments, void** extra) {
  const unsigned grid[] = {x, y, z}, block[] = {across, down, deep};
  return extra == NULL ? launch_in_test(function, grid, block, shared_bytes, stream, arguments) : 1;
}
int cuGetErrorName(int status, const char** name) {
  *name = status == 500 ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_OF_STUB";
  return 0;
}
