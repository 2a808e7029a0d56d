#pragma once
/// Attention by matrix instructions, for rows of up to `widest` elements; where there are none, by single
/// multiplications.
#include "engines/attention_rows.hpp"

#if KG_GPU
#include "engines/attention_tile_gpu.hpp"
#else
namespace kg {

template <u32 widest, class T, class K>
KG_DEVICE void attention_tile(const Attention<T, K>& x) {
  attention_rows(x);
}

}  // namespace kg
#endif
