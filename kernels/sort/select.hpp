#pragma once
/// Selects the first k elements of long rows in order without sorting the rows. A row's k-th key is found
/// digit by digit: each pass counts the keys that share the digits found so far (Alabi et al., "Fast
/// k-selection algorithms for graphics processing units", JEA 2012). The elements before that key, and the
/// first of its equals up to k, are then collected in row order, for a stable sort.
#include "device/atomic.hpp"
#include "sort/radix.hpp"

namespace kg {
namespace detail {

/// What is known of a row's k-th key.
struct Sought {
  u64 prefix;  ///< its first digits
  u32 left;    ///< its rank among the keys with this prefix
};

/// The digit of T's keys that a pass examines.
template <class T>
struct SelectDigit {
  static constexpr u32 key_bits = 8 * sizeof(T), passes = select_passes(sizeof(T));
  u32 shift, bits;
  bool is_first;

  KG_DEVICE explicit SelectDigit(u32 pass) : is_first(pass == 0) {
    const u32 end = key_bits - pass * select_bits;
    bits = end < select_bits ? end : select_bits;
    shift = end - bits;
  }
  KG_DEVICE bool shares(OrderBits<T> key, u64 prefix) const {
    return is_first || static_cast<OrderBits<T>>(key >> (shift + bits)) == static_cast<OrderBits<T>>(prefix);
  }
  KG_DEVICE u32 of(OrderBits<T> key) const { return static_cast<u32>(key >> shift) & ((1u << bits) - 1); }
};

/// Adds to shared counters. Consecutive equal digits are added at once, because all keys may have the same
/// digit.
struct DigitHistogram {
  u32* count;
  u32 digit = 0, held = 0;

  KG_DEVICE explicit DigitHistogram(u32* count) : count(count) {}
  KG_DEVICE void add(u32 next) {
    if (held > 0 && next != digit) flush();
    digit = next;
    ++held;
  }
  KG_DEVICE void flush() {
    if (held > 0) histogram_add(&count[digit], held);
    held = 0;
  }
};

/// Counts, in shared memory, the keys of x[0, n) with the prefix and each digit. All threads of a block must
/// call this.
template <class T>
KG_DEVICE void count_digits(const T* x, u32 n, u32 order, const SelectDigit<T>& digit, u64 prefix,
                            u32* count) {
  for (u32 i = thread_index(); i < select_digits; i += block_size()) count[i] = 0;
  sync();
  constexpr u32 each = is_gpu ? radix_each(sizeof(T)) : 1;
  DigitHistogram counted(count);
  for (u64 begin = 0; begin < n; begin += each * block_size()) {
    T value[each];
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u64 i = begin + e * block_size() + thread_index();
      if (i < n) value[e] = x[i];
    }
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      if (begin + e * block_size() + thread_index() >= n) continue;
      const OrderBits<T> key = order_bits(value[e], order);
      if (digit.shares(key, prefix)) counted.add(digit.of(key));
    }
  }
  counted.flush();
  sync();
}

/// Extends the known prefix by the result of a count. All threads of a block must call this.
template <class T>
KG_DEVICE Sought next_sought(const u32* count, const Sought& sought, const SelectDigit<T>& digit) {
  KG_SHARED u32 found[2];
  const Group group(select_digits);
  const u32 each = select_digits / group.size, first = group.rank * each;
  const bool works = group.index == 0;
  u32 sum = 0;
  if (works)
    for (u32 i = first; i < first + each; ++i) sum += count[i];
  u32 before = prefix_sum(group, sum).before;
  if (works && before < sought.left && sought.left - before <= sum) {
    u32 i = first;
    for (; sought.left - before > count[i]; ++i) before += count[i];
    found[0] = i;
    found[1] = sought.left - before;
  }
  sync();
  const Sought next{sought.prefix << digit.bits | found[0], found[1]};
  sync();  // the next call writes `found` again
  return next;
}

/// The threads that scan a row together; their number is a power of two.
KG_DEVICE Group walkers() { return Group(block_threads); }

/// Number of elements before the sought key, and equal to it.
struct Chosen {
  u32 before, equal;
};

