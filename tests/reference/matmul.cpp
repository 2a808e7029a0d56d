#include "matmul.hpp"

#include <algorithm>

#include "strided.hpp"

namespace kernelgen::reference {
namespace {

std::vector<Real> reals(const Elements& storage, const Layout& layout) {
  const Elements elements = gather(storage, layout);
  std::vector<Real> values(static_cast<std::size_t>(elements.count()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = real_at(elements, static_cast<std::int64_t>(i));
  return values;
}

Shape joined(const Shape& batch, std::int64_t rows, std::int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

}  // namespace

MatrixProduct matmul(const Elements& a, const Layout& a_layout, const Elements& b, const Layout& b_layout) {
  const std::size_t a_rank = a_layout.rank(), b_rank = b_layout.rank();
  const std::int64_t m = a_layout.shape[a_rank - 2], k = a_layout.shape[a_rank - 1];
  const std::int64_t n = b_layout.shape[b_rank - 1];
  Shape batch;
  for (std::size_t d = std::max(a_rank, b_rank); d > 2; --d) {
    const std::int64_t p = d <= a_rank ? a_layout.shape[a_rank - d] : 1;
    const std::int64_t q = d <= b_rank ? b_layout.shape[b_rank - d] : 1;
    batch.push_back(p == 1 ? q : p);
  }
  const std::vector<Real> x = reals(a, repeated(a_layout, joined(batch, m, k)));
  const std::vector<Real> y = reals(b, repeated(b_layout, joined(batch, k, n)));
  MatrixProduct result{joined(batch, m, n), {}, {}};
  for (std::int64_t slice = 0; slice < count_of(batch); ++slice)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        Real sum = 0, magnitude = 0;
        for (std::int64_t t = 0; t < k; ++t) {
          const Real term = x[static_cast<std::size_t>((slice * m + i) * k + t)] *
                            y[static_cast<std::size_t>((slice * k + t) * n + j)];
          sum += term;
          magnitude += std::fabs(term);
        }
        result.values.push_back(sum);
        result.magnitudes.push_back(magnitude);
      }
  return result;
}

}  // namespace kernelgen::reference
