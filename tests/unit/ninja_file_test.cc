#include "build/ninja_file.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"

namespace kernelgen::tool {
namespace {

NinjaStep compile_step() {
  NinjaStep step;
  step.kind = NinjaStep::Kind::compile;
  step.outputs = {"/o/a b.o"};
  step.inputs = {"/s/c:d.hip"};
  step.tools = {"/usr/bin/clang"};
  step.variables = {"EXTRA=/x y:/z"};
  step.command = {"clang", "-DX=$1", "it's"};
  step.depfile = "/o/a b.o.d";
  step.description = "gfx90a a";
  return step;
}

TEST(NinjaFile, EscapesWhatNinjaAndTheShellReadAsSomethingElse) {
  const std::string text = write_ninja({compile_step()});
  EXPECT_NE(text.find("\nbuild /o/a$ b.o: compile /s/c$:d.hip | /usr/bin/clang\n"
                      "  run = EXTRA='/x y:/z' clang '-DX=$$1' 'it'\\''s'\n"
                      "  what = gfx90a a\n"
                      "  depfile = /o/a b.o.d\n"),
            std::string::npos)
      << text;
}

TEST(NinjaFile, RefusesLineEnds) {
  NinjaStep step = compile_step();
  step.inputs = {"/s/two\nlines"};
  EXPECT_THROW(write_ninja({step}), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
