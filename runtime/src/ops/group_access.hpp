#pragma once

namespace kernelgen {

/// A group of collectives in two steps, for languages whose functions cannot be called from here.
struct GroupAccess {
  static void begin();
  /// Throws what group() does.
  static void end();
};

}  // namespace kernelgen
