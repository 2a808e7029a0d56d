#include "inputs.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "environment.hpp"

namespace kernelgen::conformance {
namespace {

using reference::bits_at;
using reference::real_at;
using reference::visit;

constexpr std::int64_t wide_pool_size = 1 << 16;

void append(Elements& to, const Elements& from) {
  to.bytes().insert(to.bytes().end(), from.bytes().begin(), from.bytes().end());
}

Elements uniform(DType dtype, Real from, Real to, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = from + (to - from) * static_cast<Real>(random_bits(stream + i)) * 0x1p-64L;
  return reference::make_elements(dtype, values);
}

Elements shuffled(const Elements& elements, std::uint64_t stream) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(elements.count()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::ranges::shuffle(order, std::mt19937_64(random_bits(stream)));
  Elements result(elements.dtype(), elements.count());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(result.at(static_cast<std::int64_t>(i)), elements.at(order[i]), size_of(elements.dtype()));
  return result;
}

Elements make_specials(DType dtype) {
  std::vector<Real> values{0, 1, -1, 2, -2, 3, -3, 0.5L, -0.5L, 1.5L, 2.5L, -2.5L, 7, 100, -100};
  Elements result = visit(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (reference::is_integer_element<T>) {
      using Limits = std::numeric_limits<T>;
      for (const Real step : {0, 1, 2}) {
        values.push_back(static_cast<Real>(Limits::lowest()) + step);
        values.push_back(static_cast<Real>(Limits::max()) - step);
      }
    } else {
      values.insert(values.end(), {-0.0L, 0.1L, -10, 20, 88.7L, -88.7L, 1e4L, -1e5L, 1e9L, 3e38L, -3e38L});
      values.push_back(std::numeric_limits<Real>::infinity());
      values.push_back(-std::numeric_limits<Real>::infinity());
      values.push_back(std::numeric_limits<Real>::quiet_NaN());
    }
    return reference::make_elements(dtype, values);
  });
  if (!is_float(dtype)) return result;
  // The smallest subnormals, the border to the normal numbers, the largest finite values, by their bits.
  const std::uint64_t infinity =
      bits_at(reference::make_scalar(dtype, std::numeric_limits<Real>::infinity()), 0);
  const std::uint64_t one = bits_at(reference::make_scalar(dtype, 1), 0);
  const std::uint64_t two = bits_at(reference::make_scalar(dtype, 2), 0);
  const std::uint64_t smallest_normal = two - one;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(dtype) - 1);
  for (const std::uint64_t bits : {std::uint64_t{1}, std::uint64_t{2}, smallest_normal - 1, smallest_normal,
                                   smallest_normal + 1, infinity - 1}) {
    for (const std::uint64_t pattern : {bits, bits | sign}) {
      Elements element(dtype, 1);
      std::memcpy(element.at(0), &pattern, size_of(dtype));
      append(result, element);
    }
  }
  return result;
}

Elements make_pool(DType dtype) {
  const auto stream = static_cast<std::uint64_t>(dtype) << 32;
  if (size_of(dtype) <= 2) return shuffled(reference::all_patterns(dtype), stream);
  Elements result = specials(dtype);
  constexpr std::int64_t share = wide_pool_size / 8;
  for (const Real end : {1.0L, 8.0L, 100.0L, 1e5L}) {
    const Real start = dtype == DType::u32 ? 0 : -end;
    append(result, uniform(dtype, start, end, share, random_bits(stream + static_cast<std::uint64_t>(end))));
  }
  append(result, random_patterns(dtype, wide_pool_size - result.count(), stream));
  return shuffled(result, stream);
}

/// Each dtype's Elements, made when first asked for.
template <Elements (*Make)(DType)>
const Elements& cached(DType dtype) {
  static std::map<DType, Elements> made;
  const auto found = made.find(dtype);
  return found != made.end() ? found->second : made.emplace(dtype, Make(dtype)).first->second;
}

/// The values of `to` between which a cast has to choose (a sample for f32 and f64), in pairs of neighbours.
Elements landmarks(DType to) {
  if (size_of(to) == 1 || (size_of(to) == 2 && is_float(to))) return reference::all_patterns(to);
  if (!is_float(to)) return specials(to);
  Elements result = specials(to);
  append(result, random_patterns(to, 1 << 14, 77));
  append(result, uniform(to, -0x1p32L, 0x1p32L, 1 << 13, 78));
  append(result, uniform(to, -0x1p63L, 0x1p63L, 1 << 13, 79));
  return result;
}

/// The pattern after element i: the next larger magnitude of a float, the next integer.
Real value_after(const Elements& elements, std::int64_t i) {
  Elements next(elements.dtype(), 1);
  const std::uint64_t bits = bits_at(elements, i) + 1;
  std::memcpy(next.at(0), &bits, size_of(elements.dtype()));
  return real_at(next, 0);
}

}  // namespace

std::uint64_t random_bits(std::uint64_t stream) {
  // splitmix64 over the seed: any two streams are unrelated.
  std::uint64_t x = seed() * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

const Elements& specials(DType dtype) { return cached<make_specials>(dtype); }
const Elements& pool(DType dtype) { return cached<make_pool>(dtype); }

Elements random_patterns(DType dtype, std::int64_t count, std::uint64_t stream) {
  Elements result(dtype, count);
  const std::size_t size = size_of(dtype);
  std::uint64_t next = random_bits(stream);
  for (std::int64_t i = 0; i < count; ++i)
    // Blocks are longer than a number of bits.
    for (std::size_t first = 0; first < size; first += sizeof next) {
      const std::uint64_t bits = random_bits(next++);
      std::memcpy(result.at(i) + first, &bits, std::min(sizeof bits, size - first));
    }
  return result;
}

Elements rounding_boundaries(DType from, DType to) {
  const Elements marks = landmarks(to);
  std::vector<Real> points;
  for (std::int64_t i = 0; i < marks.count(); ++i) {
    const Real value = real_at(marks, i);
    if (!std::isfinite(value)) continue;
    const Real next = value_after(marks, i);
    points.push_back(value);
    if (std::isfinite(next)) points.push_back((value + next) / 2);
  }
  const Elements centers = reference::make_elements(from, points);
  Elements result(from, 3 * centers.count());
  for (std::int64_t i = 0; i < centers.count(); ++i) {
    for (const int step : {-1, 0, 1}) {
      const std::uint64_t bits = bits_at(centers, i) + static_cast<std::uint64_t>(step);
      std::memcpy(result.at(3 * i + step + 1), &bits, size_of(from));
    }
  }
  return result;
}

Elements repeat(const Elements& pool, std::int64_t shift, std::int64_t count) {
  Elements result(pool.dtype(), count);
  std::int64_t from = shift % pool.count();
  for (std::int64_t done = 0; done < count; from = 0) {
    const std::int64_t step = std::min(count - done, pool.count() - from);
    std::memcpy(result.at(done), pool.at(from), static_cast<std::size_t>(step) * size_of(pool.dtype()));
    done += step;
  }
  return result;
}

}  // namespace kernelgen::conformance
