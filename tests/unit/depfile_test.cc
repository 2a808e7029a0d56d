#include "build/depfile.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

using Paths = std::vector<std::filesystem::path>;

TEST(Depfile, IsReadAsCompilersWriteIt) {
  EXPECT_EQ(read_depfile("out.o: /s/a.hip \\\n  /k/map.hpp /k/x.hpp\n"),
            (Paths{"/s/a.hip", "/k/map.hpp", "/k/x.hpp"}));
  EXPECT_EQ(read_depfile("out.cubin : a.hip \\\n    /usr/include/x.h\n"),
            (Paths{"a.hip", "/usr/include/x.h"}));
  EXPECT_EQ(read_depfile("o: a\\ b $$c d\\#e f:g\n"), (Paths{"a b", "$c", "d#e", "f:g"}));
  EXPECT_TRUE(read_depfile("").empty());
}

TEST(Depfile, IsReadAsItIsWritten) {
  const Paths inputs = {"/a b/c.json", "$x", "#y", "plain"};
  EXPECT_EQ(read_depfile(write_depfile(Paths{"out 1", "out2"}, inputs)), inputs);
  EXPECT_EQ(write_depfile(Paths{"o"}, Paths{"a", "b c"}), "o: \\\n  a \\\n  b\\ c\n");
}

}  // namespace
}  // namespace kernelgen::tool
