// A matrix product D = A * B by one wave, with A of rows, B of columns; a kernel for each shape that the GPU has.
// Layouts as AMD's matrix instruction calculator prints them.
#define GLOBAL extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64)))
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef int int8 __attribute__((ext_vector_type(8)));

#if defined(__gfx90a__) || defined(__gfx942__)
GLOBAL void product_16x16x16_f16(float* d, const _Float16* a, const _Float16* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 16, g = lane / 16;
  half4 x, y;
  for (int e = 0; e < 4; ++e) x[e] = a[i * 16 + g * 4 + e], y[e] = b[(g * 4 + e) * 16 + i];
  const float4 sums = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, float4(0), 0, 0, 0);
  for (int r = 0; r < 4; ++r) d[(g * 4 + r) * 16 + i] = sums[r];
}
GLOBAL void product_32x32x8_f16(float* d, const _Float16* a, const _Float16* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 32, g = lane / 32;
  half4 x, y;
  for (int e = 0; e < 4; ++e) x[e] = a[i * 8 + g * 4 + e], y[e] = b[(g * 4 + e) * 32 + i];
  const float16 sums = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, float16(0), 0, 0, 0);
  for (int r = 0; r < 16; ++r) d[(r / 4 * 8 + g * 4 + r % 4) * 32 + i] = sums[r];
}
GLOBAL void product_16x16x4_f64(double* d, const double* a, const double* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 16, g = lane / 16;
  const double4 sums = __builtin_amdgcn_mfma_f64_16x16x4f64(a[i * 4 + g], b[g * 16 + i], double4(0), 0, 0, 0);
  for (int r = 0; r < 4; ++r) d[(r * 4 + g) * 16 + i] = sums[r];
}
GLOBAL void product_32x32x2_f32(float* d, const float* a, const float* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 32, g = lane / 32;
  const float16 sums = __builtin_amdgcn_mfma_f32_32x32x2f32(a[i * 2 + g], b[g * 32 + i], float16(0), 0, 0, 0);
  for (int r = 0; r < 16; ++r) d[(r / 4 * 8 + g * 4 + r % 4) * 32 + i] = sums[r];
}
#endif
#if defined(__gfx942__)
GLOBAL void product_16x16x32_i8(int* d, const signed char* a, const signed char* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 16, g = lane / 16;
  signed char x[8], y[8];
  for (int e = 0; e < 8; ++e) x[e] = a[i * 32 + g * 8 + e], y[e] = b[(g * 8 + e) * 16 + i];
  const int4 sums = __builtin_amdgcn_mfma_i32_16x16x32_i8(__builtin_bit_cast(long, x), __builtin_bit_cast(long, y), int4(0), 0, 0, 0);
  for (int r = 0; r < 4; ++r) d[(g * 4 + r) * 16 + i] = sums[r];
}
#endif
// Of A the kept elements are given, with their two bits of index a row and group of 16 elements of k.
#if defined(__gfx942__)
GLOBAL void sparse_16x16x32_f16(float* d, const _Float16* a, const _Float16* b, const int* index) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x(), i = lane % 16, g = lane / 16;
  half4 x;
  half8 y;
  for (int e = 0; e < 4; ++e) x[e] = a[i * 16 + g * 4 + e];
  for (int e = 0; e < 8; ++e) y[e] = b[(g * 8 + e) * 16 + i];
  const float4 sums = __builtin_amdgcn_smfmac_f32_16x16x32_f16(x, y, float4(0), index[i * 4 + g], 0, 0);
  for (int r = 0; r < 4; ++r) d[(g * 4 + r) * 16 + i] = sums[r];
}
#endif
#if defined(__gfx1201__)
GLOBAL void sparse_16x16x32_f16(float* d, const _Float16* a, const _Float16* b, const int* index) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x() % 32, i = lane % 16, g = lane / 16;
  half8 x;
  half16 y;
  for (int e = 0; e < 8; ++e) x[e] = a[i * 16 + g * 8 + e];
  for (int e = 0; e < 16; ++e) y[e] = b[(g * 16 + e) * 16 + i];
  const short bits = (short)(index[i * 4 + 2 * g] | index[i * 4 + 2 * g + 1] << 8);
  const float8 sums = __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(x, y, float8(0), bits);
  for (int r = 0; r < 8; ++r) d[(g * 8 + r) * 16 + i] = sums[r];
}
#endif
#if defined(__gfx1100__)
GLOBAL void product_16x16x16_f16(float* d, const _Float16* a, const _Float16* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x() % 32, i = lane % 16, g = lane / 16;
  half16 x, y;
  for (int e = 0; e < 16; ++e) x[e] = a[i * 16 + e], y[e] = b[e * 16 + i];
  const float8 sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, float8(0));
  for (int r = 0; r < 8; ++r) d[(r * 2 + g) * 16 + i] = sums[r];
}
GLOBAL void product_16x16x16_i8(int* d, const signed char* a, const signed char* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x() % 32, i = lane % 16, g = lane / 16;
  signed char x[16], y[16];
  for (int e = 0; e < 16; ++e) x[e] = a[i * 16 + e], y[e] = b[e * 16 + i];
  const int8 sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, __builtin_bit_cast(int4, x), true, __builtin_bit_cast(int4, y), int8(0), false);
  for (int r = 0; r < 8; ++r) d[(r * 2 + g) * 16 + i] = sums[r];
}
#endif
#if defined(__gfx1201__)
GLOBAL void product_16x16x16_f16(float* d, const _Float16* a, const _Float16* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x() % 32, i = lane % 16, g = lane / 16;
  half8 x, y;
  for (int e = 0; e < 8; ++e) x[e] = a[i * 16 + g * 8 + e], y[e] = b[(g * 8 + e) * 16 + i];
  const float8 sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x, y, float8(0));
  for (int r = 0; r < 8; ++r) d[(g * 8 + r) * 16 + i] = sums[r];
}
GLOBAL void product_16x16x16_i8(int* d, const signed char* a, const signed char* b) {
  const int lane = (int)__builtin_amdgcn_workitem_id_x() % 32, i = lane % 16, g = lane / 16;
  signed char x[8], y[8];
  for (int e = 0; e < 8; ++e) x[e] = a[i * 16 + g * 8 + e], y[e] = b[(g * 8 + e) * 16 + i];
  const int8 sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, __builtin_bit_cast(int2, x), true, __builtin_bit_cast(int2, y), int8(0), false);
  for (int r = 0; r < 8; ++r) d[(g * 8 + r) * 16 + i] = sums[r];
}
#endif
