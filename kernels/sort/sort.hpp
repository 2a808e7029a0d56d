#pragma once
/// Stable sorting of contiguous rows.
#include "sort/radix.hpp"
#include "sort/sort_rows.hpp"
