#pragma once
/// Stable sorting of contiguous rows by one block: in a GPU's shared memory or by a CPU thread.
#include "device/order.hpp"
#include "engines/spans.hpp"
#include "plan/sort.hpp"
#include "sort/rank_rows_cpu.hpp"

namespace kg {
namespace detail {

/// A key and its index in the row, compared as one number, so that equal keys keep their order.
template <class Word, int IndexBits>
struct Entry {
  Word word;
  static KG_DEVICE Entry of(Word key, u32 index) { return {static_cast<Word>(key << IndexBits | index)}; }
  KG_DEVICE Word key() const { return word >> IndexBits; }
  KG_DEVICE u32 index() const { return static_cast<u32>(word & ((Word(1) << IndexBits) - 1)); }
  KG_DEVICE bool before(const Entry& other) const { return word < other.word; }
};

/// The same as two numbers, for 64-bit keys.
struct WideEntry {
  u64 bits, number;
  static KG_DEVICE WideEntry of(u64 key, u32 index) { return {key, index}; }
  KG_DEVICE u64 key() const { return bits; }
  KG_DEVICE u32 index() const { return static_cast<u32>(number); }
  KG_DEVICE bool before(const WideEntry& other) const {
    return bits < other.bits || (bits == other.bits && number < other.number);
  }
};

template <int Bytes>
KG_DEVICE auto entry() {
  if constexpr (Bytes == 8)
    return WideEntry{};
  else if constexpr (Bytes <= 2 && is_gpu)
    return Entry<u32, 16>{};  // a block's rows have at most 4096 elements
  else
    return Entry<u64, 32>{};
}
template <class T>
using EntryOf = decltype(entry<sizeof(T)>());

/// Swaps the two entries unless they are ascending, or descending if `falls`.
template <class E>
KG_DEVICE void put_in_order(E& low, E& high, bool falls) {
  const E a = low, b = high;
  if (b.before(a) != falls) {
    low = b;
    high = a;
  }
}

/// Entries in shared memory, swizzled to avoid bank conflicts between threads that access consecutive entries
/// or every 2nd to 16th. Without it, the passes below, which do most of a network, are up to 8 times slower.
template <class E>
struct Spread {
  E* entries;
  KG_DEVICE E& operator[](u32 i) const { return entries[i ^ ((i >> 4) * 3 & 15)]; }
};

/// Runs of `1 << bits` entries each, whose first entries are `1 << (bits + gap)` apart. Index i is that of the runs without gaps.
template <class E>
struct Runs {
  Spread<E> entries;
  u32 bits, gap;
  KG_DEVICE E& operator[](u32 i) const {
    const u32 inside = i & ((1u << bits) - 1);
    return entries[((i - inside) << gap) + inside];
  }
};

/// Several steps of a bitonic network, with distances `step` << (Steps - 1) … `step`, as one pass: a thread
/// processes the entries that these steps connect, which it gets from load(index). Bit `run_bit` of an entry's index selects descending
/// order.
template <int Steps, class Entries, class Load>
KG_DEVICE void bitonic_pass(const Entries& entries, u32 count, u32 run_bit, u32 step, Load load) {
  constexpr u32 each = 1u << Steps;
  sync();
  for (u32 group = thread_index(); group < count / each; group += block_size()) {
    const u32 inside = group & (step - 1), first = (group - inside) * each + inside;
    const bool falls = (first & run_bit) != 0;
    decltype(load(0u)) entry[each];
    KG_UNROLL for (u32 i = 0; i < each; ++i) entry[i] = load(first + i * step);
    KG_UNROLL for (u32 span = each / 2; span > 0; span /= 2) {
      KG_UNROLL for (u32 i = 0; i < each; ++i) if ((i & span) == 0)
          put_in_order(entry[i], entry[i + span], falls);
    }
    KG_UNROLL for (u32 i = 0; i < each; ++i) entries[first + i * step] = entry[i];
  }
}

/// The last `steps` steps of a network, with distances 1 << (steps - 1) … 1. The first pass gets its entries from load(index).
template <class Entries, class Load>
KG_DEVICE void bitonic_steps(const Entries& entries, u32 count, u32 run_bit, u32 steps, Load load) {
  u32 step = 1u << steps;
  if (steps % 3 == 1) bitonic_pass<1>(entries, count, run_bit, step /= 2, load);
  if (steps % 3 == 2) bitonic_pass<2>(entries, count, run_bit, step /= 4, load);
  if (steps % 3 == 0) bitonic_pass<3>(entries, count, run_bit, step /= 8, load);
  while (step > 1)
    bitonic_pass<3>(entries, count, run_bit, step /= 8, [&](u32 i) KG_INLINE { return entries[i]; });
}

/// The steps of runs of 2, 4 … `each`, all in one pass.
template <u32 each, class E>
KG_DEVICE void sort_neighbours(Spread<E> entries, u32 count, u32 length) {
  sync();
  for (u32 group = thread_index(); group < count / each; group += block_size()) {
    E entry[each];
    KG_UNROLL for (u32 i = 0; i < each; ++i) entry[i] = entries[group * each + i];
    KG_UNROLL for (u32 run = 2; run <= each; run *= 2) {
      KG_UNROLL for (u32 span = run / 2; span > 0; span /= 2) {
        KG_UNROLL for (u32 i = 0; i < each; ++i) if ((i & span) == 0)
            put_in_order(entry[i], entry[i + span], ((group * each + i) & run & (length - 1)) != 0);
      }
    }
    KG_UNROLL for (u32 i = 0; i < each; ++i) entries[group * each + i] = entry[i];
  }
}

/// Sorts each row of `length` entries, a power of two, of entries[0, count). Batcher, "Sorting networks and
/// their applications", AFIPS 1968. If only the first `kept` are wanted, only those are sorted: of two runs of as many, the lesser ones
/// of opposite entries are merged into one. Shanbhag et al., "Efficient top-k query processing on GPUs", SIGMOD 2018.
template <class E>
KG_DEVICE void bitonic_sort(Spread<E> entries, u32 count, u32 length, u32 kept) {
  if (length >= 8)
    sort_neighbours<8>(entries, count, length);
  else if (length == 4)
    sort_neighbours<4>(entries, count, length);
  else if (length == 2)
    sort_neighbours<2>(entries, count, length);
  u32 steps = 4;  // of the next runs
  for (; 1u << steps <= length && 1u << (steps - 1) < kept; ++steps)
    bitonic_steps(entries, count, 1u << steps & (length - 1), steps,
                  [&](u32 i) KG_INLINE { return entries[i]; });
  const u32 bits = steps - 1, run = 1u << bits;
  for (u32 gap = 0; run << gap < length; ++gap) {
    const Runs<E> runs{entries, bits, gap}, merged{entries, bits, gap + 1};
    const auto lesser = [&](u32 i) KG_INLINE {
      const u32 low = i + (i & ~(run - 1));
      const E a = runs[low], b = runs[low + run];
      return b.before(a) ? b : a;
    };
    bitonic_steps(merged, count >> (gap + 1), run & ((length >> (gap + 1)) - 1), bits, lesser);
  }
  sync();
}

/// Calls put(index in the row, rank) for each element. Comparing all pairs has no unpredictable branches and
/// vectorizes; it is fastest for short rows.
template <class T, class Put>
KG_DEVICE void rank_elements(const T* x, u32 n, u32 order, Put put) {
  using K = OrderBits<T>;
  constexpr u32 lanes = 32 / sizeof(K);
  K keys[ranked_row_limit(sizeof(T)) + lanes];
  for (u32 i = 0; i < n; ++i) keys[i] = order_bits(x[i], order);
  for (u32 first = 0; first < n; first += lanes) {
    const u32 count = n - first < lanes ? n - first : lanes;
    for (u32 i = n; i < first + lanes; ++i) keys[i] = 0;
    K own[lanes], rank[lanes];
    for (u32 i = 0; i < lanes; ++i) {
      own[i] = keys[first + i];
      rank[i] = 0;
    }
    // An equal key counts if its index is smaller.
    for (u32 k = 0; k < first; ++k)
      for (u32 i = 0; i < lanes; ++i) rank[i] = static_cast<K>(rank[i] + (keys[k] <= own[i]));
    for (u32 k = 0; k < count; ++k)
      for (u32 i = 0; i < lanes; ++i)
        rank[i] = static_cast<K>(rank[i] + (own[k] < own[i]) + ((own[k] == own[i]) & (k < i)));
    for (u32 k = first + lanes; k < n; ++k)
      for (u32 i = 0; i < lanes; ++i) rank[i] = static_cast<K>(rank[i] + (keys[k] < own[i]));
    for (u32 i = 0; i < count; ++i) put(first + i, static_cast<u32>(rank[i]));
  }
}

/// Radix sort of make(0) … make(n - 1), which may read `entries`, least significant digit first; digits
/// shared by all keys are skipped. Returns the result: `entries` or `spare`, both of n entries.
template <class T, class E, class Make>
KG_DEVICE E* radix_sort(E* entries, E* spare, u32 n, Make make) {
  u32 count[sizeof(T)][digits] = {};
  for (u32 i = 0; i < n; ++i) {
    entries[i] = make(i);
    const auto key = entries[i].key();
    for (u32 k = 0; k < sizeof(T); ++k) ++count[k][key >> k * digit_bits & (digits - 1)];
  }
  for (u32 k = 0; k < sizeof(T); ++k) {
    const auto digit = [=](const E& entry) KG_INLINE {
      return static_cast<u32>(entry.key() >> k * digit_bits & (digits - 1));
    };
    if (count[k][digit(entries[0])] == n) continue;
    u32 before = 0;
    for (u32& each : count[k]) {
      const u32 own = each;
      each = before;
      before += own;
    }
    for (u32 i = 0; i < n; ++i) spare[count[k][digit(entries[i])]++] = entries[i];
    E* const sorted = spare;
    spare = entries;
    entries = sorted;
  }
  return entries;
}

/// The first `kept` elements of a row in order, by insertion; for small `kept`.
template <class T, class E>
KG_DEVICE void insert_entries(const T* x, E* entries, u32 n, u32 kept, u32 order) {
  const auto insert = [=](u32 held, const E& entry) KG_INLINE {
    u32 to = held;
    for (; to > 0 && entry.before(entries[to - 1]); --to) entries[to] = entries[to - 1];
    entries[to] = entry;
  };
  for (u32 i = 0; i < kept; ++i) insert(i, E::of(order_bits(x[i], order), i));
  constexpr u32 run = 64;
  for (u32 first = kept; first < n; first += run) {
    const u32 end = n - first < run ? n : first + run;
    auto last = static_cast<OrderBits<T>>(entries[kept - 1].key());
    bool any = false;
    for (u32 i = first; i < end; ++i) any |= order_bits(x[i], order) < last;
    for (u32 i = first; any && i < end; ++i) {
      const OrderBits<T> key = order_bits(x[i], order);
      if (key >= last) continue;
      insert(kept - 1, E::of(key, i));
      last = static_cast<OrderBits<T>>(entries[kept - 1].key());
    }
  }
}

/// The first `kept` elements of a row in order. `entries` and `spare` hold `room` entries each. If that is
/// less than the row, an element that precedes the last kept one is appended, and all entries are sorted when
/// there is no more room: rare unless the row is in reverse order. Returns the result, `entries` or `spare`.
template <class T, class E>
KG_DEVICE E* best_entries(const T* x, E* entries, E* spare, u32 n, u32 kept, u32 room, u32 order) {
  constexpr u32 few = 32;
  if (kept <= few) {
    insert_entries(x, entries, n, kept, order);
    return entries;
  }
  E* sorted =
      radix_sort<T>(entries, spare, room, [=](u32 i) KG_INLINE { return E::of(order_bits(x[i], order), i); });
  u32 held = kept;
  const auto sort_held = [&]() KG_INLINE {
    E* const other = sorted == entries ? spare : entries;
    sorted = radix_sort<T>(sorted, other, held, [=, from = sorted](u32 i) KG_INLINE { return from[i]; });
    held = kept;
  };
  constexpr u32 run = 64;
  for (u32 first = room; first < n;) {
    const u32 count = n - first < run ? n - first : run;
    const OrderBits<T> last = static_cast<OrderBits<T>>(sorted[kept - 1].key());
    bool any = false;
    for (u32 i = 0; i < count; ++i) any |= order_bits(x[first + i], order) < last;
    for (u32 i = 0; any && i < count; ++i) {
      const OrderBits<T> key = order_bits(x[first + i], order);
      if (key >= last) continue;
      if (held == room) sort_held();
      sorted[held++] = E::of(key, first + i);
    }
    first += count;
  }
  if (held > kept) sort_held();
  return sorted;
}

}  // namespace detail

/// Sorts each row and stores the first `kept`: indices[i] is the index in the row of the i-th element, or
/// `came_from` of it if not null; values[i], if not null, is the element. A GPU block sorts `rows_each` rows
/// at a time, which must fit block_row_limit elements when each is padded to a power of two. On a CPU, if n >
/// ranked_row_limit(…), each block needs twice entry_room(…) entries in `workspace`.
template <class T>
KG_DEVICE void sort_rows(const T* x, const u32* came_from, u32* indices, T* values, u64* workspace, u64 rows,
                         u32 n, u32 kept, u32 rows_each, u32 order) {
  using E = detail::EntryOf<T>;
  static_assert(is_gpu || sizeof(E) == entry_bytes(sizeof(T)),
                "the workspace is made for entries of that size");
  if constexpr (is_gpu) {
    constexpr u32 capacity = block_row_limit(sizeof(T));
    KG_SHARED E memory[capacity];
    const detail::Spread<E> entries{memory};
    u32 bits = 0;
    while (1u << bits < n) ++bits;
    const u32 length = 1u << bits;
    for_each_span(rows, rows_each, [&](u64 first, u64 count) KG_INLINE {
      const u32 slots = static_cast<u32>(count) * length;
      sync();  // the previous span's results may still be read
      for (u32 slot = thread_index(); slot < slots; slot += block_size()) {
        const u32 i = slot & (length - 1);
        const u64 row = (first + (slot >> bits)) * n;
        // Padding sorts after all elements because its index is larger.
        entries[slot] =
            E::of(i < n ? order_bits(x[row + i], order) : static_cast<OrderBits<T>>(~OrderBits<T>(0)), i);
      }
      detail::bitonic_sort(entries, slots, length, kept);
      for (u32 slot = thread_index(); slot < slots; slot += block_size()) {
        const u32 i = slot & (length - 1);
        if (i >= kept) continue;
        const u64 row = first + (slot >> bits), from = row * n + entries[slot].index();
        indices[row * kept + i] = came_from ? came_from[from] : entries[slot].index();
        if (values) values[row * kept + i] = x[from];
      }
    });
  } else if (n <= detail::ranked_together_limit<T>) {
    for_each_span(rows, detail::rows_together<T>, [&](u64 first, u64 count) KG_INLINE {
      const T* const from = x + first * n;
      detail::rank_rows(from, static_cast<u32>(count), n, order, [&](u32 row, u32 i, u32 rank) KG_INLINE {
        if (rank >= kept) return;
        const u64 to = (first + row) * kept + rank;
        indices[to] = came_from ? came_from[(first + row) * n + i] : i;
        if (values) values[to] = from[row * n + i];
      });
    });
  } else {
    const u32 room = static_cast<u32>(entry_room(n, kept));
    E* const own = reinterpret_cast<E*>(workspace) + static_cast<u64>(block_index()) * 2 * room;
    for_each_span(rows, 1, [&](u64 row, u64) KG_INLINE {
      const T* const from = x + row * n;
      u32* const to = indices + row * kept;
      if (n <= ranked_row_limit(sizeof(T))) {
        detail::rank_elements(from, n, order, [=](u32 index, u32 rank) KG_INLINE {
          if (rank < kept) to[rank] = index;
        });
      } else {
        const E* const sorted = detail::best_entries(from, own, own + room, n, kept, room, order);
        for (u32 i = 0; i < kept; ++i) to[i] = sorted[i].index();
      }
      if (values)
        for (u32 i = 0; i < kept; ++i) values[row * kept + i] = from[to[i]];
      if (came_from)
        for (u32 i = 0; i < kept; ++i) to[i] = came_from[row * n + to[i]];
    });
  }
}

}  // namespace kg
