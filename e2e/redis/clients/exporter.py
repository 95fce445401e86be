"""redis_exporter, which makes metrics of what a server tells: each panel of its dashboard for Grafana must have data.

Called with HOST PORT FORM. REDIS_EXPORTER names the executable, REDIS_EXPORTER_DASHBOARD the dashboard.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

PATIENCE_SECONDS = 20
KEYS = 40
# Not in the dashboard, but in that of the exporter's mixin, or in its alerts.
OTHERS = {
    "memory": ["redis_memory_used_rss_bytes", "redis_mem_fragmentation_ratio", "redis_config_maxmemory"],
    "replication": ["redis_connected_slaves", "redis_instance_info", "redis_master_repl_offset"],
    "connections": ["redis_rejected_connections_total", "redis_connections_received_total", "redis_config_maxclients"],
    "slow log": ["redis_slowlog_length", "redis_slowlog_last_id", "redis_last_slow_execution_duration_seconds"],
    "latencies of commands": ["redis_latency_percentiles_usec"],
    "processor": ["redis_cpu_user_seconds_total", "redis_cpu_sys_seconds_total"],
    "persistence": ["redis_rdb_last_bgsave_status", "redis_loading_dump_file", "redis_aof_enabled"],
}
IN_A_CLUSTER = {"cluster": ["redis_cluster_enabled", "redis_cluster_state", "redis_cluster_known_nodes"]}


class Wire:
    """Connections that send lines, and read the first line or the text of each reply; they follow redirections."""

    def __init__(self, host, port):
        self.home = f"{host}:{port}"
        self.connections = {}

    def ask(self, line):
        deadline = time.monotonic() + PATIENCE_SECONDS
        address = self.home
        while True:
            reply = self.ask_at(address, line)
            if reply.startswith("-MOVED "):
                address = reply.split()[2]
            elif not reply.startswith(("-TRYAGAIN", "-CLUSTERDOWN", "-LOADING")):
                return reply
            else:
                # A cluster that has just been started may still be filling copies; clients try again.
                time.sleep(0.1)
            if time.monotonic() > deadline:
                return reply

    def ask_at(self, address, line):
        if address not in self.connections:
            host, port = address.rsplit(":", 1)
            connection = socket.create_connection((host, int(port)), PATIENCE_SECONDS)
            self.connections[address] = connection, connection.makefile("rb")
        connection, lines = self.connections[address]
        connection.sendall(line.encode() + b"\r\n")
        first = lines.readline().decode().strip()
        if first.startswith("$") and first != "$-1":
            return lines.read(int(first[1:]) + 2)[:-2].decode()
        return first

    def nodes(self):
        """Returns the addresses of all nodes; a server without a cluster is its only one."""
        reply = self.ask("CLUSTER NODES")
        if reply.startswith("-"):
            return [self.home]
        return [line.split()[1].split("@")[0].split(",")[0] for line in reply.splitlines()]


def load(wire):
    for i in range(KEYS):
        must(wire.ask(f"SET exported:{i} {'x' * i}y" + (" EX 1000" if i % 2 else "")), "+OK")
        must(wire.ask(f"GET exported:{i}"), "x" * i + "y")
        wire.ask(f"GET exported:none:{i}")
    wire.ask("HSET exported:hash f v g w")
    wire.ask("INCR exported:1")
    # Everything is slow, so that the slow log has an entry.
    must(wire.ask("CONFIG SET slowlog-log-slower-than 0"), "+OK")
    must(wire.ask("SET exported:slow 1"), "+OK")
    must(wire.ask("CONFIG SET slowlog-log-slower-than 10000"), "+OK")


def must(reply, expected):
    if reply != expected:
        raise RuntimeError(f"the reply was {reply}, not {expected}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exporter:
    """A running exporter, which asks the server that it is told."""

    def __init__(self, *options):
        self.port = free_port()
        self.log = tempfile.TemporaryFile("w+")
        command = [os.environ["REDIS_EXPORTER"], "-redis.addr=", f"-web.listen-address=127.0.0.1:{self.port}", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def scrape(self, address):
        """Returns the values of all metrics of a server: by name, a list of labels and value."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        page = f"http://127.0.0.1:{self.port}/scrape?target=redis://{address}"
        while True:
            try:
                with urllib.request.urlopen(page, timeout=PATIENCE_SECONDS) as answer:
                    return samples(answer.read().decode())
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def complaints(self):
        self.log.seek(0)
        return [line.strip() for line in self.log if "level=error" in line or "level=warn" in line]

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


