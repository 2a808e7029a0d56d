#pragma once
/// Attention of few rows or over few keys.
#include "attention/simt.hpp"

#if KG_GPU
#include "attention/small_gpu.hpp"
#else

namespace kg {

template <class T, class K>
KG_DEVICE void attention_small(const Attention<T, K>& x) {
  attention_simt(x);
}

}  // namespace kg
#endif
