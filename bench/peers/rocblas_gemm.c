// A product of rocBLAS, so that its kernels can be counted: bench/amd_peers.py builds and runs it.
//   rocblas_gemm f16|bf16|f32 M N K
// Row-major C[M, N] = A[M, K] B[K, N], which is B^T-A^T's product in the columns that rocBLAS counts in; f32 sums.
#include <hip/hip_runtime_api.h>
#include <rocblas/rocblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status, const char* call) {
  if (status == 0) return;
  fprintf(stderr, "rocblas_gemm: %s gave %d\n", call, status);
  exit(1);
}
#define CHECK(call) check((int)(call), #call)

int main(int count, char** words) {
  if (count != 5) {
    fprintf(stderr, "rocblas_gemm: give a dtype, M, N and K\n");
    return 2;
  }
  const int is_f32 = strcmp(words[1], "f32") == 0;
  const rocblas_datatype type = is_f32                         ? rocblas_datatype_f32_r
                                : strcmp(words[1], "f16") == 0 ? rocblas_datatype_f16_r
                                                               : rocblas_datatype_bf16_r;
  const size_t bytes = is_f32 ? 4 : 2;
  const int m = atoi(words[2]), n = atoi(words[3]), k = atoi(words[4]);
  void *a, *b, *c;
  CHECK(hipMalloc(&a, bytes * (size_t)m * (size_t)k));
  CHECK(hipMalloc(&b, bytes * (size_t)k * (size_t)n));
  CHECK(hipMalloc(&c, bytes * (size_t)m * (size_t)n));
  CHECK(hipMemset(a, 0x3c, bytes * (size_t)m * (size_t)k));
  CHECK(hipMemset(b, 0x3c, bytes * (size_t)k * (size_t)n));
  rocblas_handle handle;
  CHECK(rocblas_create_handle(&handle));
  const float one = 1, zero = 0;
  CHECK(rocblas_gemm_ex(handle, rocblas_operation_none, rocblas_operation_none, n, m, k, &one, b, type, n, a,
                        type, k, &zero, c, type, n, c, type, n, rocblas_datatype_f32_r,
                        rocblas_gemm_algo_standard, 0, 0));
  CHECK(hipDeviceSynchronize());
  return 0;
}
