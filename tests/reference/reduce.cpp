#include "reduce.hpp"

#include <algorithm>

#include "strided.hpp"

namespace kernelgen::reference {
namespace {

std::uint64_t integer_bits(const Elements& x, std::int64_t i) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(real_at(x, i)));
}

/// Sum, mean and product of integers, in 64 bits that wrap.
Elements integer_total(std::string_view operation, const Elements& x, std::span<const std::int64_t> members) {
  std::uint64_t sum = 0, product = 1;
  for (const std::int64_t i : members) {
    sum += integer_bits(x, i);
    product *= integer_bits(x, i);
  }
  const auto count = static_cast<std::int64_t>(members.size());
  auto value = static_cast<std::int64_t>(operation == "prod" ? product : sum);
  if (operation == "mean") value = count == 0 ? 0 : value / count;
  Elements result(x.dtype(), 1);
  std::memcpy(result.at(0), &value, size_of(x.dtype()));
  return result;
}

/// Whether b comes before a: NaN before every number, then by value.
bool comes_before(bool least, Real b, Real a) {
  if (std::isnan(a)) return false;
  return std::isnan(b) || (least ? b < a : b > a);
}

std::int64_t extreme(bool least, const Elements& x, std::span<const std::int64_t> members) {
  std::int64_t best = 0;
  for (std::size_t k = 1; k < members.size(); ++k)
    if (comes_before(least, real_at(x, members[k]), real_at(x, members[static_cast<std::size_t>(best)])))
      best = static_cast<std::int64_t>(k);
  return best;
}

Elements one(std::string_view operation, const Elements& x, std::span<const std::int64_t> members) {
  const auto nonzero = [&](std::int64_t i) { return real_at(x, i) != 0; };
  if (operation == "any") return make_scalar(DType::u8, std::ranges::any_of(members, nonzero) ? 1 : 0);
  if (operation == "all") return make_scalar(DType::u8, std::ranges::all_of(members, nonzero) ? 1 : 0);
  if (operation == "sum" || operation == "mean" || operation == "prod")
    return integer_total(operation, x, members);
  const std::int64_t best = extreme(operation == "min" || operation == "argmin", x, members);
  if (operation.starts_with("arg")) return make_scalar(DType::u32, static_cast<Real>(best));
  return slice(x, members[static_cast<std::size_t>(best)], 1);
}

}  // namespace

std::vector<std::vector<std::int64_t>> members(const Shape& shape, std::span<const std::int64_t> dims) {
  std::vector<bool> reduced(shape.size());
  for (const std::int64_t dim : dims)
    reduced[static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(shape.size()) : dim)] = true;
  std::int64_t results = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) results *= reduced[d] ? 1 : shape[d];
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(results));
  for (std::int64_t i = 0; i < count_of(shape); ++i) {
    std::int64_t rest = i, result = 0, pitch = 1;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      if (reduced[d]) continue;
      result += rest % shape[d] * pitch;
      pitch *= shape[d];
    }
    lists[static_cast<std::size_t>(result)].push_back(i);
  }
  return lists;
}

Total total(std::string_view operation, const Elements& x, std::span<const std::int64_t> members) {
  Total total{operation == "prod" ? Real{1} : Real{0}, 0};
  for (const std::int64_t i : members) {
    const Real term = real_at(x, i);
    total.value = operation == "prod" ? total.value * term : total.value + term;
    total.magnitudes += std::fabs(term);
  }
  if (operation == "mean") {
    total.value /= static_cast<Real>(members.size());
    total.magnitudes /= static_cast<Real>(members.size());
  }
  return total;
}

Elements reduce(std::string_view operation, const Elements& x,
                const std::vector<std::vector<std::int64_t>>& members) {
  std::vector<std::byte> bytes;
  DType dtype = DType::u8;
  for (const auto& list : members) {
    const Elements result = one(operation, x, list);
    dtype = result.dtype();
    bytes.insert(bytes.end(), result.bytes().begin(), result.bytes().end());
  }
  return {dtype, std::move(bytes)};
}

}  // namespace kernelgen::reference
