#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/package_format.h"
#include "package/package_view.hpp"
#include "source/launch_rule.hpp"

namespace kernelgen {

/// The rule of a KERNELGEN_OPERATION_BODY.
struct OperationRule {
  LaunchRule rule;
  std::vector<std::size_t>
      integers;  ///< the scalars that it can read, by their index: those of an integer dtype
};

/// `text` gives the package's string at an offset. Throws DimFault.
OperationRule read_rule(const kernelgen_operation_record& operation,
                        std::span<const kernelgen_operand_record> operands,
                        const std::function<std::string_view(std::uint32_t)>& text);

/// Why the operation's rule is none, or one that it must not have; empty where it is right. Its operands were checked.
std::string rule_objection(const kernelgen_operation_record& operation, const PackageView& view);

}  // namespace kernelgen
