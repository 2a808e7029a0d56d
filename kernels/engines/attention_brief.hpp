#pragma once
/// Attention of few rows, or over few keys.
#include "engines/attention_rows.hpp"

#if KG_GPU
#include "engines/attention_brief_gpu.hpp"
#else

namespace kg {

template <class T, class K>
KG_DEVICE void attention_brief(const Attention<T, K>& x) {
  attention_rows(x);
}

}  // namespace kg
#endif
