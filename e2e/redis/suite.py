"""Runs units of Redis's own test suite against a server that listens already, and tells what passed."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Not unit/info: all its tests need a server that the suite itself has started.
UNITS = [
    "unit/type/string",
    "unit/type/incr",
    "unit/type/hash",
    "unit/expire",
    "unit/keyspace",
    "unit/scan",
    "unit/multi",
    "unit/protocol",
    "unit/slowlog",
    "unit/bitops",
    "unit/bitfield",
    "unit/introspection",
    "unit/introspection-2",
    "unit/other",
    "unit/acl",
    "unit/acl-v2",
]

# Units that Redis runs only with servers that it has started, because they change users. Of each the part runs up to
# this line: behind it are tests of configuration files.
UNITS_WITH_USERS = {
    "unit/acl": 'set server_path [tmpdir "server.acl"]',
    "unit/acl-v2": 'set server_path [tmpdir "selectors.acl"]',
}

# What needs a command or a directive that only a Redis server has, and what takes minutes.
TAGS = "-needs:debug -needs:repl -needs:save -needs:pfdebug -needs:config-maxmemory -slow -large-memory"

FORMS = {"plain": "--singledb", "cluster": "--cluster-mode"}

# The server may have users of the unit before.
FORGET_USERS = """\
    foreach user [r ACL USERS] {
        if {$user ne "default"} { r ACL DELUSER $user }
    }
    r ACL LOG RESET
"""

UNIT_SECONDS = 300
# The suite's own limit, for one test.
TEST_SECONDS = 120

# Before each block of tests the suite removes all keys and all functions. Granary has no functions.
FUNCTION_FLUSH = "    r function flush\n"


@dataclass
class UnitResult:
    """What one unit of the suite did in one form."""

    unit: str
    form: str
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    # Tests and blocks of tests that the suite itself leaves out, because of a tag.
    dropped: int = 0
    # Why the unit did not run to its end; empty when it did.
    broken: str = ""

    @property
    def good(self):
        return not self.failed and not self.broken


@dataclass(frozen=True)
class Skip:
    """A test that is left out, with the reason."""

    unit: str
    forms: tuple[str, ...]
    test: str
    reason: str


def read_skips(file):
    """Reads a list of skipped tests: headings '[UNIT]' or '[UNIT FORM]', reasons as comments, names of tests.

    Its first line tells the number of tests, so that a longer list is a change that one sees.
    """
    skips, unit, forms, reason, last = [], None, (), "", ""
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
        heading = re.fullmatch(r"\[(\S+?)(?: (\w+))?\]", line)
        if heading and heading[1] in UNITS:
            unit, forms, reason = heading[1], (heading[2],) if heading[2] else tuple(FORMS), ""
            if not set(forms) <= set(FORMS):
                raise ValueError(f"{file}:{number}: there is no form '{heading[2]}'; there are {', '.join(FORMS)}")
        elif line.startswith("#"):
            # Lines of comment that follow one another are one reason.
            reason = f"{reason} {line[2:]}" if last.startswith("#") else line[2:]
        elif line:
            if not unit or not reason:
                raise ValueError(f"{file}:{number}: '{line}' needs a heading of a unit and a reason above it")
            skips.append(Skip(unit, forms, line, reason))
        last = line
    number = int(re.match(r"# (\d+) tests", Path(file).read_text(encoding="utf-8"))[1])
    if len(skips) != number:
        raise ValueError(f"{file} has {len(skips)} tests, and its first line says {number}; that number may only fall")
    return skips


class Suite:
    """The suite, in a copy of its own, since it writes into its folder."""

    def __init__(self, source, tclsh, target):
        self.tclsh = tclsh
        self.folder = Path(target) / "suite"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(Path(source) / "tests", self.folder / "tests")
        (self.folder / "tests/tmp").mkdir(exist_ok=True)
        helper = self.folder / "tests/support/server.tcl"
        text = helper.read_text(encoding="utf-8")
        if text.count(FUNCTION_FLUSH) != 1:
            raise ValueError(f"{source} is not Redis 7.0.15: {helper.name} removes functions elsewhere")
        helper.write_text(text.replace(FUNCTION_FLUSH, "    catch {r function flush}\n"), encoding="utf-8")
        for unit, end in UNITS_WITH_USERS.items():
            file = self.folder / f"tests/{unit}.tcl"
            text = file.read_text(encoding="utf-8")
            if text.count(end) != 1:
                raise ValueError(f"{source} is not Redis 7.0.15: {file.name} does not have '{end}' once")
            begin = 'start_server {tags {"acl external:skip"}} {\n'
            text = text[: text.index(end)].replace(begin, begin.replace(" external:skip", "") + FORGET_USERS)
            file.write_text(text, encoding="utf-8")

    def run(self, unit, form, host, port, skips, inverted=False):
        """Runs one unit in one form, without the tests that are to be skipped, and returns its result.

        Inverted, it runs these tests alone.
        """
        name = f"{unit.replace('/', '-')}-{form}"
        skip_file = self.folder / f"{name}-skip.txt"
        wanted = [skip.test for skip in skips if skip.unit == unit and form in skip.forms]
        skip_file.write_text("".join(f"{test}\n" for test in wanted), encoding="utf-8")
        command = [self.tclsh, "tests/test_helper.tcl", "--host", host, "--port", str(port), FORMS[form]]
        command += ["--ignore-encoding", "--ignore-digest", "--no-latency", "--durable"]
        command += ["--timeout", str(TEST_SECONDS), "--tags", TAGS, "--single", unit]
        command += [word for test in wanted for word in ("--only", test)] if inverted else ["--skipfile", skip_file]
        log = self.folder.parent / f"{name}.log"
        with log.open("wb") as output:
            code = run_limited(command, self.folder, output, UNIT_SECONDS)
        result = read_log(unit, form, log.read_text(encoding="utf-8", errors="replace"))
        if code is None:
            result.broken = f"took longer than {UNIT_SECONDS} s; see {log}"
        elif not result.broken and code != 0 and not result.failed:
            result.broken = f"ended with exit code {code}; see {log}"
        seen = {*result.passed, *result.failed} if inverted else set(result.skipped)
        for test in wanted:
            if test not in seen and not result.broken:
                result.failed[test] = "skip.txt names it, and this unit never comes to such a test: remove it there"
        if not result.broken and not inverted and not result.passed:
            result.broken = f"ran no test; see {log}"
        return result


def run_limited(command, folder, output, seconds):
    """Runs a command in a process group of its own; returns its exit code, or None when it took too long."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # The suite runs its tests in a second process, which must not outlive it.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def read_log(unit, form, log):
    """Reads what the suite printed about one unit."""
    result = UnitResult(unit, form, broken="the suite ended before the unit did; see its log")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", log).splitlines()
    summary = next((at for at, line in enumerate(lines) if line.strip() == "The End"), len(lines))
    name = None
    for line in lines[:summary]:
        status = re.match(r"\[(ok|skip|ignore|err|exception|TIMEOUT|\d+/\d+ done)\]: ?(.*)", line)
        if not status:
            if name:
                result.failed[name] += "\n" + line
            continue
        kind, text, name = status[1], status[2], None
        if kind == "ok":
            result.passed.append(re.sub(r" \(\d+ ms\)$", "", text))
        elif kind == "skip":
            result.skipped.append(text)
        elif kind == "ignore":
            result.dropped += 1
        elif kind.endswith("done"):
            result.broken = ""
        else:
            name = re.sub(r" in tests/unit/\S+\.tcl$", "", text) or "outside of tests"
            result.failed[name] = ""
    return result
