#!/usr/bin/env python3
"""run_python.py PAGE: the page's sessions give what they show ("```pycon"), its programs run ("```python"), one after the
other in one interpreter. Exits with 77 where NumPy is not installed."""

import doctest
import importlib.util
import re
import sys

if importlib.util.find_spec("numpy") is None:
    print("skipped: no NumPy")
    sys.exit(77)

page = sys.argv[1]
with open(page, encoding="utf-8") as file:
    text = file.read()
names, ran, failed = {}, 0, 0
runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
for block in re.finditer(r"^```(pycon|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
    line = text.count("\n", 0, block.start()) + 1
    if block[1] == "python":
        try:
            exec(compile("\n" * line + block[2], page, "exec"), names)  # what the page is for
            ran += 1
        except ImportError as problem:
            if "torch" not in str(problem).lower():
                raise
            print(f"{page}:{line}: skipped: {problem}")
        continue
    test = doctest.DocTestParser().get_doctest(block[2], names, page, page, line)
    result = runner.run(test, clear_globs=False)
    names.update(test.globs)
    ran, failed = ran + result.attempted, failed + result.failed
print(f"{page}: {ran} ran, {failed} failed")
sys.exit(1 if failed or not ran else 0)
