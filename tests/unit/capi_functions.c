#include "capi_functions.h"

int capi_affine_add(const char* device_name, const float* x, const float* y, float* result, size_t count) {
  const int64_t shape[1] = {(int64_t)count};
  const size_t bytes = count * sizeof(float);
  kernelgen_device* device = NULL;
  kernelgen_tensor *left = NULL, *right = NULL, *doubled = NULL;
  int failed = 1;
  if (kernelgen_device_open(device_name, NULL, &device) != KERNELGEN_OK) goto done;
  ++failed;
  if (kernelgen_tensor_from_host(device, x, bytes, KERNELGEN_F32, 1, shape, NULL, &left) != KERNELGEN_OK)
    goto done;
  ++failed;
  if (kernelgen_tensor_from_host(device, y, bytes, KERNELGEN_F32, 1, shape, NULL, &right) != KERNELGEN_OK)
    goto done;
  ++failed;
  if (kernelgen_affine(left, kernelgen_real(2.0), kernelgen_integer(0), NULL, NULL, &doubled) != KERNELGEN_OK)
    goto done;
  ++failed;
  /* In place, without a handle for the result. */
  if (kernelgen_add(doubled, right, doubled, NULL, NULL) != KERNELGEN_OK) goto done;
  ++failed;
  if (kernelgen_tensor_to_host(doubled, result, bytes, NULL) != KERNELGEN_OK) goto done;
  failed = 0;
done:
  kernelgen_tensor_release(doubled);
  kernelgen_tensor_release(right);
  kernelgen_tensor_release(left);
  kernelgen_device_release(device);
  return failed;
}
