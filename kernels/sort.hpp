#pragma once
/// Stable sorting of contiguous rows.
#include "radix.hpp"
#include "sort_rows.hpp"
