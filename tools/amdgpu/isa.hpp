#pragma once
#include <string>

namespace kernelgen::amdgpu {

/// What differs between GPUs (AMDGPUUsage, "Processors" and "Initial Kernel Execution State").
struct Isa {
  std::string processor;
  unsigned major = 9, minor = 0, stepping = 0;

  bool is_gfx90a() const { return major == 9 && minor == 0 && stepping == 10; }
  bool is_gfx940() const { return major == 9 && minor >= 4; }
  bool packed_work_item_ids() const { return major >= 11 || is_gfx90a() || is_gfx940(); }
  bool architected_flat_scratch() const { return major >= 11 || is_gfx940(); }
  bool work_group_ids_in_ttmp() const { return major >= 12; }
  bool zeroes_high_half() const { return major <= 9; }  ///< a 16-bit result fills the register
  unsigned lds_banks() const { return major == 9 && minor == 5 ? 64 : 32; }
  bool cmpx_writes_exec_only() const { return major >= 10; }
};

}  // namespace kernelgen::amdgpu
