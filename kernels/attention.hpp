#pragma once
/// Attention, forward. Results are rounded once; what they mean is in engines/attention.hpp.
#include "engines/attention_brief.hpp"
#include "engines/attention_combine.hpp"
