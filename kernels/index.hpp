#pragma once
/// Operations by index.
#include "gather.hpp"
#include "scatter.hpp"
#include "scatter_narrow.hpp"
