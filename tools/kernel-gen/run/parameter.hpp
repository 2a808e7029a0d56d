#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernelgen/ops.hpp"

/// The parameters of `kernel-gen run` as users write them: NAME=VALUE.
namespace kernelgen::tool {

enum class ParameterKind : std::uint8_t {
  number,
  integer,
  integers,
  flag,
  dim,
  dims,
  shape,
  size,
  scale,
  dtype,
  dtype_or_none,
  text
};

struct CallParameter {
  std::string name;
  ParameterKind kind;
  std::optional<std::string> fallback;  ///< as a user would write it; none: it has to be given
};

/// "one integer, or two: height,width"
std::string_view what_it_takes(ParameterKind kind);

/// "dims=0,1": a value that would be taken.
std::string example_of(const CallParameter& parameter);

/// The dtype of that name. Throws BadInput with `context` and the nearest name.
DType dtype_named(std::string_view name, std::string_view context);

/// The values of one call, each of its parameter's kind.
class ParameterValues {
 public:
  /// `given` are texts NAME=VALUE, each name once. Throws BadInput that names the operation, the parameter, what was
  /// given and what it takes.
  ParameterValues(std::string_view operation, std::span<const CallParameter> parameters,
                  std::span<const std::string> given);

  /// All take the name of a parameter that the operation has, of that kind.
  Scalar number(const std::string& name) const { return get<Scalar>(name); }
  std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  bool flag(const std::string& name) const { return get<bool>(name); }
  /// Nothing where all are meant.
  std::optional<std::int64_t> dim(const std::string& name) const;
  std::optional<std::vector<std::int64_t>> dims(const std::string& name) const;
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const { return dims(name); }
  Shape shape(const std::string& name) const { return Shape(get<std::vector<std::int64_t>>(name)); }
  Size2 size(const std::string& name) const { return get<Size2>(name); }
  Scale2 scale(const std::string& name) const { return get<Scale2>(name); }
  DType dtype(const std::string& name) const { return get<DType>(name); }
  std::optional<DType> dtype_or_none(const std::string& name) const {
    return get<std::optional<DType>>(name);
  }
  const std::string& text(const std::string& name) const { return get<std::string>(name); }

 private:
  struct All {};
  using Value = std::variant<All, Scalar, std::int64_t, bool, std::vector<std::int64_t>, Size2, Scale2, DType,
                             std::optional<DType>, std::string>;
  static Value parse(const CallParameter& parameter, std::string_view text, const std::string& context);
  template <class T>
  const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  std::map<std::string, Value> values_;
};

}  // namespace kernelgen::tool
