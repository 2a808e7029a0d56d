#pragma once
/// Building blocks of prefix sums: the accumulator type, parts of long lists, hierarchical sums.
#include "device/convert.hpp"
#include "plan/scan.hpp"

namespace kg {
namespace detail {

template <class T, bool Integer = is_integer<T>, bool Wide = sizeof(T) == 8>
struct ScanAccumulator {
  using type = widened<T>;
};
template <class T>
struct ScanAccumulator<T, true, false> {
  using type = u32;
};
template <class T>
struct ScanAccumulator<T, true, true> {
  using type = u64;
};

}  // namespace detail

/// The accumulator type of T: f32 for narrow floats; unsigned words, which wrap, for integers.
template <class T>
using scan_accumulator = typename detail::ScanAccumulator<T>::type;

template <class T>
KG_DEVICE scan_accumulator<T> term_of(T x) {
  static_assert(sizeof(scan_accumulator<T>) == scan_bytes(sizeof(T)), "plan/scan.hpp and the kernels differ");
  return static_cast<scan_accumulator<T>>(widen(x));
}

template <class T>
KG_DEVICE T rounded_sum(scan_accumulator<T> sum) {
  if constexpr (is_integer<T>)
    return static_cast<T>(sum);
  else
    return convert<T>(sum);
}

/// Lists of n lines, each divided into `parts` parts of `part` lines; the last may be shorter.
struct Parts {
  u64 n, part;
  u32 parts;
  KG_DEVICE Parts(u64 n, u64 part, u32 parts) : n(n), part(part), parts(parts) {}
};

/// One part of a list.
struct ListPart {
  u64 list, number;
  u64 first, count;  ///< of its lines

  /// Part `task` among the parts of all lists. Avoids the division, which is slow on GPUs, in the common case
  /// of one part per list.
  KG_DEVICE ListPart(const Parts& cut, u64 task)
      : list(cut.parts == 1 ? task : task / cut.parts),
        number(task - list * cut.parts),
        first(number * cut.part),
        count(cut.n - first < cut.part ? cut.n - first : cut.part) {}
};

/// Hierarchical running sums of adjacent columns: eight lines are summed, then eight such sums, then eight of
/// those. A sum of m terms passes through at most m / 512 additions plus about twenty.
template <class A, u32 Columns>
struct RunningSums {
  /// Sums of complete 512s of lines, of complete 64s since those, and of complete eights since those.
  A all[Columns], of_512[Columns], of_64[Columns];
  A local[Columns];  ///< of the lines since
  A base[Columns];   ///< of all lines before those
  u32 eights = 0;

  /// `before` is the sum of what precedes the first line.
  KG_DEVICE void begin(u32 c, A before) {
    all[c] = base[c] = before;
    of_512[c] = of_64[c] = local[c] = A(0);
  }
  /// The sum up to and including x, the next element of column c.
  KG_DEVICE A add(u32 c, A x) {
    local[c] += x;
    return base[c] + local[c];
  }
  /// Starts the next eight lines: call next_eight() once, then next_eight(c) for each column.
  KG_DEVICE void next_eight() { ++eights; }
  KG_DEVICE void next_eight(u32 c) {
    const bool ends_64 = eights % 8 == 0, ends_512 = eights % 64 == 0;
    of_64[c] += local[c];
    local[c] = A(0);
    of_512[c] += ends_64 ? of_64[c] : A(0);
    of_64[c] = ends_64 ? A(0) : of_64[c];
    all[c] += ends_512 ? of_512[c] : A(0);
    of_512[c] = ends_512 ? A(0) : of_512[c];
    base[c] = all[c] + (of_512[c] + of_64[c]);
  }
};

}  // namespace kg
