#pragma once
/// Indices and sizes of grids with more than one dimension.
#include "device/dialect.hpp"

namespace kg {

#if defined(__HIP__)
KG_DEVICE u32 block_index_y() { return __builtin_amdgcn_workgroup_id_y(); }
KG_DEVICE u32 block_index_z() { return __builtin_amdgcn_workgroup_id_z(); }
KG_DEVICE u32 grid_size_y() { return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(); }
KG_DEVICE u32 grid_size_z() { return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z(); }
#elif defined(__CUDACC__)
KG_DEVICE u32 block_index_y() { return blockIdx.y; }
KG_DEVICE u32 block_index_z() { return blockIdx.z; }
KG_DEVICE u32 grid_size_y() { return gridDim.y; }
KG_DEVICE u32 grid_size_z() { return gridDim.z; }
#else
KG_DEVICE u32 block_index_y() { return current_block->index[1]; }
KG_DEVICE u32 block_index_z() { return current_block->index[2]; }
KG_DEVICE u32 grid_size_y() { return current_block->grid[1]; }
KG_DEVICE u32 grid_size_z() { return current_block->grid[2]; }
#endif

}  // namespace kg
