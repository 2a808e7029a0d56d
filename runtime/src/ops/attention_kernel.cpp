#include "ops/attention_kernel.hpp"

#include <optional>
#include <string>

#include "common/format.hpp"
#include "ops/operation.hpp"
#include "ops/traits.hpp"

namespace kernelgen {
namespace {

/// The mma kernel for rows of `width` elements, or nullopt if the target's is the slow fallback, which is recognized by its LDS:
/// it stages no keys there. On CUDA the launch sets the shared memory, and no target has the fallback.
std::optional<std::uint32_t> mma_kernel(const Device& device, unsigned width, bool has_rows64, DType type,
                                        DType key_type) {
  const Operation operation =
      Operation::builtin(device, key_type == type ? Builtin::attention_mma : Builtin::attention_mma_f8);
  const std::string form = formatted("w{}{}", width, has_rows64 ? "_rows64" : "");
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form(form));
  const DeviceState& state = state_of(device);
  if (state.kind() != DeviceKind::cuda &&
      state.kernels().resources(kernel).lds_bytes < kg::attention_min_panel_keys * width * size_of(type))
    return {};
  return kernel;
}

/// The kernel of form simt or small. Both take rows of any alignment.
std::uint32_t plain_kernel(const Device& device, std::string_view form, DType type, DType key_type) {
  const Operation operation =
      Operation::builtin(device, key_type == type ? Builtin::attention : Builtin::attention_f8);
  return operation.kernel({&type, 1}, operation.form(form));
}

/// Whether the mma kernel uses warpgroup instructions (sm_90), which need 16-bit elements in q and in the keys.
bool is_by_warpgroups(const Device& device, DType type, DType key_type) {
  if (key_type != type || size_of(type) != 2) return false;
  const auto mma = Operation::find(device, Builtin::attention_mma);
  return mma && mma->target() == "sm_90";
}

}  // namespace

AttentionKernel AttentionKernel::of(const Device& device, const kg::AttentionShape& call, DType type,
                                    DType key_type, bool allows_mma) {
  AttentionProblem problem{call, type, key_type, allows_mma, false};
  problem.by_warpgroups = is_by_warpgroups(device, type, key_type);
  const AttentionPlan plan = plan_attention(problem, traits_of(device));
  switch (plan.form) {
    case AttentionForm::simt:
      return {plain_kernel(device, "simt", type, key_type), plan, false};
    case AttentionForm::small:
      return {plain_kernel(device, "small", type, key_type), plan, false};
    default:
      if (const auto kernel = mma_kernel(device, problem.mma_width(), plan.has_rows64, type, key_type))
        return {*kernel, plan, problem.by_warpgroups};
      return of(device, call, type, key_type, false);
  }
}

}  // namespace kernelgen
