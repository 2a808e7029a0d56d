#pragma once
/// Vector types of one to four elements, with HIP's operators.
#include "imported/keywords.hpp"

namespace kernelgen_import {

template <class T, int N, int Align>
struct Vector;
#define KG_VECTOR(N, first, ...)                                               \
  template <class T, int Align>                                                \
  struct alignas(Align) Vector<T, N, Align> {                                  \
    using value_type = T;                                                      \
    T __VA_ARGS__;                                                             \
    KG_BOTH constexpr T& operator[](int i) { return (&first)[i]; }             \
    KG_BOTH constexpr const T& operator[](int i) const { return (&first)[i]; } \
  };
KG_VECTOR(1, x, x)
KG_VECTOR(2, x, x, y)
KG_VECTOR(3, x, x, y, z)
KG_VECTOR(4, x, x, y, z, w)
#undef KG_VECTOR

#define KG_OPERATOR(op)                                                                   \
  template <class T, int N, int A>                                                        \
  KG_BOTH Vector<T, N, A>& operator op##=(Vector<T, N, A>& a, const Vector<T, N, A>& b) { \
    for (int i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] op b[i]);                      \
    return a;                                                                             \
  }                                                                                       \
  template <class T, int N, int A>                                                        \
  KG_BOTH Vector<T, N, A>& operator op##=(Vector<T, N, A>& a, T b) {                      \
    for (int i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] op b);                         \
    return a;                                                                             \
  }                                                                                       \
  template <class T, int N, int A>                                                        \
  KG_BOTH Vector<T, N, A> operator op(Vector<T, N, A> a, const Vector<T, N, A>& b) {      \
    return a op## = b;                                                                    \
  }                                                                                       \
  template <class T, int N, int A>                                                        \
  KG_BOTH Vector<T, N, A> operator op(Vector<T, N, A> a, T b) {                           \
    return a op## = b;                                                                    \
  }                                                                                       \
  template <class T, int N, int A>                                                        \
  KG_BOTH Vector<T, N, A> operator op(T a, const Vector<T, N, A>& b) {                    \
    Vector<T, N, A> all = b;                                                              \
    for (int i = 0; i < N; ++i) all[i] = static_cast<T>(a op b[i]);                       \
    return all;                                                                           \
  }
KG_OPERATOR(+)
KG_OPERATOR(-)
KG_OPERATOR(*)
KG_OPERATOR(/)
KG_OPERATOR(&)
KG_OPERATOR(|)
KG_OPERATOR(^)
#undef KG_OPERATOR
template <class T, int N, int A>
KG_BOTH Vector<T, N, A> operator-(Vector<T, N, A> a) {
  for (int i = 0; i < N; ++i) a[i] = static_cast<T>(-a[i]);
  return a;
}
template <class T, int N, int A>
KG_BOTH bool operator==(const Vector<T, N, A>& a, const Vector<T, N, A>& b) {
  bool same = true;
  for (int i = 0; i < N; ++i) same = same && a[i] == b[i];
  return same;
}
template <class T, int N, int A>
KG_BOTH bool operator!=(const Vector<T, N, A>& a, const Vector<T, N, A>& b) {
  return !(a == b);
}

}  // namespace kernelgen_import

#define KG_VECTORS(name, type)                                                                   \
  using name##1 = kernelgen_import::Vector<type, 1, sizeof(type)>;                               \
  using name##2 = kernelgen_import::Vector<type, 2, 2 * sizeof(type)>;                           \
  using name##3 = kernelgen_import::Vector<type, 3, sizeof(type)>;                               \
  using name##4 = kernelgen_import::Vector<type, 4, (sizeof(type) > 4 ? 16 : 4 * sizeof(type))>; \
  KG_BOTH constexpr name##1 make_##name##1(type x) { return {x}; }                               \
  KG_BOTH constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }                    \
  KG_BOTH constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }         \
  KG_BOTH constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
KG_VECTORS(char, signed char)
KG_VECTORS(uchar, unsigned char)
KG_VECTORS(short, short)
KG_VECTORS(ushort, unsigned short)
KG_VECTORS(int, int)
KG_VECTORS(uint, unsigned)
KG_VECTORS(long, long)
KG_VECTORS(ulong, unsigned long)
KG_VECTORS(longlong, long long)
KG_VECTORS(ulonglong, unsigned long long)
KG_VECTORS(float, float)
KG_VECTORS(double, double)
#undef KG_VECTORS
