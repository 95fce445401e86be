"""Real clients, each a small program of its own: how they are made ready and run, and what they said.

A program of clients/ is called with host, port and form, and prints a line 'ok CHECK' or 'failed CHECK: why' for each
thing that it tried. Those for Java are JUnit tests.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "granary-redis"

# The classes of tests of the clients for Java, by form; a cache of Spring's is no client of a cluster by itself.
JAVA = {
    "lettuce": {"plain": "LettuceTest", "cluster": "LettuceClusterTest"},
    "jedis": {"plain": "JedisTest", "cluster": "JedisClusterTest"},
    "spring-cache": {"plain": "SpringCacheTest", "cluster": "SpringCacheClusterTest"},
}
CLIENTS = ["redis-cli", "redis-py", "go-redis", "node-redis", "ioredis", "redis-exporter", *JAVA]

PREPARE_SECONDS = 600
RUN_SECONDS = 180
MAVEN_SECONDS = 900


@dataclass
class ClientResult:
    """What one client did in one form."""

    client: str
    form: str
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0

    @property
    def good(self):
        return bool(self.passed) and not self.failed


def run(names, forms, addresses, target):
    """Runs clients in each form against the server of that form, and gives their results."""
    for name in names:
        if name in JAVA:
            continue
        try:
            command = PREPARE[name](Path(target) / "clients")
        except (OSError, subprocess.SubprocessError) as error:
            for form in forms:
                yield ClientResult(name, form, failed={"getting it ready": str(error)})
            continue
        for form in forms:
            yield run_program(name, form, [*command, *map(str, addresses[form]), form])
    java = [name for name in names if name in JAVA]
    if java:
        # In the order of the forms: once a library has asked a door for slots, that door redirects all its connections.
        for form in forms:
            yield from run_java(java, form, addresses[form])


def run_program(name, form, command):
    result = ClientResult(name, form)
    started = time.monotonic()
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=RUN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as expired:
        result.failed["its end"] = f"took longer than {RUN_SECONDS} s, after {(expired.stdout or b'')[-300:]!r}"
        return result
    result.seconds = time.monotonic() - started
    for line in ended.stdout.splitlines():
        said = re.fullmatch(r"(ok|failed) ([^:]+)(?:: (.*))?", line)
        if said and said[1] == "ok":
            result.passed.append(said[2])
        elif said:
            result.failed[said[2]] = said[3] or ""
    if ended.returncode != (1 if result.failed else 0) or not result.passed:
        tail = (ended.stdout + ended.stderr)[-2000:]
        result.failed["its end"] = f"exit code {ended.returncode}, after:\n{tail}"
    return result


def prepared(folder, *sources):
    """Returns a folder of the cache that belongs to these files, and whether it is there already."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(Path(source).read_bytes())
    place = CACHE / f"{folder}-{digest.hexdigest()[:16]}"
    return place, place.exists()


def prepare(command, folder, environment=None):
    subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=PREPARE_SECONDS, check=True,
        env=os.environ | (environment or {}),
    )


def prepare_redis_cli(_):
    return ["sh", str(HERE / "clients/redis-cli")]


def prepare_python(_):
    folder = HERE / "clients/python"
    place, there = prepared("python", folder / "requirements.txt")
    if not there:
        begun = place.with_name(f"{place.name}.{os.getpid()}")
        prepare([sys.executable, "-m", "venv", "--copies", str(begun)], folder)
        prepare([str(begun / "bin/python"), "-m", "pip", "install", "-q", "-r", "requirements.txt"], folder)
        begun.rename(place)
    return [str(place / "bin/python"), "-B", str(folder / "client.py")]


def prepare_go(target):
    go = shutil.which("go") or "/usr/local/go/bin/go"
    program = target / "go-redis"
    target.mkdir(parents=True, exist_ok=True)
    # The versions in go.mod and the sums in go.sum are fixed, and the build does not change them.
    prepare([go, "build", "-mod=readonly", "-trimpath", "-o", str(program), "."], HERE / "clients/go")
    return [str(program)]


def prepare_node(program):
    folder = HERE / "clients/node"
    place, there = prepared("node", folder / "package.json", folder / "package-lock.json")
    if not there:
        begun = place.with_name(f"{place.name}.{os.getpid()}")
        begun.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(folder / name, begun)
        prepare(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], begun)
        begun.rename(place)
    return ["env", f"NODE_PATH={place / 'node_modules'}", "node", str(folder / program)]


def prepare_exporter(_):
    return [sys.executable, "-B", str(HERE / "clients/exporter.py")]


PREPARE = {
    "redis-cli": prepare_redis_cli,
    "redis-py": prepare_python,
    "go-redis": prepare_go,
    "node-redis": lambda _: prepare_node("node-redis.js"),
    "ioredis": lambda _: prepare_node("ioredis.js"),
    "redis-exporter": prepare_exporter,
}


def run_java(names, form, address):
    """Runs the tests of the clients for Java in one form with Maven, all in one run."""
    classes = {name: JAVA[name][form] for name in names}
    reports = HERE / "target/surefire-reports"
    shutil.rmtree(reports, ignore_errors=True)
    command = [os.environ["MAVEN"], "--batch-mode", "--no-transfer-progress", "-q", "-Predis", "-pl", "e2e/redis"]
    command += ["-Dtest=" + ",".join(classes.values()), "-Dsurefire.failIfNoSpecifiedTests=false"]
    host, port = address
    command += [f"-Dgranary.redis.{form}={host}:{port}"]
    log = HERE / f"target/java-{form}.log"
    with log.open("wb") as output:
        try:
            subprocess.run(
                [*command, "test"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                timeout=MAVEN_SECONDS, check=False,
            )
        except subprocess.TimeoutExpired:
            output.write(f"took longer than {MAVEN_SECONDS} s\n".encode())
    for name, test in classes.items():
        yield read_junit(name, form, reports / f"TEST-dev.granary.e2e.redis.{test}.xml", log)


def read_junit(name, form, report, log):
    result = ClientResult(name, form)
    if not report.exists():
        result.failed["its end"] = f"no test has run; see {log}"
        return result
    suite = ElementTree.parse(report).getroot()
    result.seconds = float(suite.get("time", "0").replace(",", ""))
    for case in suite.iter("testcase"):
        trouble = [child for child in case if child.tag in ("failure", "error", "skipped")]
        check = case.get("name").replace("()", "")
        if trouble:
            result.failed[check] = (trouble[0].get("message") or trouble[0].tag)[:500]
        else:
            result.passed.append(check)
    return result
