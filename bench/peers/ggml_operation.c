// One operation of a ggml back end, so that its kernels can be counted: bench/amd_peers.py builds and runs it.
//   ggml_operation BACKEND.so DEVICE rms_norm|soft_max N ROWS
//   ggml_operation BACKEND.so DEVICE rope D HEADS TOKENS
//   ggml_operation BACKEND.so DEVICE get_rows TYPE N TABLE ROWS
//   ggml_operation BACKEND.so DEVICE mul_mat TYPE K ROWS COLUMNS
//   ggml_operation BACKEND.so DEVICE flash_attn D HEADS QUERIES KEYS
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char* what) {
  fprintf(stderr, "ggml_operation: %s\n", what);
  exit(1);
}

static enum ggml_type type_named(const char* name) {
  for (int type = 0; type < GGML_TYPE_COUNT; ++type)
    if (strcmp(ggml_type_name((enum ggml_type)type), name) == 0) return (enum ggml_type)type;
  fail("there is no such type");
}

/// Values in [-1, 1), the same in each run; indices are rows of a table.
static void fill(struct ggml_tensor* tensor, int64_t below) {
  const int64_t count = ggml_nelements(tensor);
  if (tensor->type == GGML_TYPE_I32) {
    int32_t* ids = malloc(sizeof(int32_t) * (size_t)count);
    for (int64_t i = 0; i < count; ++i) ids[i] = (int32_t)(i * 7919 % below);
    ggml_backend_tensor_set(tensor, ids, 0, ggml_nbytes(tensor));
    free(ids);
    return;
  }
  float* values = malloc(sizeof(float) * (size_t)count);
  unsigned state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
  }
  void* converted = malloc(ggml_nbytes(tensor));
  if (tensor->type == GGML_TYPE_F32)
    memcpy(converted, values, ggml_nbytes(tensor));
  else
    ggml_quantize_chunk(tensor->type, values, converted, 0, count / tensor->ne[0], tensor->ne[0], NULL);
  ggml_backend_tensor_set(tensor, converted, 0, ggml_nbytes(tensor));
  free(converted);
  free(values);
}

int main(int count, char** words) {
  if (count < 6) fail("see the head of its source for the arguments");
  if (ggml_backend_load(words[1]) == NULL) fail("the back end cannot be loaded");
  ggml_backend_dev_t device = ggml_backend_dev_by_name(words[2]);
  if (device == NULL) fail("there is no such device");
  ggml_backend_t backend = ggml_backend_dev_init(device, NULL);
  const struct ggml_init_params memory = {ggml_tensor_overhead() * 64 + ggml_graph_overhead(), NULL, true};
  struct ggml_context* c = ggml_init(memory);

  const char* const operation = words[3];
  int64_t n[4] = {0};
  const int typed = strcmp(operation, "get_rows") == 0 || strcmp(operation, "mul_mat") == 0;
  for (int i = 4 + typed; i < count && i < 8 + typed; ++i) n[i - 4 - typed] = atoll(words[i]);
  const enum ggml_type type = typed ? type_named(words[4]) : GGML_TYPE_F32;
  struct ggml_tensor *result, *a = NULL, *b = NULL, *v = NULL;
  int64_t below = 1;
  if (strcmp(operation, "rms_norm") == 0) {
    result = ggml_rms_norm(c, a = ggml_new_tensor_2d(c, type, n[0], n[1]), 1e-5f);
  } else if (strcmp(operation, "soft_max") == 0) {
    result = ggml_soft_max(c, a = ggml_new_tensor_2d(c, type, n[0], n[1]));
  } else if (strcmp(operation, "rope") == 0) {
    a = ggml_new_tensor_3d(c, type, n[0], n[1], n[2]);
    b = ggml_new_tensor_1d(c, GGML_TYPE_I32, below = n[2]);
    result = ggml_rope(c, a, b, (int)n[0], GGML_ROPE_TYPE_NEOX);
  } else if (strcmp(operation, "get_rows") == 0) {
    a = ggml_new_tensor_2d(c, type, n[0], below = n[1]);
    result = ggml_get_rows(c, a, b = ggml_new_tensor_1d(c, GGML_TYPE_I32, n[2]));
  } else if (strcmp(operation, "mul_mat") == 0) {
    a = ggml_new_tensor_2d(c, type, n[0], n[1]);
    result = ggml_mul_mat(c, a, b = ggml_new_tensor_2d(c, GGML_TYPE_F32, n[0], n[2]));
  } else if (strcmp(operation, "flash_attn") == 0) {
    a = ggml_new_tensor_3d(c, GGML_TYPE_F32, n[0], n[2], n[1]);
    b = ggml_new_tensor_3d(c, GGML_TYPE_F16, n[0], n[3], n[1]);
    v = ggml_new_tensor_3d(c, GGML_TYPE_F16, n[0], n[3], n[1]);
    result = ggml_flash_attn_ext(c, a, b, v, NULL, 0.125f, 0, 0);
  } else {
    fail("there is no such operation");
  }

  if (!ggml_backend_dev_supports_op(device, result)) fail("the device does not support the operation");
  struct ggml_cgraph* graph = ggml_new_graph(c);
  ggml_build_forward_expand(graph, result);
  if (ggml_backend_alloc_ctx_tensors(c, backend) == NULL) fail("no memory");
  fill(a, below);
  if (b != NULL) fill(b, below);
  if (v != NULL) fill(v, below);
  if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) fail("the computation failed");
  ggml_backend_synchronize(backend);
  return 0;
}
