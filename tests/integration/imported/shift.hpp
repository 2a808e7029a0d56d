#pragma once

__device__ inline unsigned shifted(unsigned x, int by, bool up) { return up ? x << by : x >> by; }
