#pragma once
/// Operations by index.
#include "index/gather.hpp"
#include "index/scatter.hpp"
#include "index/scatter_add_16bit.hpp"