/// Counts them in x[0, n). All threads of a block must call this; each gets the result.
template <class T>
KG_DEVICE Chosen count_chosen(const T* x, u32 n, u32 order, OrderBits<T> sought) {
  constexpr u32 each = is_gpu ? radix_each(sizeof(T)) : 1;
  const Group group = walkers();
  Chosen chosen{0, 0};
  const u64 end = group.index == 0 ? n : 0;
  for (u64 begin = 0; begin < end; begin += each * group.size) {
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u64 i = begin + e * group.size + group.rank;
      if (i >= n) continue;
      const OrderBits<T> key = order_bits(x[i], order);
      chosen.before += key < sought;
      chosen.equal += key == sought;
    }
  }
  const auto add = [](u32 a, u32 b) KG_INLINE { return a + b; };
  return {group_reduce(group, chosen.before, add), group_reduce(group, chosen.equal, add)};
}

/// Destination of a row's k selected elements.
template <class T>
struct ChosenIndex {
  T* values;
  u32* indices;
  u32 k;
};

/// Stores the selected elements of x[0, n) in row order. `first` is the index in the row of x's first
/// element; `taken` counts those before it in the row. All threads of a block must call this.
template <class T>
KG_DEVICE void take_chosen(const T* x, u32 n, u32 first, u32 order, const Sought& sought, Chosen taken,
                           const ChosenIndex<T>& to) {
  constexpr u32 each = is_gpu ? radix_each(sizeof(T)) : 1;
  const Group group = walkers();
  const bool works = group.index == 0;
  const auto last = static_cast<OrderBits<T>>(sought.prefix);
  for (u64 begin = 0; begin < n; begin += each * group.size) {
    const u64 at = begin + group.rank * each;
    T value[each];
    u32 is_before = 0, is_equal = 0;
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      if (!works || at + e >= n) continue;
      value[e] = x[at + e];
      const OrderBits<T> key = order_bits(value[e], order);
      is_before |= static_cast<u32>(key < last) << e;
      is_equal |= static_cast<u32>(key == last) << e;
    }
    // Both counts share a word: an iteration covers fewer than 2^16 elements.
    static_assert(each * block_threads < 1u << 16, "two counts share a word");
    u32 own = 0;
    KG_UNROLL for (u32 e = 0; e < each; ++e) own += (is_before >> e & 1) | (is_equal >> e & 1) << 16;
    const Prefix<u32> prefix = prefix_sum(group, own);
    u32 next_before = taken.before + (prefix.before & 0xffff),
        next_equal = taken.equal + (prefix.before >> 16);
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const bool before = (is_before >> e & 1) != 0, equal = (is_equal >> e & 1) != 0;
      const u32 slot = before ? next_before : to.k - sought.left + next_equal;
      if (before || (equal && next_equal < sought.left)) {
        to.values[slot] = value[e];
        to.indices[slot] = first + static_cast<u32>(at) + e;
      }
      next_before += before;
      next_equal += equal;
    }
    taken.before += prefix.total & 0xffff;
    taken.equal += prefix.total >> 16;
  }
}

/// What is known of a row before pass `pass` of a search by many blocks. The block with the row's first part
/// stores the state for the next pass. counts[pass][row][digit], states[pass][row]. All threads of a block
/// must call this.
template <class T>
KG_DEVICE Sought shared_sought(const u32* counts, u64* states, u64 rows, const RowTile& part, u32 k,
                               u32 pass) {
  Sought sought{0, k};
  if (pass > 0) {
    const u64 last = (pass - 1) * rows + part.row;
    const u64* const state = states + last * select_state_words;
    sought = next_sought(counts + last * select_digits, Sought{state[0], static_cast<u32>(state[1])},
                         SelectDigit<T>(pass - 1));
  }
  if (part.number == 0 && thread_index() == 0) {
    u64* const state = states + (pass * rows + part.row) * select_state_words;
    state[0] = sought.prefix;
    state[1] = sought.left;
  }
  return sought;
}

}  // namespace detail

