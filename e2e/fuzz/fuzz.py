"""Fuzzes the decoders of Granary with Jazzer, and tells what was tried and what failed."""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = HERE / "target"
JAVA = str(Path(os.environ["JAVA_HOME"]) / "bin")

# The module of each target, its class, and the largest input in bytes.
TARGETS = {
    "requests": ("libs/resp", "dev.granary.resp.DecoderFuzz", 1024),
    "frames": ("libs/net", "dev.granary.net.netty.FrameFuzz", 2048),
    "messages": ("libs/net", "dev.granary.net.message.MessageFuzz", 1024),
    "command-log": ("libs/log", "dev.granary.log.CommandLogFuzz", 512),
    "backup-log": ("libs/log", "dev.granary.log.batch.RecordFuzz", 2048),
    "dumps": ("libs/keyed", "dev.granary.keyed.command.DumpFuzz", 2048),
    "group-calls": ("storage-node", "dev.granary.storage.keyed.GroupCallBytesFuzz", 1024),
    "replies": ("storage-node", "dev.granary.storage.door.reply.ReplyCursorFuzz", 512),
    "door": ("storage-node", "dev.granary.storage.door.DoorFuzz", 2048),
}
# What the log of each planted target must say.
PLANTED = {
    "PlantedCrash": "IllegalStateException: planted",
    "PlantedHang": "ERROR: libFuzzer: timeout",
    "PlantedGrowth": "OutOfMemoryError",
}
PLANTED_SECONDS = 60
INPUT_SECONDS = 10
JVM = ["-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:-OmitStackTraceInFastThrow", "-ea"]
JVM += ["--enable-native-access=ALL-UNNAMED", "-Dlogback.configurationFile=" + str(HERE / "logback.xml")]

running = set()
lock = threading.Lock()


def arguments(argv):
    parser = argparse.ArgumentParser(prog="e2e/fuzz/run", description=__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="how long each target runs; 10 by default")
    parser.add_argument("--minutes", type=int, help="the same in minutes")
    parser.add_argument("--only", metavar="NAME,...", help="only these targets")
    parser.add_argument("--jobs", type=int, default=2, help="how many targets run at the same time; 2 by default")
    parser.add_argument("--list", action="store_true", help="prints the targets")
    parser.add_argument("--input", nargs=2, metavar=("NAME", "FILE"), help="one target with one input")
    options = parser.parse_args(argv)
    options.seconds = options.minutes * 60 if options.minutes else options.seconds
    options.names = options.only.split(",") if options.only else [options.input[0]] if options.input else list(TARGETS)
    for name in options.names:
        if name not in TARGETS:
            parser.error(f"there is no target '{name}'; targets: {', '.join(TARGETS)}")
    return options


def build(names):
    """Compiles the targets; returns the class path of each, and that of Jazzer."""
    modules = sorted({TARGETS[name][0] for name in names})
    command = [os.environ["MAVEN"], "--batch-mode", "--no-transfer-progress", "-q"]
    command += ["-pl", ",".join([*modules, "e2e/fuzz"]), "-am", "test-compile", "dependency:build-classpath"]
    subprocess.run([*command, "-Dmdep.outputFile=target/fuzz.classpath"], cwd=ROOT, check=True)
    paths = {}
    for name in names:
        built = ROOT / TARGETS[name][0] / "target"
        libraries = (built / "fuzz.classpath").read_text(encoding="utf-8")
        paths[name] = f"{built}/test-classes:{built}/classes:{libraries}"
    return paths, (TARGET / "fuzz.classpath").read_text(encoding="utf-8")


def jazzer(name, class_name, path, directory, options):
    """Runs one target; returns its exit code and what it said."""
    command = [f"{JAVA}/java", *JVM, "-cp", path, "com.code_intelligence.jazzer.Jazzer"]
    command += [f"--target_class={class_name}", f"--reproducer_path={directory}"]
    command += ["--instrumentation_includes=dev.granary.**:Planted*", "--custom_hook_includes=dev.granary.**", *options]
    log = directory / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=directory, stdout=out, stderr=subprocess.STDOUT)
        with lock:
            running.add(process)
        code = process.wait()
    return code, log.read_text(encoding="utf-8", errors="replace")


def fresh(directory):
    """Makes a directory, and removes what an earlier run has found there, but what it has learnt."""
    directory.mkdir(parents=True, exist_ok=True)
    for found in [*directory.glob("crash-*"), *directory.glob("timeout-*"), *directory.glob("oom-*")]:
        found.unlink()
    for folder in ("corpus", "seeds"):
        (directory / folder).mkdir(exist_ok=True)
    return directory


