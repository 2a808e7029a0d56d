#include "quantized_product.hpp"

#include <algorithm>
#include <cmath>

namespace kernelgen::reference {

Products quantized_products(std::span<const float> x, std::span<const float> w, std::int64_t n) {
  const auto length = static_cast<std::size_t>(n);
  Products products;
  for (std::size_t i = 0; i < x.size(); i += length)
    for (std::size_t j = 0; j < w.size(); j += length) {
      double sum = 0, magnitudes = 0, lost = 0;
      for (std::size_t block = 0; block < length; block += 32) {
        double largest = 0, weights = 0;
        for (std::size_t k = block; k < block + 32; ++k) {
          const double a = x[i + k], b = w[j + k];
          largest = std::max(largest, std::fabs(a));
          weights += std::fabs(b);
          sum += a * b;
          magnitudes += std::fabs(a * b);
        }
        lost += largest / 127 / 2 * weights;
      }
      products.value.push_back(sum);
      products.rounding.push_back(static_cast<double>(n) * 0x1p-24 * magnitudes);
      products.quantizing.push_back(lost);
    }
  return products;
}

}  // namespace kernelgen::reference
