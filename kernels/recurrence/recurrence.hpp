#pragma once
/// Recurrences that are linear in a matrix of states: RWKV, Mamba, gated linear attention, gated delta networks.
#include "recurrence/operands.hpp"
#include "recurrence/rows.hpp"
#if KG_GPU
#include "recurrence/tiles_gpu.hpp"
#endif

namespace kg {

/// linear_recurrence_rows() for states of up to group · each elements a row, by tiles that stage vectors in shared memory.
template <u32 group, u32 each>
KG_DEVICE void linear_recurrence_tiles(const RecurrenceOperands& in) {
#if KG_GPU
  detail::recurrence_tiles<group, each>(in);
#else
  linear_recurrence_rows(in);
#endif
}

}  // namespace kg
