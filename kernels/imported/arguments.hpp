#pragma once
/// The way from a package's kernel to the imported one: arguments are bytes there, and have the file's types here.
#include "device/dialect.hpp"

namespace kg {

/// A struct passed by value, of which only the size and the alignment are known.
template <unsigned Size, unsigned Align>
struct alignas(Align) Bytes {
  unsigned char bytes[Size];
};

}  // namespace kg

namespace kernelgen_import {

/// An argument that becomes what a kernel's parameter is.
template <class From>
struct Argument {
  From value;
  template <class To>
  KG_DEVICE operator To() const {
    static_assert(sizeof(To) == sizeof(From), "a kernel's parameter has the size that was imported");
    return *reinterpret_cast<const To*>(&value);
  }
};
template <class From>
KG_DEVICE Argument<From> pass(const From& value) {
  return {value};
}

/// Runs a kernel as a thread of a GPU, or on a CPU as each thread of a block.
template <class Kernel>
KG_DEVICE void run(Kernel kernel) {
#if KG_GPU
  kernel();
#else
  Crew crew(threads_of_block(), [](void* each) { (*static_cast<Kernel*>(each))(); }, &kernel);
  current_crew = &crew;
  crew.run();
#endif
}

#ifdef KERNELGEN_IMPORT
/// What import asks the compiler of a parameter: its size, alignment, kind and, of a pointer, constness. Kinds are those of
/// tools/kernel-gen/import/layout.cpp.
enum Kind { other, floating, half_float, brain_float, is_signed, is_unsigned, void_type };
template <class T>
constexpr unsigned kind_of() {
  using U = __remove_cv(T);
  if constexpr (kg::same<U, void>)
    return void_type;
  else if constexpr (kg::same<U, _Float16> || kg::same<U, __half>)
    return half_float;
  else if constexpr (kg::same<U, __bf16> || kg::same<U, __hip_bfloat16>)
    return brain_float;
  else if constexpr (__is_floating_point(U))
    return floating;
  else if constexpr (__is_integral(U))
    return U(-1) < U(0) ? is_signed : is_unsigned;
  else
    return other;
}
template <class T>
struct Described {
  static constexpr unsigned size = sizeof(T), align = alignof(T), kind = kind_of<T>(), pointee = 0,
                            pointee_size = 0, is_const = 0;
};
template <class T>
constexpr unsigned pointee_size() {
  if constexpr (kg::same<__remove_cv(T), void>)
    return 1;
  else if constexpr (kind_of<T>() == other)
    return 0;
  else
    return sizeof(T);
}
template <class T>
struct Described<T*> {
  static constexpr unsigned size = 8, align = 8, kind = 16, pointee = kind_of<T>(),
                            pointee_size = kernelgen_import::pointee_size<T>(), is_const = __is_const(T);
};
template <class T>
struct Described<T* const> : Described<T*> {};
template <class T>
struct Described<T* __restrict> : Described<T*> {};
template <class T>
struct Described<T&> {
  static constexpr unsigned size = 0, align = 0, kind = 17, pointee = 0, pointee_size = 0, is_const = 0;
};
template <class F>
struct Layout;
template <class... A>
struct Layout<void (*)(A...)> {
  unsigned count = sizeof...(A);
  struct {
    unsigned size, align, kind, pointee, pointee_size, is_const;
  } parameters[sizeof...(A) + 1] = {{Described<A>::size, Described<A>::align, Described<A>::kind,
                                     Described<A>::pointee, Described<A>::pointee_size,
                                     Described<A>::is_const}...};
};
#endif

}  // namespace kernelgen_import
