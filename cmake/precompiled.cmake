# kernelgen_precompile(TARGET HEADER...): the standard headers that most files include, and HEADERs, are parsed once for TARGET
# and not for each of its files. Files include what they use all the same: `debug` and what inherits it build without.
function(kernelgen_precompile target)
  target_precompile_headers(
    ${target} PRIVATE <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
                      <string_view> <utility> <vector> ${ARGN})
endfunction()
