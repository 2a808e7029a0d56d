#include <nccl.h>

#include "collective_calls.hpp"
