#pragma once
/// Fills elements with one value.
#include "elementwise/map.hpp"

namespace kg {

template <class T>
struct Constant {
  T value;
  KG_DEVICE T operator()() const { return value; }
};

template <class T>
KG_DEVICE void fill(T* y, u64 n, T value) {
  map(Constant<T>{value}, y, n);
}

/// Fills only the elements of the view.
template <class T>
KG_DEVICE void fill(T* y, const Strided<1>& layout, T value) {
  map(Constant<T>{value}, y, layout);
}

}  // namespace kg