/// Stores values[i], indices[i] of each row for i < k, in row order. One block per row.
template <class T>
KG_DEVICE void select_rows(const T* x, T* values, u32* indices, u64 rows, u32 n, u32 k, u32 order) {
  KG_SHARED u32 count[select_digits];
  for_each_span(rows, 1, [&](u64 row, u64) KG_INLINE {
    const T* const from = x + row * n;
    detail::Sought sought{0, k};
    KG_NO_UNROLL for (u32 pass = 0; pass < select_passes(sizeof(T)); ++pass) {
      const detail::SelectDigit<T> digit(pass);
      detail::count_digits(from, n, order, digit, sought.prefix, count);
      sought = detail::next_sought(count, sought, digit);
    }
    detail::take_chosen(from, n, 0, order, sought, {0, 0},
                        detail::ChosenIndex<T>{values + row * k, indices + row * k, k});
  });
}

/// One pass of a search by many blocks: each block counts `part` elements of a row. `counts` must be zeroed.
template <class T>
KG_DEVICE void select_count(const T* x, u32* counts, u64* states, u64 rows, u32 n, u32 k, u32 part, u32 pass,
                            u32 order) {
  KG_SHARED u32 count[select_digits];
  detail::for_each_tile(rows, n, part, [&](const detail::RowTile& tile) KG_INLINE {
    const detail::Sought sought = detail::shared_sought<T>(counts, states, rows, tile, k, pass);
    detail::count_digits(x + tile.row * n + tile.first, tile.size, order, detail::SelectDigit<T>(pass),
                         sought.prefix, count);
    u32* const all = counts + (pass * rows + tile.row) * select_digits;
    for (u32 i = thread_index(); i < select_digits; i += block_size())
      if (count[i] > 0) atomic_add(all + i, count[i]);
    sync();
  });
}

/// After the last pass: stores the number of elements of each part before the sought key (chosen[row][part])
/// and equal to it (chosen[rows + row][part]).
template <class T>
KG_DEVICE void select_survey(const T* x, const u32* counts, u64* states, u32* chosen, u64 rows, u32 n, u32 k,
                             u32 part, u32 order) {
  const u32 parts = (n - 1) / part + 1;
  detail::for_each_tile(rows, n, part, [&](const detail::RowTile& tile) KG_INLINE {
    const detail::Sought sought =
        detail::shared_sought<T>(counts, states, rows, tile, k, select_passes(sizeof(T)));
    const detail::Chosen own = detail::count_chosen(x + tile.row * n + tile.first, tile.size, order,
                                                    static_cast<OrderBits<T>>(sought.prefix));
    if (thread_index() == 0) {
      chosen[tile.row * parts + tile.number] = own.before;
      chosen[(rows + tile.row) * parts + tile.number] = own.equal;
    }
  });
}

/// The last step: stores the selected elements in row order.
template <class T>
KG_DEVICE void select_take(const T* x, const u64* states, const u32* chosen, T* values, u32* indices,
                           u64 rows, u32 n, u32 k, u32 part, u32 order) {
  const u32 parts = (n - 1) / part + 1;
  detail::for_each_tile(rows, n, part, [&](const detail::RowTile& tile) KG_INLINE {
    const u64* const state = states + (select_passes(sizeof(T)) * rows + tile.row) * select_state_words;
    const detail::Sought sought{state[0], static_cast<u32>(state[1])};
    const u32* const before = chosen + tile.row * parts;
    const u32* const equal = chosen + (rows + tile.row) * parts;
    const Group group = detail::walkers();
    detail::Chosen taken{0, 0};
    if (group.index == 0)
      for (u32 i = group.rank; i < tile.number; i += group.size) {
        taken.before += before[i];
        taken.equal += equal[i];
      }
    const auto add = [](u32 a, u32 b) KG_INLINE { return a + b; };
    taken = {group_reduce(group, taken.before, add), group_reduce(group, taken.equal, add)};
    KG_SHARED u32 first_taken[2];
    sync();  // an earlier tile may still read it
    if (thread_index() == 0) {
      first_taken[0] = taken.before;
      first_taken[1] = taken.equal;
    }
    sync();
    taken = {first_taken[0], first_taken[1]};
    // Most parts have no selected elements.
    if (before[tile.number] == 0 && (equal[tile.number] == 0 || taken.equal >= sought.left)) return;
    detail::take_chosen(x + tile.row * n + tile.first, tile.size, tile.first, order, sought, taken,
                        detail::ChosenIndex<T>{values + tile.row * k, indices + tile.row * k, k});
  });
}

}  // namespace kg
