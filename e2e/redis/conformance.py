"""Runs Redis's test suite and real clients against servers that speak Redis's protocol, and tells what passed."""

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import clients
import servers
import suite

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = HERE / "target"
# The suite and clients in the short form, which takes less than a minute.
SHORT = ["unit/type/string", "unit/type/incr", "unit/type/hash", "redis-cli"]


def arguments(argv):
    parser = argparse.ArgumentParser(prog="e2e/redis/run", description=__doc__)
    parser.add_argument("--port", type=int, help="a server on this port of 127.0.0.1; all its keys are removed")
    parser.add_argument(
        "--redis", action="store_true", help="real redis-servers that have only the commands that Granary has"
    )
    parser.add_argument("--form", choices=suite.FORMS, help="only this form; by default both")
    parser.add_argument("--suite", action="store_true", help="only Redis's test suite")
    parser.add_argument("--clients", action="store_true", help="only the clients")
    parser.add_argument("--only", metavar="NAME,...", help="only these units of the suite, and these clients")
    parser.add_argument("--short", action="store_true", help="the same as --only " + ",".join(SHORT))
    parser.add_argument("--skipped", action="store_true", help="only the tests that skip.txt names")
    parser.add_argument("--json", metavar="FILE", help="writes the results there, too")
    options = parser.parse_args(argv)
    if options.port and options.redis:
        parser.error("--port and --redis exclude each other")
    options.only = SHORT if options.short else options.only.split(",") if options.only else []
    for name in options.only:
        if name not in suite.UNITS and name not in clients.CLIENTS:
            known = f"units: {', '.join(suite.UNITS)}; clients: {', '.join(clients.CLIENTS)}"
            parser.error(f"there is no '{name}'; {known}")
    options.forms = [options.form] if options.form else list(suite.FORMS)
    everything = not options.suite and not options.clients and not options.skipped
    options.units = chosen(suite.UNITS, options.only) if everything or options.suite or options.skipped else []
    options.named_clients = chosen(clients.CLIENTS, options.only) if everything or options.clients else []
    return options


def chosen(names, only):
    return [name for name in names if not only or name in only]


@contextlib.contextmanager
def running(options):
    """Gives the address (host, port) of a server for each form, and ends what it has started."""
    if options.port:
        yield dict.fromkeys(options.forms, ("127.0.0.1", options.port))
    elif options.redis:
        with contextlib.ExitStack() as started:
            addresses = {}
            for form in options.forms:
                real = servers.RealRedis(
                    os.environ["REDIS_SERVER"],
                    os.environ["REDIS_SUITE"],
                    ROOT / "libs/resp/commands/selected.txt",
                    TARGET / f"redis-{form}",
                    form == "cluster",
                )
                started.callback(real.end)
                servers.require_own("127.0.0.1", real.port, {real.process.pid})
                addresses[form] = ("127.0.0.1", real.port)
            yield addresses
    else:
        with granary() as address:
            yield dict.fromkeys(options.forms, address)


@contextlib.contextmanager
def granary():
    """Starts a local cluster, gives the address of its door, and ends it."""
    directory = TARGET / "cluster"
    command = [str(ROOT / "granary"), "up", "--dir", str(directory), "--port", "0"]
    subprocess.run([str(ROOT / "granary"), "down", "--dir", str(directory)], check=False, capture_output=True)
    try:
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        line = re.search(r"^ *redis: *(\S+):(\d+)", said, re.MULTILINE)
        if not line:
            raise RuntimeError(f"'granary up' prints no line 'redis: HOST:PORT', but:\n{said}")
        host, port = line[1], int(line[2])
        servers.require_own(host, port, servers.cluster_processes(directory))
        yield host, port
    finally:
        subprocess.run([str(ROOT / "granary"), "down", "--dir", str(directory)], check=True, stdout=subprocess.DEVNULL)


def run_suite(options, addresses):
    """Runs the units of the suite in each form; returns what --json tells about each."""
    skips = suite.read_skips(HERE / "skip.txt")
    redis_suite = suite.Suite(os.environ["REDIS_SUITE"], os.environ["TCLSH"], TARGET)
    reports = []
    for form in options.forms:
        host, port = addresses[form]
        for unit in options.units:
            if options.skipped and not any(skip.unit == unit and form in skip.forms for skip in skips):
                continue
            started = time.monotonic()
            result = redis_suite.run(unit, form, host, port, skips, options.skipped)
            good = not result.passed if options.skipped else result.good
            print(f"{unit}, {form}: {len(result.passed)} passed, {len(result.failed)} failed", flush=True)
            report_tests(result, options.skipped)
            reports.append(
                {
                    "unit": unit,
                    "form": form,
                    "passed": len(result.passed),
                    "failed": len(result.failed),
                    "skipped": len(result.skipped),
                    "dropped": result.dropped,
                    "seconds": round(time.monotonic() - started, 1),
                    "good": good,
                    "broken": result.broken,
                    "failures": result.failed,
                    "skips": [] if options.skipped else result.skipped,
                }
            )
    return reports


def report_tests(result, inverted):
    if inverted:
        for test in result.passed:
            print(f"  passes, so that it can be taken off skip.txt: {test}")
        return
    if result.broken:
        print(f"  {result.broken}")
    for test, why in result.failed.items():
        print(f"  failed: {test}")
        for line in why.strip().splitlines()[:6]:
            print(f"      {line[:300]}")


def run_clients(options, addresses):
    """Runs the clients in each form; returns what --json tells about each."""
    reports = []
    for result in clients.run(options.named_clients, options.forms, addresses, TARGET):
        print(f"{result.client}, {result.form}: {len(result.passed)} passed, {len(result.failed)} failed", flush=True)
        for check, why in result.failed.items():
            print(f"  failed: {check}: {why[:1000]}")
        reports.append(
            {
                "client": result.client,
                "form": result.form,
                "passed": len(result.passed),
                "failed": len(result.failed),
                "seconds": round(result.seconds, 1),
                "good": result.good,
                "checks": result.passed,
                "failures": result.failed,
            }
        )
    return reports


def table(reports, kind, columns):
    rows = [(kind, "form", *columns)]
    rows += [tuple(str(report[key]) for key in (kind, "form", *columns)) for report in reports]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        pairs = list(zip(row, widths))
        print("  ".join([cell.ljust(width) for cell, width in pairs[:2]] + [cell.rjust(width) for cell, width in pairs[2:]]))


def main(argv):
    options = arguments(argv)
    # What ends a step that takes too long ends the servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    TARGET.mkdir(exist_ok=True)
    with running(options) as addresses:
        units = run_suite(options, addresses) if options.units else []
        programs = run_clients(options, addresses) if options.named_clients else []
    print()
    if units:
        table(units, "unit", ("passed", "failed", "skipped", "seconds"))
    if programs:
        table(programs, "client", ("passed", "failed", "seconds"))
    if options.json:
        text = json.dumps({"suite": units, "clients": programs}, indent=2) + "\n"
        Path(options.json).write_text(text, encoding="utf-8")
    bad = [report for report in units + programs if not report["good"]]
    print(f"{len(units + programs) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not units + programs else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
