#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// The operations of one input and no scalar, by name: all of them, and those that take integers too.
std::span<const std::string_view> unary_operations();
bool takes_integers(std::string_view operation);

/// exp, log, … element by element. abs, neg, sqr, sign, relu, step, ceil, floor, round, trunc are exact; the others are
/// computed with at least 11 bits more than the dtype has, and rounded once.
Elements unary(std::string_view operation, const Elements& x);

/// One of those in double, unrounded: within 2^-43 of the exact result for x that is a float.
double (*function_in_double(std::string_view operation))(double);

/// x^e, as C's pow: pow(x, 0) is 1 for NaN too. `e` holds one element of x's dtype.
Elements powf(const Elements& x, const Elements& e);
/// x where x > 0, else alpha · expm1(x).
Elements elu(const Elements& x, const Elements& alpha);

/// x where x > 0, else slope · x.
Elements leaky_relu(const Elements& x, const Elements& slope);
/// min(max(x, low), high); NaN stays.
Elements clamp(const Elements& x, const Elements& low, const Elements& high);

/// f(a) · b for an activation f: "relu", "silu", "gelu", "gelu_erf" or "gelu_quick". `in_steps`: f(a) is first rounded to what is computed in, and 0 where
/// f goes to zero and is no more than its error may be.
Elements gate(std::string_view operation, const Elements& a, const Elements& b, bool in_steps);

}  // namespace kernelgen::reference
