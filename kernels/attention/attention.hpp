#pragma once
/// Attention, forward. Results are rounded once; attention/semantics.hpp defines them.
#include "attention/combine.hpp"
#include "attention/small.hpp"