def samples(page):
    found = {}
    for line in page.splitlines():
        sample = re.fullmatch(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)", line)
        if sample and not line.startswith("#"):
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample[2] or ""))
            found.setdefault(sample[1], []).append((labels, float(sample[3])))
    return found


def panels(dashboard):
    """Returns the metrics that each panel of a dashboard asks for, by its title."""
    wanted = {}
    waiting = list(dashboard.get("panels", []))
    while waiting:
        panel = waiting.pop(0)
        waiting += panel.get("panels", [])
        for target in panel.get("targets", []):
            names = re.findall(r"\bredis_\w+", target.get("expr", ""))
            wanted.setdefault(panel.get("title", "").replace(":", ""), set()).update(names)
    return {title: sorted(names) for title, names in wanted.items() if names}


class Report:
    """What is printed: a line for each check."""

    failed = 0

    def check(self, name, why):
        print(f"failed {name}: {why}" if why else f"ok {name}", flush=True)
        self.failed += bool(why)


def value(pages, name, **labels):
    """Returns the sum of a metric over the servers; None when none has it."""
    numbers = [number for found in pages for has, number in found.get(name, []) if labels.items() <= has.items()]
    return sum(numbers) if numbers else None


def expect(pages, *wanted):
    """Says which of the metrics (name, labels, least value) are not there or are smaller."""
    wrong = []
    for name, labels, least in wanted:
        number = value(pages, name, **labels)
        if number is None or number < least:
            wrong.append(f"{name}{labels or ''} is {number}, not {least} or more")
    return ", ".join(wrong)


def main(host, port, form):
    wire = Wire(host, int(port))
    load(wire)
    dashboard = json.loads(Path(os.environ["REDIS_EXPORTER_DASHBOARD"]).read_text(encoding="utf-8"))
    options = ["-include-config-metrics", "-export-client-list", "-set-client-name"]
    options += ["-check-single-keys=db0=exported:hash,db0=exported:7"]
    exporter = Exporter(*options, *(["-is-cluster"] if form == "cluster" else []))
    report = Report()
    try:
        nodes = wire.nodes()
        before = [exporter.scrape(node) for node in nodes]
        load(wire)
        pages = [exporter.scrape(node) for node in nodes]
        found = pages[nodes.index(wire.home)]
        up = expect([found], ("redis_up", {}, 1))
        error = value(pages, "redis_exporter_last_scrape_error")
        report.check("scrape", up or (f"redis_exporter_last_scrape_error is {error}" if error else ""))
        wanted = {f"panel {title}": names for title, names in panels(dashboard).items()}
        wanted |= {**OTHERS, **(IN_A_CLUSTER if form == "cluster" else {})}
        for title, names in wanted.items():
            missing = [name for name in names if name not in found]
            report.check(title, "no data for " + ", ".join(missing) if missing else "")
        sets = value(before, "redis_commands_total", cmd="set") or 0
        report.check(
            "values",
            expect(
                pages,
                ("redis_commands_total", {"cmd": "set"}, sets + KEYS + 1),
                ("redis_commands_duration_seconds_total", {"cmd": "get"}, 1e-6),
                ("redis_keyspace_hits_total", {}, 1),
                ("redis_keyspace_misses_total", {}, 1),
                ("redis_db_keys", {"db": "db0"}, 1),
                ("redis_db_keys_expiring", {"db": "db0"}, 1),
                ("redis_memory_used_bytes", {}, 1),
                ("redis_memory_max_bytes", {}, 1),
                ("redis_net_input_bytes_total", {}, 1000),
                ("redis_connected_clients", {}, 1),
                ("redis_slowlog_length", {}, 1),
            ),
        )
        keys = [("redis_key_size", {"key": "exported:hash"}, 2), ("redis_key_size", {"key": "exported:7"}, 8)]
        report.check("sizes of keys", expect(pages, *keys))
        named = [has for page in pages for has, _ in page.get("redis_connected_clients_details", []) if has.get("name")]
        report.check("client list", "" if named else "no client with a name")
        complaints = exporter.complaints()
        report.check("its log", complaints[0].replace("\n", " ") if complaints else "")
    finally:
        exporter.close()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
