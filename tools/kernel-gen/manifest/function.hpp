#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Adds a fault unless the object has a "doc" that can be copied into comments of C and C++.
void check_comment(const Node& node);

/// Adds faults where the library's functions of an operation, in C++ and in C, cannot be written from its entry alone:
/// they take tensors of one dtype, then numbers, and compute element by element.
void check_function(const Node& node, const OperationEntry& entry);

}  // namespace kernelgen::tool
