#pragma once
/// Attention by matrix instructions. Results are rounded once; what they mean is in engines/attention.hpp.
#include "engines/attention_tile.hpp"
