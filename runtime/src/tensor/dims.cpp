#include <algorithm>

#include "common/format.hpp"

#include "kernelgen/error.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen {

Dims::Dims(std::span<const std::int64_t> values) {
  if (values.size() > max_rank)
    throw Error(Code::invalid_argument,
                formatted("{} dims given; a tensor has at most {}", values.size(), max_rank));
  std::copy(values.begin(), values.end(), values_.begin());
  size_ = values.size();
}

void Dims::push_back(std::int64_t value) { insert(size_, value); }

void Dims::insert(std::size_t at, std::int64_t value) {
  if (size_ == max_rank)
    throw Error(
        Code::invalid_argument,
        formatted("a tensor has at most {} dims; shape {} has no room for one more", max_rank, to_string()));
  std::copy_backward(values_.begin() + at, values_.begin() + size_, values_.begin() + size_ + 1);
  values_[at] = value;
  ++size_;
}

void Dims::erase(std::size_t at) {
  std::copy(values_.begin() + at + 1, values_.begin() + size_, values_.begin() + at);
  --size_;
}

bool Dims::operator==(const Dims& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

std::string Dims::to_string() const { return formatted("[{}]", joined(begin(), end(), ", ")); }

}  // namespace kernelgen
