#include "outstanding.hpp"

#include <algorithm>

namespace kernelgen::amdgpu {

using Group = Footprint::Group;

bool Outstanding::same_order(Group a, Group b) const {
  if (a == Group::scalar) return false;
  if (a == b) return true;
  const auto is_vector = [](Group g) { return g == Group::vector_load || g == Group::vector_store; };
  return shares_vector_counter_ && is_vector(a) && is_vector(b);
}

void Outstanding::mark(const Registers& registers) {
  for (unsigned i = registers.first; i < registers.first + 0u + registers.count; ++i)
    if (registers.scalar)
      scalars_.set(i);
    else
      vectors_.set(i);
}

bool Outstanding::is_marked(const Registers& registers) const {
  for (unsigned i = registers.first; i < registers.first + 0u + registers.count; ++i)
    if (registers.scalar ? scalars_.test(i) : vectors_.test(i)) return true;
  return false;
}

void Outstanding::mark_all() {
  vectors_.reset();
  scalars_.reset();
  for (const Operation& operation : operations_) mark(operation.loaded);
}

void Outstanding::issue(Operation operation) {
  // A counter has 6 bits: the GPU waits for the oldest before it issues one more.
  const auto of_its_order = [&](const Operation& o) { return same_order(operation.group, o.group); };
  if (std::ranges::count_if(operations_, of_its_order) == 63) {
    operations_.erase(std::ranges::find_if(operations_, of_its_order));
    mark_all();
  }
  mark(operation.loaded);
  operations_.push_back(std::move(operation));
}

void Outstanding::wait(const Footprint::Wait& wait) {
  if (operations_.empty()) return;
  const auto limit = [&](Group group) {
    switch (group) {
      case Group::vector_load:
        return wait.vector_load;
      case Group::vector_store:
        return wait.vector_store;
      case Group::lds:
        return wait.lds;
      default:
        return wait.scalar;
    }
  };
  // At most `limit` are outstanding after the wait, and with an operation all later ones of its order are.
  std::vector<Operation> left;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Group group = operations_[i].group;
    const auto later = std::ranges::count_if(operations_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                             operations_.end(), [&](const Operation& o) {
                                               // Flat accesses count as LDS's, once.
                                               if (group == Group::lds && o.instruction->footprint->is_flat)
                                                 return o.group != Group::lds;
                                               return same_order(group, o.group);
                                             });
    if (limit(group) > later) left.push_back(std::move(operations_[i]));
  }
  operations_ = std::move(left);
  mark_all();
}

const Outstanding::Operation* Outstanding::conflict(const Footprint& f) const {
  const auto reads = [&](const Registers& registers) {
    return std::any_of(f.reads.begin(), f.reads.begin() + f.read_count,
                       [&](const Registers& r) { return r.overlaps(registers); });
  };
  const auto writes = [&](const Registers& registers) {
    return std::any_of(f.writes.begin(), f.writes.begin() + f.write_count,
                       [&](const Registers& r) { return r.overlaps(registers); });
  };
  if (operations_.empty()) return nullptr;
  const bool touched = std::any_of(f.reads.begin(), f.reads.begin() + f.read_count,
                                   [&](const Registers& r) { return is_marked(r); }) ||
                       std::any_of(f.writes.begin(), f.writes.begin() + f.write_count,
                                   [&](const Registers& r) { return is_marked(r); });
  if (!touched) return nullptr;
  for (const Operation& operation : operations_) {
    if (reads(operation.loaded)) return &operation;
    if (writes(operation.loaded) && !same_order(operation.group, f.group)) return &operation;
  }
  return nullptr;
}

std::uint32_t Outstanding::complete_until(std::uint32_t now, bool of_lds) const {
  for (const Operation& operation : operations_)
    if (operation.group != Group::scalar && (operation.group == Group::lds) == of_lds) return operation.time;
  return now;
}

}  // namespace kernelgen::amdgpu
