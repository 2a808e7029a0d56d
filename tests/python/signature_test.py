#!/usr/bin/env python3
"""What bindings/signature.py reads of a declaration, what C and `kernel-gen run` make of it, and what is refused."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bindings"))

import c_code  # noqa: E402  from the folder above
import run_code  # noqa: E402
from c_header import Unreadable  # noqa: E402
from signature import Signatures  # noqa: E402

CALL = """\
struct CallOptions {
  Stream stream = {};
  const Tensor* out = nullptr;
};
struct Both {
  Tensor first;  ///< of x's dtype
  Tensor x;      ///< u32
};
struct BothOptions {
  Stream stream = {};
  const Tensor *first = nullptr, *x = nullptr;
};
"""
HEADER = """\
#pragma once
#include "kernelgen/ops/other.hpp"

/// The family.
namespace kernelgen {

/// Options of scaled.
struct ScaledOptions {
  Stream stream = {};
  const Tensor* out = nullptr;
  /// Added to
  /// the logits.
  const Tensor* mask = nullptr;
};

/// One way. Throws Error(invalid_argument) for a dim out of range.
Tensor up(const Tensor& x, Axes dims,
          bool keep = false, const CallOptions& options = {});
Tensor down(const Tensor& x, Axes dims, bool keep = false, const CallOptions& options = {});
/// Two results.
Both both(const Tensor& x, const BothOptions& options = {});
/// A mask.
Tensor scaled(const Tensor& x, const ScaledOptions& options = {});

/// In place.
void fill(const Tensor& destination, const Scalar& value, const Stream& stream = {});

}  // namespace kernelgen
"""


def signatures(header):
    with tempfile.TemporaryDirectory() as folder:
        operations = pathlib.Path(folder) / "kernelgen/ops"
        operations.mkdir(parents=True)
        (operations.parent / "call.hpp").write_text(CALL, encoding="utf-8")
        (operations / "family.hpp").write_text(header, encoding="utf-8")
        return Signatures([folder])


class Reading(unittest.TestCase):
    def setUp(self):
        self.read = signatures(HEADER)
        self.family = self.read.families[0]

    def test_declarations(self):
        self.assertEqual((self.family.comment, self.family.includes), ("The family.", ["other"]))
        up, down = self.read.find("up"), self.read.find("down")
        self.assertEqual([(one.name, one.type, one.default) for one in up.parameters],
                         [("x", "const Tensor&", None), ("dims", "Axes", None), ("keep", "bool", "false")])
        self.assertEqual((up.shares, down.shares, down.comment), (False, True, up.comment))
        self.assertEqual([one.name for one in self.read.find("scaled").parameters], ["x", "mask"])
        self.assertTrue(self.read.find("fill").in_place)

    def test_c(self):
        header = c_code.header(self.family)
        self.assertIn("/* One way. Errors: KERNELGEN_INVALID_ARGUMENT for a dim out of range. */\n"
                      "kernelgen_status kernelgen_up(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,", header)
        self.assertIn("/* Two results. Results: `first`, of x's dtype; `x_result`, u32. */", header)
        self.assertIn("/* A mask. `mask`: Added to the logits. */", header)
        self.assertIn('#include "kernelgen/c/other.h"', header)
        definitions = c_code.definitions([self.family])
        self.assertIn('call_function(__func__, kernelgen::up, out, stream, result, Named{x, "x"}, '
                      'Numbers{dim_count,', " ".join(definitions.split()))
        self.assertIn(".out = call.out, .mask = mask});", definitions)

    def test_run(self):
        rows = run_code.rows(self.read)
        self.assertIn('.parameters = {{"dims", dims, "all"}, {"keep", flag, "false"}},', rows)
        self.assertIn('.inputs = {"x", "mask"},\n          .optional_inputs = 1,', rows)
        self.assertIn('.outputs = {"first", "x"},', rows)
        self.assertIn('.outputs = {"destination"},', rows)

    def test_refusals(self):
        for wrong, said in (("/// It.\nTensor f(const Tensor& x, std::string s, const CallOptions& options = {});",
                             "std::string s: no type that C has"),
                            ("/// It.\nTensor f(int);", "no parameter: int"), ("int f;", "in no form that is read"),
                            ("Tensor f(const Tensor& x, const CallOptions& options = {});", "f has no comment")):
            with self.assertRaisesRegex(Unreadable, said):
                c_code.header(signatures(f"namespace kernelgen {{\n\n{wrong}\n\n}}  // namespace kernelgen\n").families[0])
        with self.assertRaisesRegex(Unreadable, "no namespace kernelgen"):
            signatures("int x;\n")


if __name__ == "__main__":
    unittest.main()
