// PTX: text of kernels and their parameters.
#include "code_object/code_object.hpp"
#include "seeds.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  return {
      ".version 8.0\n.target sm_80\n.address_size 64\n\n"
      ".visible .entry kernel(\n\t.param .u64 kernel_param_0,\n\t.param .f32 kernel_param_1,\n"
      "\t.param .align 8 .b8 kernel_param_2[104]\n)\n.maxntid 256, 1, 1\n{\n\t.reg .b32 %r<4>;\n\tret;\n}\n",
      ".version 7.0\n.target sm_75\n.visible .entry none()\n{\n\tret;\n}\n.func other(){ret;}\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    // What begins otherwise is another kind of code object.
    read_code_object(".version" + std::string(reinterpret_cast<const char*>(data), size));
  } catch (const BadCodeObject&) {
  }
  return 0;
}
