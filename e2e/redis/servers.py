"""Servers that speak Redis's protocol: real ones that this run starts, and whose process a port belongs to."""

import contextlib
import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path

START_SECONDS = 20


def call(host, port, *words):
    """Sends one request and returns the first line of the reply."""
    with socket.create_connection((host, port), timeout=10) as connection:
        request = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        connection.sendall(request.encode())
        with connection.makefile("rb") as replies:
            return replies.readline().decode("utf-8", "replace").strip()


def listeners(port):
    """Returns the ids of the processes that listen on a TCP port of this machine."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for row in Path(table).read_text(encoding="ascii").splitlines()[1:]:
            columns = row.split()
            if columns[3] == "0A" and int(columns[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{columns[9]}]")
    found = set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(descriptor) in inodes:
                found.add(int(descriptor.parts[2]))
        except OSError:
            pass  # the process has ended, or belongs to somebody else
    return found


def cluster_processes(directory):
    """Returns the ids of the processes of a local cluster of Granary."""
    state = json.loads((Path(directory) / "cluster.json").read_text(encoding="utf-8"))
    return {node["pid"] for node in state["nodes"]}


def require_own(host, port, own):
    """Fails unless the processes that listen on a port are among our own: the suite removes all keys."""
    found = listeners(port)
    if not found or not found <= own:
        raise RuntimeError(
            f"{host}:{port} belongs to the processes {sorted(found)}, and this run has started {sorted(own)}; "
            "nothing was removed there. Name the port with --port if its keys may go"
        )


def free_ports(count):
    """Returns TCP ports on which nobody listens now."""
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class RealRedis:
    """A redis-server with only the commands that Granary has, on a port of its own."""

    def __init__(self, server, source, selected, folder, cluster):
        self.folder = folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.port, bus_port = free_ports(2)
        configuration = [f"port {self.port}", "bind 127.0.0.1", f"dir {folder}", 'save ""', "enable-debug-command no"]
        configuration += [f'rename-command {name} ""' for name in missing_commands(source, selected)]
        if cluster:
            # Without other nodes it never learns its address, and tells clients none.
            configuration += ["cluster-enabled yes", f"cluster-port {bus_port}", "cluster-announce-ip 127.0.0.1"]
            (folder / "nodes.conf").unlink(missing_ok=True)
        (folder / "redis.conf").write_text("\n".join(configuration) + "\n", encoding="utf-8")
        with (folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [server, str(folder / "redis.conf")], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            self.await_reply("+PONG", "PING")
            if cluster:
                self.await_reply("+OK", "CLUSTER", "ADDSLOTSRANGE", "0", "16383")
                self.await_reply(":0", "EXISTS", "key")  # it serves keys a moment later
        except BaseException:
            self.end()
            raise

    def await_reply(self, reply, *words):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if call("127.0.0.1", self.port, *words) == reply:
                    return
            except OSError:
                pass  # it does not listen yet
            time.sleep(0.05)
        raise RuntimeError(f"the redis-server in {self.folder} does not answer {' '.join(words)} with {reply}")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def missing_commands(source, selected):
    """Returns the commands of Redis that Granary's table does not have."""
    chosen = set()
    for line in Path(selected).read_text(encoding="utf-8").splitlines():
        chosen |= set(line.split()) if not line.startswith("#") else set()
    names = set()
    for file in (Path(source) / "src/commands").glob("*.json"):
        for name, facts in json.loads(file.read_text(encoding="utf-8")).items():
            if "container" not in facts and re.fullmatch(r"[A-Z_-]+", name):
                names.add(name.lower())
    return sorted(names - chosen - {"sentinel"})  # a command of sentinels only
