#pragma once
/// Attention by matrix instructions, for rows of up to `widest` elements.
#include "attention/semantics.hpp"

#if KG_GPU
#include "attention/mma_gpu.hpp"
#else
#include "attention/simt.hpp"

namespace kg {

template <u32 widest, u32 rows = attention_mma_rows, class T, class K>
KG_DEVICE void attention_mma(const Attention<T, K>& x) {
  attention_simt(x);
}

}  // namespace kg
#endif
