#pragma once
/// Packs whose elements are worked out by a loop, where code is kept small, and not by as many copies of one element's code.
#include "device/kept_small.hpp"
#include "device/pack.hpp"

namespace kg {

/// Elements of packs of W of these types that one turn of such a loop takes: whole words of each. W where there is no loop.
template <int W, class... T>
KG_DEVICE constexpr int turn_width() {
  constexpr bool has_bytes = (... || (sizeof(T) == 1)), has_halves = (... || (sizeof(T) == 2));
  constexpr int whole_words = has_bytes ? 4 : has_halves ? 2 : 1;
  return (is_kept_small<T> || ...) && whole_words < W ? whole_words : W;
}

/// The pack's first `count` elements, of whole words, go behind the others.
template <int count, class T, int W>
KG_DEVICE void rotate(Pack<T, W>& pack) {
  constexpr int words = Pack<T, W>::words,
                moved = count * static_cast<int>(sizeof(T)) / Pack<T, W>::word_bytes;
  const Pack<T, W> before = pack;
  KG_UNROLL for (int i = 0; i < words; ++i) pack.word[i] = before.word[(i + moved) % words];
}

/// The pack of of(e, packs…), e being an element's place in its turn: what packs hold moves up after each.
template <class Out, int W, int turn, class Of, class... Packs>
KG_DEVICE Pack<Out, W> pack_in_turns(Of of, Packs... packs) {
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
