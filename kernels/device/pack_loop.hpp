#pragma once
/// Packs processed by a loop over elements, for compact code, instead of fully unrolled.
#include "device/compact_code.hpp"
#include "device/pack.hpp"

namespace kg {

/// Elements per iteration for packs of W elements of these types: whole words of each type. W means no loop.
template <int W, class... T>
KG_DEVICE constexpr int loop_width() {
  constexpr bool has_bytes = (... || (sizeof(T) == 1)), has_halves = (... || (sizeof(T) == 2));
  constexpr int whole_words = has_bytes ? 4 : has_halves ? 2 : 1;
  return (is_compact<T> || ...) && whole_words < W ? whole_words : W;
}

/// Rotates the pack by `count` elements (whole words): its first elements become the last.
template <int count, class T, int W>
KG_DEVICE void rotate(Pack<T, W>& pack) {
  constexpr int words = Pack<T, W>::words,
                moved = count * static_cast<int>(sizeof(T)) / Pack<T, W>::word_bytes;
  const Pack<T, W> before = pack;
  KG_UNROLL for (int i = 0; i < words; ++i) pack.word[i] = before.word[(i + moved) % words];
}

/// A pack of of(e, packs…), where e is the element's index within its iteration. The packs are rotated after
/// each iteration.
template <class Out, int W, int turn, class Of, class... Packs>
KG_DEVICE Pack<Out, W> pack_by_loop(Of of, Packs... packs) {
  Pack<Out, W> y{};
  KG_NO_UNROLL for (int first = 0; first < W; first += turn) {
    Pack<Out, turn> some{};
    KG_UNROLL for (int e = 0; e < turn; ++e) some.set(e, of(e, packs...));
    KG_UNROLL for (int i = 0; i < some.words; ++i) y.word[i] = some.word[i];
    rotate<turn>(y);
    (rotate<turn>(packs), ...);
  }
  return y;
}

}  // namespace kg
