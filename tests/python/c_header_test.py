#!/usr/bin/env python3
"""What bindings/c_header.py reads of a header, and that it refuses what it does not understand."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bindings"))

import c_header  # noqa: E402  from the folder above

HEADER = """\
#ifndef X_H
#define X_H
/* What the header is for.
 *
 * A second paragraph. */
#include <stdint.h>
#define KERNELGEN_LIMIT 3u

typedef struct kernelgen_thing kernelgen_thing; /* opaque */

/* Numbers. */
typedef enum kernelgen_kind {
  KERNELGEN_A = 0, /* the first */
  KERNELGEN_B,
  KERNELGEN_C = 7
} kernelgen_kind;

typedef struct kernelgen_pair {
  /* How far. */
  int64_t height, width;
  uint32_t grid[3]; /* in blocks */
} kernelgen_pair;
static inline kernelgen_pair kernelgen_pair_init(void) {
  kernelgen_pair pair = {1, -1, {0, 0, 0}};
  return pair;
}

/* ---- a banner ---- */

/* Does it. */
int kernelgen_do(const kernelgen_thing* const* things, size_t count,
                 void (*release)(void* context));
int kernelgen_do_again(void);

int kernelgen_silent(int a[2]);

#endif
"""


def read(text):
    with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
        file.write(text)
        file.flush()
        return c_header.read(file.name, "x.h")


class CHeaderTest(unittest.TestCase):
    def test_everything_is_read(self):
        header = read(HEADER)
        self.assertEqual(header.comment, "What the header is for.\n\nA second paragraph.")
        self.assertEqual(header.handles, ["kernelgen_thing"])
        self.assertEqual([(m.name, m.value) for m in header.macros], [("KERNELGEN_LIMIT", "3u")])
        kind, pair, do, again, silent = header.declarations
        self.assertEqual([(c.name, c.value, c.comment) for c in kind.constants],
                         [("KERNELGEN_A", "0", "the first"), ("KERNELGEN_B", "1", ""), ("KERNELGEN_C", "7", "")])
        self.assertEqual([(m.name, m.type, m.count, m.comment) for m in pair.members],
                         [("height", "int64_t", 0, "How far."), ("width", "int64_t", 0, "How far."),
                          ("grid", "uint32_t", 3, "in blocks")])
        self.assertEqual(pair.defaults, [1, -1, [0, 0, 0]])
        self.assertEqual([(p.name, p.type) for p in do.parameters],
                         [("things", "const kernelgen_thing* const*"), ("count", "size_t"),
                          ("release", "void (*)(void*)")])
        self.assertEqual(again.parameters, [])
        # A comment is of the group it begins, a banner of nothing.
        self.assertEqual([do.comment, again.comment, silent.comment], ["Does it.", "Does it.", ""])

    def test_what_is_in_no_known_form_is_refused(self):
        for strange in ("int kernelgen_x(void) { return 1; }", "union kernelgen_u { int a; };", "int a;",
                        "int kernelgen_x(int (*callback)(int));"):
            with self.subTest(strange), self.assertRaises(c_header.Unreadable):
                read(HEADER.replace("#endif", strange + "\n#endif"))

    def test_an_include_that_is_nowhere(self):
        with self.assertRaisesRegex(c_header.Unreadable, "kernelgen/kernelgen.h is in none of"):
            c_header.Interface([tempfile.gettempdir() + "/no_such_folder"])


if __name__ == "__main__":
    unittest.main()
