#pragma once

namespace kernelgen::tool {

/// The files of report/, put into the program by its build. The page has placeholders {{css}}, {{js}} and {{data}}.
extern const char* const report_html;
extern const char* const report_css;
extern const char* const report_js;

}  // namespace kernelgen::tool
