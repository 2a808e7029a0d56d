#pragma once
/// Attention by matrix instructions, for rows of up to `widest` elements.
#include "engines/attention.hpp"

#if KG_GPU
#include "engines/attention_tile_gpu.hpp"
#else
#include "engines/attention_rows.hpp"

namespace kg {

template <u32 widest, class T, class K>
KG_DEVICE void attention_tile(const Attention<T, K>& x) {
  attention_rows(x);
}

}  // namespace kg
#endif
