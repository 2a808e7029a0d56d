#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Files by their path from the repository's root.
using Sources = std::map<std::string, std::string>;

/// What differs between the table of layers in a page ("| layer | holds | builds on |") and the #includes of the
/// sources: files of no layer, includes of a layer that is not reached, arrows that no include needs, circles. Each
/// text names the place. Empty when the table is true.
std::vector<std::string> layer_faults(std::string_view page, const Sources& sources);
