#include "cast.hpp"

#include <algorithm>

namespace kernelgen::reference {

Elements cast(const Elements& x, DType dtype) {
  Elements result(dtype, x.count());
  visit(x.dtype(), [&]<class S>(std::type_identity<S>) {
    visit(dtype, [&]<class D>(std::type_identity<D>) {
      std::ranges::transform(x.as<S>(), result.as<D>().begin(), [](S value) {
        if constexpr (is_integer_element<S>) {
          return from_integer<D>(value);
        } else {
          return from_real<D>(to_real(value));
        }
      });
    });
  });
  return result;
}

Elements where(const Elements& condition, const Elements& a, const Elements& b) {
  Elements result(a.dtype(), a.count());
  visit(condition.dtype(), [&]<class C>(std::type_identity<C>) {
    visit(a.dtype(), [&]<class T>(std::type_identity<T>) {
      if constexpr (is_integer_element<C>) {
        const auto c = condition.as<C>();
        for (std::size_t i = 0; i < c.size(); ++i)
          result.as<T>()[i] = c[i] != 0 ? a.as<T>()[i] : b.as<T>()[i];
      }
    });
  });
  return result;
}

}  // namespace kernelgen::reference
