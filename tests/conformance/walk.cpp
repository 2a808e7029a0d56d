#include "walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <exception>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/strided.hpp"
#include "report.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;
using reference::gather;
using reference::repeated;

/// The view that a result is written to, in the middle of a larger storage; the start is aligned differently
/// from call to call.
View guarded_view(const Shape& shape, std::uint64_t call) {
  View view = make_offset_view(shape, 64 + static_cast<std::int64_t>(call % 4));
  view.storage += 67;
  return view;
}

}  // namespace

Tensor upload(const Elements& storage) {
  return Tensor::from_host(device(), storage.bytes(), {storage.count()}, storage.dtype());
}

Elements download(const Tensor& tensor) { return {tensor.dtype(), tensor.to_host()}; }

Elements poison(DType dtype, std::int64_t count) {
  Elements result(dtype, count);
  std::ranges::fill(result.bytes(), std::byte{0xa5});
  return result;
}

Subject called_by_name(std::string operation, std::vector<DType> inputs, DType output,
                       std::vector<Scalar> scalars) {
  Subject subject;
  subject.bound = bound_of(operation, output);
  subject.run = [operation, scalars = std::move(scalars)](std::span<const Tensor> tensors,
                                                          const CallOptions& options) {
    return call(operation, tensors, scalars, options);
  };
  subject.operation = std::move(operation);
  subject.inputs = std::move(inputs);
  subject.output = output;
  return subject;
}

Walk::Walk(Subject subject) : subject_(std::move(subject)) {}

const Elements& Walk::pool_of(std::size_t input) const {
  return subject_.pools.empty() ? pool(subject_.inputs[input]) : subject_.pools[input];
}

void Walk::everything() {
  values();
  layouts();
  in_place();
}

void Walk::layouts() {
  std::size_t number = 0;
  for (const LayoutCase& layouts : layout_cases(subject_.inputs.size()))
    check_pooled(layouts, number++ % 16 == 0 ? Output::fresh : Output::guarded);
}

void Walk::values() {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < subject_.inputs.size(); ++i) longest = std::max(longest, pool_of(i).count());
  const LayoutCase whole{"all values", std::vector(subject_.inputs.size(), make_offset_view({longest}, 0))};
  if (subject_.inputs.size() == 1) return check_pooled(whole, Output::guarded);
  for (int round = 0; round < 4; ++round) check_pooled(whole, Output::guarded);

  const auto values_of = [](DType dtype) {
    return size_of(dtype) == 1 ? reference::all_patterns(dtype) : specials(dtype);
  };
  LayoutCase pairs{"each special with each", {}};
  std::vector<Elements> storages;
  for (std::size_t i = 0; i < subject_.inputs.size(); ++i) {
    storages.push_back(values_of(subject_.inputs[i]));
    const std::int64_t count = storages.back().count();
    Shape shape;
    shape.push_back(i == 0 ? count : 1);
    shape.push_back(i == 1 ? count : 1);
    if (i == 2) shape.insert(0, count);
    pairs.views.push_back(make_offset_view(shape, 0));
  }
  check(pairs, std::move(storages), Output::guarded);
}

void Walk::tiles() {
  const std::vector<LayoutCase>& cases = tiled_cases(subject_.inputs.size());
  for (std::size_t number = 0; number < cases.size(); ++number)
    check_pooled(cases[number], number % 16 == 0 ? Output::fresh : Output::guarded);
  if (subject_.inputs.size() != 2 || subject_.inputs[0] != subject_.output) return;
  for (const Shape& shape : {Shape{63, 65}, Shape{2, 16, 129}}) {
    const View turned = make_view(Kind::transposed, shape), beside = make_offset_view(shape, 3);
    check_pooled({"tiles, in place on input 1", {turned, beside}}, Output::in_place, 1);
    check_pooled({"tiles, in place on input 0", {beside, turned}}, Output::in_place, 0);
  }
}

void Walk::beyond_caches() {
  constexpr std::int64_t bytes = 17 << 20;
  constexpr std::int64_t columns = 5003;
  const std::int64_t count = bytes / static_cast<std::int64_t>(size_of(subject_.output));
  const std::size_t inputs = subject_.inputs.size();
  check_pooled({"larger than caches", std::vector(inputs, make_offset_view({count}, 0))}, Output::fresh);
  check_pooled({"larger than caches, offset", std::vector(inputs, make_offset_view({count}, 3))},
               Output::guarded);
  LayoutCase rows{"larger than caches, rows",
                  std::vector(inputs, make_view(Kind::sliced, {count / columns, columns}))};
  if (inputs > 1) rows.views.back() = make_view(Kind::numpy_row, {columns});
  check_pooled(rows, Output::guarded);
}

