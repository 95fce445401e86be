"""Tests of how suite.py reads what the suite prints, and the list of skipped tests."""

import tempfile
import unittest
from pathlib import Path

import suite

PRINTED = """\
Testing unit/type/incr
[ready]: 4711
[testing]: INCR works
[ok]: INCR works (more or less) (12 ms)
[skip]: INCR of a list
[ignore]: Tag: slow denied
\x1b[1;31m[err]\x1b[0m: INCR counts in tests/unit/type/incr.tcl
Expected '1' to equal '2'
[ok]: INCR ends (0 ms)
"""
DONE = """\
[1/1 done]: unit/type/incr (1 seconds)

                   The End

*** [err]: INCR counts in tests/unit/type/incr.tcl
"""


class ReadLogTest(unittest.TestCase):
    def test_readLog_aFailure_isToldWithItsReason(self):
        result = suite.read_log("unit/type/incr", "plain", PRINTED + DONE)
        self.assertEqual(["INCR works (more or less)", "INCR ends"], result.passed)
        self.assertEqual({"INCR counts": "\nExpected '1' to equal '2'"}, result.failed)
        self.assertEqual(["INCR of a list"], result.skipped)
        self.assertEqual((1, ""), (result.dropped, result.broken))
        self.assertFalse(result.good)

    def test_readLog_theUnitHasNotEnded_isBroken(self):
        result = suite.read_log("unit/type/incr", "plain", PRINTED.replace("[err]", "[ok]"))
        self.assertNotEqual("", result.broken)
        self.assertFalse(result.good)

    def test_readLog_anExceptionOfTheSuite_isAFailure(self):
        result = suite.read_log("unit/type/incr", "plain", "[exception]: Executing test client: I/O error.\n")
        self.assertEqual(["Executing test client: I/O error."], list(result.failed))


class ReadSkipsTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "skip.txt"
            file.write_text(text, encoding="utf-8")
            return suite.read_skips(file)

    def test_readSkips_headingsAndReasons_belongToTheTestsBelow(self):
        skips = self.read(
            "# 3 tests\n\n[unit/expire]\n# One\n# reason.\nA\nB\n\n[unit/multi plain]\n# Another.\nC (#1)\n"
        )
        self.assertEqual(
            [
                suite.Skip("unit/expire", ("plain", "cluster"), "A", "One reason."),
                suite.Skip("unit/expire", ("plain", "cluster"), "B", "One reason."),
                suite.Skip("unit/multi", ("plain",), "C (#1)", "Another."),
            ],
            skips,
        )

    def test_readSkips_aTestWithoutAReason_isRefused(self):
        with self.assertRaisesRegex(ValueError, "reason"):
            self.read("# 1 tests\n\n[unit/expire]\nA\n")

    def test_readSkips_moreTestsThanTheFirstLineSays_areRefused(self):
        with self.assertRaisesRegex(ValueError, "may only fall"):
            self.read("# 1 tests\n\n[unit/expire]\n# One.\nA\nB\n")


if __name__ == "__main__":
    unittest.main()
