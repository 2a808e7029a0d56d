#include <deque>
#include <string>

#include "float_math.hpp"

// VOPC: v_cmp and v_cmpx of all types. The unordered forms (nlt, u, ...) are true if an operand is NaN.
namespace kernelgen::amdgpu {
namespace {

/// Names live as long as the table.
std::string_view kept(std::string name) {
  static std::deque<std::string> names;
  return names.emplace_back(std::move(name));
}

void add_both(Opcodes& t, std::string_view relation, std::string_view type, const Opcode& opcode) {
  for (const std::string_view prefix : {"v_cmp_", "v_cmpx_"})
    t[kept(std::string(prefix) + std::string(relation) + "_" + std::string(type))] = opcode;
}

template <class T>
void add_ordered(Opcodes& t, std::string_view type) {
  add_both(t, "lt", type, lanes<[](T a, T b) { return a < b; }>());
  add_both(t, "eq", type, lanes<[](T a, T b) { return a == b; }>());
  add_both(t, "le", type, lanes<[](T a, T b) { return a <= b; }>());
  add_both(t, "gt", type, lanes<[](T a, T b) { return (a > b); }>());
  add_both(t, "ge", type, lanes<[](T a, T b) { return a >= b; }>());
  add_both(t, "f", type, lanes<[](T, T) { return false; }>());
}

template <class T>
void add_integers(Opcodes& t, std::string_view type) {
  add_ordered<T>(t, type);
  add_both(t, "ne", type, lanes<[](T a, T b) { return a != b; }>());
  add_both(t, "t", type, lanes<[](T, T) { return true; }>());
}

template <class T>
void add_floats(Opcodes& t, std::string_view type) {
  add_ordered<T>(t, type);
  add_both(t, "lg", type, lanes<[](T a, T b) { return (a < b || (a > b)); }>());
  add_both(t, "o", type, lanes<[](T a, T b) { return a == a && b == b; }>());
  add_both(t, "u", type, lanes<[](T a, T b) { return a != a || b != b; }>());
  add_both(t, "nge", type, lanes<[](T a, T b) { return !(a >= b); }>());
  add_both(t, "nlg", type, lanes<[](T a, T b) { return (!(a < b || (a > b))); }>());
  add_both(t, "ngt", type, lanes<[](T a, T b) { return (!(a > b)); }>());
  add_both(t, "nle", type, lanes<[](T a, T b) { return !(a <= b); }>());
  add_both(t, "neq", type, lanes<[](T a, T b) { return !(a == b); }>());
  add_both(t, "nlt", type, lanes<[](T a, T b) { return !(a < b); }>());
  add_both(t, "tru", type, lanes<[](T, T) { return true; }>());
  add_both(t, "t", type, lanes<[](T, T) { return true; }>());
}

}  // namespace

void add_compare(Opcodes& t) {
  add_integers<std::int16_t>(t, "i16");
  add_integers<std::uint16_t>(t, "u16");
  add_integers<std::int32_t>(t, "i32");
  add_integers<std::uint32_t>(t, "u32");
  add_integers<std::int64_t>(t, "i64");
  add_integers<std::uint64_t>(t, "u64");
  add_floats<Half>(t, "f16");
  add_floats<float>(t, "f32");
  add_floats<double>(t, "f64");
  add_both(t, "class", "f16",
           lanes<[](Half a, std::uint16_t classes) { return (class_of(a) & classes) != 0; }>());
  add_both(t, "class", "f32",
           lanes<[](float a, std::uint32_t classes) { return (class_of(a) & classes) != 0; }>());
  add_both(t, "class", "f64",
           lanes<[](double a, std::uint32_t classes) { return (class_of(a) & classes) != 0; }>());
}

}  // namespace kernelgen::amdgpu