def fuzz_options(directory, seconds, longest):
    return [
        str(directory / "corpus"),
        str(directory / "seeds"),
        f"-artifact_prefix={directory}/",
        f"-max_total_time={seconds}",
        f"-timeout={INPUT_SECONDS}",
        f"-max_len={longest}",
        "-rss_limit_mb=3000",
        "-print_final_stats=1",
    ]


def fuzz(name, path, jazzer_path, seconds):
    """Fuzzes one target; returns what the table shows of it."""
    _, class_name, longest = TARGETS[name]
    directory = fresh(TARGET / name)
    seeding = [f"{JAVA}/java", "-cp", path, str(HERE / "Seeds.java"), class_name, str(directory / "seeds")]
    subprocess.run(seeding, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    options = fuzz_options(directory, seconds, longest)
    code, log = jazzer(name, class_name, f"{path}:{jazzer_path}", directory, options)
    return report(name, code, log, directory)


def report(name, code, log, directory):
    executions = re.search(r"stat::number_of_executed_units: *(\d+)", log)
    covered = [int(found) for found in re.findall(r"\bcov: (\d+)", log)]
    inputs = re.findall(r"\bcorp: (\d+)/", log)
    # Seeds alone are no fuzzing.
    begun = len(list((directory / "seeds").iterdir()))
    good = code == 0 and executions is not None and int(executions[1]) > begun
    return {
        "name": name,
        "executions": executions[1] if executions else "-",
        "first": str(covered[0]) if covered else "-",
        "coverage": str(covered[-1]) if covered else "-",
        "inputs": inputs[-1] if inputs else "-",
        "result": "passed" if good else "FAILED",
        "log": log,
        "directory": directory,
    }


def planted(jazzer_path):
    """Returns how many planted targets fail as they must, and the names of the others."""
    classes = TARGET / "planted"
    classes.mkdir(parents=True, exist_ok=True)
    subprocess.run([f"{JAVA}/javac", "-d", str(classes), *map(str, (HERE / "planted").glob("*.java"))], check=True)
    missed = []
    for name, saying in PLANTED.items():
        directory = TARGET / name
        shutil.rmtree(directory, ignore_errors=True)
        options = fuzz_options(fresh(directory), PLANTED_SECONDS, 64)
        code, log = jazzer(name, name, f"{classes}:{jazzer_path}", directory, options)
        found = code != 0 and saying in log
        print(f"{name}: {'found' if found else 'NOT FOUND, see ' + str(directory / 'log')}", flush=True)
        if not found:
            missed.append(name)
    return len(PLANTED) - len(missed), missed


def run_input(name, file, path, jazzer_path):
    directory = fresh(TARGET / name)
    options = [str(Path(file).resolve()), f"-timeout={INPUT_SECONDS}"]
    code, log = jazzer(name, TARGETS[name][1], f"{path}:{jazzer_path}", directory, options)
    print(log)
    return code


def table(reports):
    columns = ("name", "executions", "first", "coverage", "inputs", "result")
    heads = ("target", "executions", "edges at first", "edges", "inputs kept", "result")
    rows = [heads, *(tuple(each[column] for column in columns) for each in reports)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(heads))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        print("  ".join([*cells, row[-1]]))


def end_all(*_):
    with lock:
        for process in running:
            process.kill()
    sys.exit(143)


def main(argv):
    options = arguments(argv)
    if options.list:
        for name, (module, class_name, _) in TARGETS.items():
            print(f"{name:12} {module:13} {class_name}")
        return 0
    signal.signal(signal.SIGTERM, end_all)
    paths, jazzer_path = build(options.names)
    if options.input:
        return run_input(*options.input, paths[options.input[0]], jazzer_path)
    passed, missed = (0, []) if options.only else planted(jazzer_path)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [pool.submit(fuzz, name, paths[name], jazzer_path, options.seconds) for name in options.names]
        reports = [each.result() for each in started]
    bad = [each for each in reports if each["result"] != "passed"]
    for each in bad:
        print(f"--- {each['name']}: the end of {each['directory'] / 'log'}")
        print("\n".join(each["log"].splitlines()[-40:]))
    table(reports)
    failed = len(bad) + len(missed)
    print(f"{passed + len(reports) - len(bad)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
