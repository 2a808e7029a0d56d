#pragma once
#include <cstddef>
#include <string_view>
#include <type_traits>

// Whether what we declare of a vendor's library is what its headers declare, for a caller: the same number of parameters,
// each in the same kind of register with the same size.

namespace kernelgen::test {

template <class T>
constexpr bool is_whole = std::is_integral_v<T> || std::is_enum_v<T>;
/// An address as CUDA's driver takes it.
template <class T>
constexpr bool is_device_address = std::is_same_v<T, unsigned long long>;

template <class T, class = void>
constexpr bool is_complete = false;
template <class T>
constexpr bool is_complete<T, decltype(void(sizeof(T)))> = true;

/// A parameter, or what one points to: ours, theirs.
template <class Our, class Their>
constexpr bool is_same_value() {
  using O = std::remove_cv_t<Our>;
  using T = std::remove_cv_t<Their>;
  if constexpr (std::is_pointer_v<O> && std::is_pointer_v<T>) {
    using P = std::remove_cv_t<std::remove_pointer_t<O>>;
    using Q = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_void_v<P> || std::is_void_v<Q> || std::is_function_v<Q>)
      return true;
    else if constexpr (!is_complete<Q>)
      return true;
    else
      return is_same_value<P, Q>();
  } else if constexpr (std::is_void_v<O> || std::is_void_v<T>) {
    return std::is_void_v<O> && std::is_void_v<T>;
  } else if constexpr (std::is_pointer_v<O>) {
    return is_device_address<T>;
  } else if constexpr (std::is_class_v<O> && std::is_class_v<T>) {
    return sizeof(O) == sizeof(T) && alignof(O) == alignof(T);
  } else if constexpr (is_whole<O> && is_whole<T>) {
    return sizeof(O) == sizeof(T);
  } else if constexpr (std::is_floating_point_v<O> && std::is_floating_point_v<T>) {
    return sizeof(O) == sizeof(T);
  } else {
    return false;
  }
}

template <class Our, class Their>
constexpr bool is_same_call = false;
template <class R, class... Our, class S, class... Their>
constexpr bool is_same_call<R(Our...), S(Their...)> = [] {
  if constexpr (sizeof...(Our) != sizeof...(Their))
    return false;
  else
    return is_same_value<R, S>() && (is_same_value<Our, Their>() && ...);
}();

/// With Their a function's type, whatever its exception specification.
template <class Our, class R, class... Their>
constexpr bool is_same_as(R (*)(Their...)) {
  return is_same_call<Our, R(Their...)>;
}

/// The number after the last bracket that is closed before one: of "((void*)0x01)" 1.
constexpr unsigned long number_in(std::string_view text) {
  const std::size_t begin = text.rfind(')', text.size() - 2) + 1;
  unsigned long number = 0;
  for (const char digit : text.substr(begin)) {
    if (digit == 'x') number = 0;
    if (digit >= '0' && digit <= '9') number = number * 10 + static_cast<unsigned long>(digit - '0');
  }
  return number;
}

}  // namespace kernelgen::test

/// `result name arguments` is how we declare the function of that name.
#define EXPECT_CALL(result, name, arguments)                         \
  static_assert(kernelgen::test::is_same_as<result arguments>(name), \
                #name " is declared otherwise in the library's headers")
/// A number of ours and the header's name for it.
#define EXPECT_NUMBER(our, their) \
  static_assert((our) == static_cast<std::remove_cv_t<decltype(our)>>(their), #our " is not " #their)
/// A macro of the header's that is a number made a pointer, "((void*)0x01)", by its text, as it is no constant.
#define EXPECT_MARKER(their, our) \
  static_assert(kernelgen::test::number_in(EXPECT_MARKER_TEXT(their)) == (our), #our " is not " #their)
#define EXPECT_MARKER_TEXT(macro) EXPECT_MARKER_QUOTED(macro)
#define EXPECT_MARKER_QUOTED(text) #text
