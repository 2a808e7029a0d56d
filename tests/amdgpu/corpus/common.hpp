#pragma once
// What the corpus needs of HIP's language, without HIP's headers.
#define KERNEL extern "C" __attribute__((global)) void
#define SHARED __attribute__((shared))
#define DEVICE __attribute__((device))

typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef __bf16 bfloat2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long long ulong;

DEVICE inline unsigned item() {
  return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
}