void Walk::in_place() {
  for (std::size_t input = 0; input < subject_.inputs.size(); ++input) {
    if (subject_.inputs[input] != subject_.output) continue;
    for (const LayoutCase& layouts : in_place_cases(subject_.inputs.size(), input))
      check_pooled(layouts, Output::in_place, input);
  }
}

void Walk::check_pooled(const LayoutCase& layouts, Output output, std::size_t in_place) {
  if (tired()) return;
  std::vector<Elements> storages;
  std::vector<std::int64_t> shifts;
  for (std::size_t i = 0; i < layouts.views.size(); ++i) {
    const Elements& values = pool_of(i);
    shifts.push_back(
        static_cast<std::int64_t>(random_bits(calls_ * 4 + i) % static_cast<std::uint64_t>(values.count())));
    storages.push_back(repeat(values, shifts[i], layouts.views[i].storage));
  }
  if (layouts.views.size() == 1) {
    compare(layouts, storages, pick_wanted(layouts.views[0], shifts[0]), output, in_place);
  } else {
    check(layouts, std::move(storages), output, in_place);
  }
}

Wanted Walk::pick_wanted(const View& view, std::int64_t shift) {
  if (!wanted_of_pool_) wanted_of_pool_ = subject_.reference({&pool_of(0), 1});
  const auto pick = [&](const Elements& of_pool) {
    return gather(repeat(of_pool, shift, view.storage), view.layout);
  };
  Wanted wanted{pick(wanted_of_pool_->values), {}};
  if (wanted_of_pool_->alternative) wanted.alternative = pick(*wanted_of_pool_->alternative);
  return wanted;
}

void Walk::check(const LayoutCase& layouts, std::vector<Elements> storages, Output output,
                 std::size_t in_place) {
  if (tired()) return;
  const Shape shape = result_shape(layouts.views);
  std::vector<Elements> inputs;
  for (std::size_t i = 0; i < storages.size(); ++i)
    inputs.push_back(gather(storages[i], repeated(layouts.views[i].layout, shape)));
  compare(layouts, storages, subject_.reference(inputs), output, in_place);
}

void Walk::compare(const LayoutCase& layouts, const std::vector<Elements>& storages, const Wanted& wanted,
                   Output output, std::size_t in_place) try {
  const std::uint64_t number = calls_++;
  const Shape shape = result_shape(layouts.views);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < storages.size(); ++i)
    tensors.push_back(upload(storages[i]).with_layout(layouts.views[i].layout));

  // What surrounds the result, before the call.
  Elements around;
  View view;
  Tensor out;
  if (output == Output::guarded) {
    view = guarded_view(shape, number);
    around = poison(subject_.output, view.storage);
    out = upload(around).with_layout(view.layout);
  } else if (output == Output::in_place) {
    view = layouts.views[in_place];
    around = storages[in_place];
    out = tensors[in_place];
  }
  const Tensor result = subject_.run(tensors, {.out = out ? &out : nullptr});
  const Report report{subject_.operation, subject_.scalars, layouts, storages, shape};
  if (result.dtype() != subject_.output || result.shape() != shape || !result.layout().is_contiguous())
    return fail(report.wrong_result(result));

  Elements got;
  if (output == Output::fresh) {
    got = download(result);
  } else {
    const Elements whole = download(out.with_layout(Layout::contiguous({view.storage})));
    got = reference::slice(whole, view.layout.offset, count_of(shape));
    std::ranges::copy(got.bytes(), around.at(view.layout.offset));
    if (around.bytes() != whole.bytes()) return fail(report.wrote_outside(around, whole, view.layout));
  }
  const auto value_of = [&](std::size_t input, std::int64_t i) {
    return reference::real_at(storages[input],
                              reference::position(repeated(layouts.views[input].layout, shape), i));
  };
  const auto scale_at = [&](std::int64_t i) {
    const Real x = value_of(0, i);
    Real factor = 1;
    for (std::size_t k = 1; k < storages.size(); ++k) factor *= std::abs(value_of(k, i));
    return Scale{x < -1 ? -x * factor : 0, storages.size() > 1 ? factor : 0};
  };
  const Mismatches mismatches = find_mismatches(subject_.bound, got, wanted, scale_at);
  if (mismatches.count > 0) fail(report.wrong_element(mismatches, got, wanted, subject_.bound));
} catch (const std::exception& error) {
  const Report report{subject_.operation, subject_.scalars, layouts, storages, result_shape(layouts.views)};
  fail(report.threw(error.what()));
}

void Walk::fail(const std::string& message) {
  ++failures_;
  ADD_FAILURE() << message << (tired() ? "further cases of this test are skipped\n" : "");
}

}  // namespace kernelgen::conformance
