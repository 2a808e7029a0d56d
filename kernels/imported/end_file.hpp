// After an imported file.
#pragma pop_macro("__global__")
#pragma pop_macro("__launch_bounds__")
