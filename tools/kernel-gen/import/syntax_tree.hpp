#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Calls `visit` for each outermost declaration of clang's syntax tree (-ast-dump=json) that `is_wanted` takes by its file, in
/// their order. Each location in it has its file and line, which clang writes only where they change. Trees with the standard
/// library are hundreds of megabytes, so that only the wanted parts are parsed.
void visit_syntax_tree(std::string_view text, const std::function<bool(std::string_view file)>& is_wanted,
                       const std::function<void(const Json& declaration)>& visit);

}  // namespace kernelgen::tool
