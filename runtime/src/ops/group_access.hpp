#pragma once

namespace kernelgen {

/// Begin and end of a group of collectives as separate calls, for bindings that cannot pass a function.
struct GroupAccess {
  static void begin();
  /// Throws the errors of group().
  static void end();
};

}  // namespace kernelgen
