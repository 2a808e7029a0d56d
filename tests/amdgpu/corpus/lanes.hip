// Exchanges of lanes, ballots, dynamic indices of registers, calls, scalar control.
#include "common.hpp"

KERNEL exchanges(int* y, const int* x) {
  const int v = x[item()], lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  int r = __builtin_amdgcn_ds_bpermute(4 * (lane ^ 5), v) + __builtin_amdgcn_ds_permute(4 * (lane ^ 3), v);
  r += __builtin_amdgcn_ds_swizzle(v, 0x041f) + __builtin_amdgcn_ds_swizzle(v, 0x80e4) + __builtin_amdgcn_readlane(v, 7);
  r += __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, true);
  r += __builtin_amdgcn_update_dpp(r, v, 0x111, 0xa, 0x5, false) + __builtin_amdgcn_update_dpp(0, v, 0x121, 0xf, 0xf, true);
  r += __builtin_amdgcn_update_dpp(0, v, 0x140, 0xf, 0xf, false) + __builtin_amdgcn_update_dpp(0, v, 0x141, 0xf, 0xf, false);
#if defined(__gfx900__) || defined(__gfx906__) || defined(__gfx90a__) || defined(__gfx942__)
  r += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, false) + __builtin_amdgcn_update_dpp(0, v, 0x143, 0xc, 0xf, false);
  r += __builtin_amdgcn_update_dpp(0, v, 0x138, 0xf, 0xf, false);
#else
  r += (int)__builtin_amdgcn_permlane16((unsigned)r, (unsigned)v, 0x76543210u, 0xfedcba98u, false, true);
  r += (int)__builtin_amdgcn_permlanex16((unsigned)r, (unsigned)v, 0x76543210u, 0xfedcba98u, true, false);
  r += (int)__builtin_amdgcn_mov_dpp8((unsigned)v, 0x123456);
#endif
  y[item()] = r;
}

KERNEL float_dpp(float* y, const float* x) {
  float v = x[item()];
  for (int i = 0; i < 3; ++i)
    v += __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, v), 0x111, 0xf, 0xf, true));
  y[item()] = v;
}

KERNEL votes(ulong* y, const int* x) {
  const bool set = x[item()] > 3;
#if defined(__gfx900__) || defined(__gfx906__) || defined(__gfx90a__) || defined(__gfx942__)
  const ulong all = __builtin_amdgcn_ballot_w64(set);
#else
  const ulong all = __builtin_amdgcn_ballot_w32(set);
#endif
  y[item()] = all + __builtin_amdgcn_uicmp(x[item()], 7, 34) + (__builtin_amdgcn_read_exec() != 0);
}

typedef float float16v __attribute__((ext_vector_type(16)));
KERNEL dynamic_registers(float* y, const float16v* x, int n) {
  float16v v = x[item()];
  v[n & 15] += 2.0f;
  v[(n + 5) & 15] = v[(n * 3) & 15];
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += v[i] * (float)(i + n);
  y[item()] = sum + v[(n >> 4) & 15];
}

DEVICE __attribute__((noinline)) float polynomial(float x, int degree) {
  float r = 0;
  for (int i = 0; i < degree; ++i) r = r * x + (float)i;
  return r;
}
KERNEL calls(float* y, const float* x, const int* degree, int way) {
  const unsigned i = item();
  float r = 0;
  switch (way) {
    case 0: r = polynomial(x[i], degree[i]); break;
    case 1: r = x[i] * 2; break;
    case 2: r = polynomial(x[i] + 1, 3); break;
    case 3: __builtin_amdgcn_s_sleep(1); r = x[i] + 7; break;
    case 4: __builtin_amdgcn_s_setprio(1); r = x[i] - 7; break;
    default: r = polynomial(polynomial(x[i], 2), way);
  }
  y[i] = r;
}

KERNEL clocks(ulong* y) {
  y[item()] = __builtin_readcyclecounter() + __builtin_amdgcn_workgroup_id_y() + __builtin_amdgcn_workitem_id_y() +
              __builtin_amdgcn_workitem_id_z() + __builtin_amdgcn_workgroup_id_z();
}
