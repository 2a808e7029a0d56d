#pragma once
// Behind NCCL's header, or RCCL's.
#include "library/collective_library.hpp"
#include "same_call.hpp"

namespace nccl = kernelgen::nccl;
#define EXPECT_NCCL(member, name, arguments) EXPECT_CALL(int, name, arguments);
KERNELGEN_NCCL_CALLS(EXPECT_NCCL)
EXPECT_CALL(const char*, ncclGetErrorString, (int));

EXPECT_NUMBER(sizeof(nccl::Id), sizeof(ncclUniqueId));
EXPECT_NUMBER(0, ncclSuccess);
EXPECT_NUMBER(nccl::type_u8, ncclUint8);
EXPECT_NUMBER(nccl::type_i32, ncclInt32);
EXPECT_NUMBER(nccl::type_u32, ncclUint32);
EXPECT_NUMBER(nccl::type_i64, ncclInt64);
EXPECT_NUMBER(nccl::type_f16, ncclFloat16);
EXPECT_NUMBER(nccl::type_f32, ncclFloat32);
EXPECT_NUMBER(nccl::type_f64, ncclFloat64);
EXPECT_NUMBER(nccl::type_bf16, ncclBfloat16);
EXPECT_NUMBER(nccl::sum, ncclSum);
EXPECT_NUMBER(nccl::product, ncclProd);
EXPECT_NUMBER(nccl::max, ncclMax);
EXPECT_NUMBER(nccl::min, ncclMin);
EXPECT_NUMBER(nccl::mean, ncclAvg);
