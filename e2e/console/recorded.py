"""What the console of a super-peer tells, made up for states that a real cluster passes through too quickly."""

import contextlib
import copy
import http.server
import json
import pathlib
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "super-peer/src/main/resources/dev/granary/superpeer/console"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
MIB = 1 << 20


def peer(nid, name, **other):
    """A storage peer, live and half full."""
    capacity = other.pop("capacity", 2048 * MIB)
    used = int(other.pop("fill", 0.5) * capacity)
    return {
        "nid": nid, "name": name, "address": f"{name}:7500", "httpAddress": f"{name}:7501", "state": "live",
        "leaseRemainingMillis": 2500, "epoch": 1, "chunks": used // 46, "payloadBytes": used // 46 * 32,
        "bookkeepingBytes": used // 115, "usedBytes": used, "capacityBytes": capacity, "lostLidsBelow": 1,
        "drain": "none", "usesPerSecond": 0, "zones": 40, "copies": 110, "copiesOnDisk": 110, "logBytes": 2 * used,
        "machine": "node-a", "failureZone": "zone-1", **other}


def super_peer(nid, name, **other):
    return {"nid": nid, "name": name, "address": f"{name}:7400", "httpAddress": f"{name}:7401", "reachable": True,
            "votes": 4, "leader": nid == "0x0001", "arcServedBy": nid, **other}


def recovery(number, **other):
    return {"zone": f"0x8000/{number}", "epoch": 5, "candidate": "0x2000", "waitingFor": "", "chunks": 1000 * number,
            "bytes": 32000 * number, "ageMillis": 1200, "note": "", **other}


def plan(name, state, **other):
    return {"plan": name, "kind": "drain", "nid": "0x4000", "state": state, "note": "", "moves": 40, "movesDone": 13,
            "movesFailed": 0, "bytes": 900 * MIB, "bytesDone": 290 * MIB, **other}


def overview(at, peers, super_peers, zones, plans=(), migrations=()):
    live = [each for each in peers if each["state"] == "live"]
    sums = {name: sum(each[name] for each in live)
            for name in ("chunks", "payloadBytes", "bookkeepingBytes", "usedBytes", "capacityBytes")}
    events = [{"time": "2026-01-01T09:58:00.001Z", "kind": "founded", "nid": "0x0001"}]
    nothing = {"plans": [], "plansUnlisted": 0, "migrations": [], "migrationsUnlisted": 0}
    return copy.deepcopy({
        "at": at, "from": "0x0001",
        "status": {
            "clusterId": "39b4beec-6af5-4fd5-8183-c8d74bed0d8a", "version": "0.1.0",
            "ring": {"epoch": 3, "size": len(super_peers), "expectedSize": 3, "complete": len(super_peers) == 3,
                     "recommendedSize": 1, "votersKnown": True, "superPeers": super_peers, "candidates": [],
                     "operation": {}, "events": events},
            "storagePeers": peers,
            "zones": {"inSync": 160, "degraded": 0, "recovering": 0, "lost": 0, "recovered": 3, "recoveries": [],
                      **zones},
            "hotRanges": [
                {"zone": "0xbffe/1", "slots": "128-191", "from": "0xbffe000000000001", "to": "0xbffe00000000ffff",
                 "owner": "0x4000", "perSecond": 38000},
                {"zone": "", "slots": "", "from": "0x8000000000000001", "to": "0x8000ffffffffffff",
                 "owner": "0x8000", "perSecond": 19000}],
            "totals": {"superPeers": len(super_peers), "storagePeers": len(peers), "livePeers": len(live),
                       "ranges": 412, **sums}},
        "work": {"0x0001": {**nothing, "plans": list(plans), "migrations": list(migrations)}, "0x4001": nothing}})


SUPER_PEERS = [super_peer("0x0001", "super-peer-0"), super_peer("0x4001", "super-peer-2"),
               super_peer("0x8001", "super-peer-1")]


def well(at="2026-01-01T10:00:00Z"):
    """Nothing is wrong."""
    return overview(at, [
        peer("0x2000", "storage-3", fill=0.22, usesPerSecond=800, machine="node-b", failureZone="zone-2"),
        peer("0x4000", "storage-1", fill=0.46, usesPerSecond=41200),
        peer("0x8000", "storage-0", fill=0.51, usesPerSecond=22000, machine="node-c", failureZone="zone-3"),
        peer("0xc000", "storage-2", fill=0.88, usesPerSecond=12000)], SUPER_PEERS, {})


def trouble(at="2026-01-01T10:00:04Z"):
    """A storage peer and a super-peer are gone, another storage peer is drained, one is full, a zone is lost."""
    return overview(
        at,
        [peer("0x2000", "storage-3", fill=0.22, usesPerSecond=800, machine="node-b", failureZone="zone-2"),
         peer("0x4000", "storage-1", fill=0.46, usesPerSecond=41200, drain="running"),
         peer("0x8000", "storage-0", fill=0.51, state="expired", zones=0, machine="node-c", failureZone="zone-3"),
         peer("0xc000", "storage-2", fill=0.98, usesPerSecond=12000)],
        [SUPER_PEERS[0], SUPER_PEERS[1], super_peer("0x8001", "super-peer-1", reachable=False, arcServedBy="0x0001")],
        {"inSync": 60, "degraded": 64, "recovering": 35, "lost": 1, "recoveries": [
            recovery(1), recovery(2, candidate="", waitingFor="0x4000 0xc000"), recovery(3, candidate="0xc000")]},
        [plan("0x2000/1", "done", kind="spread", nid="0x2000", movesDone=40), plan("0x4000/2", "running")],
        [{"migration": "0x4000/17", "from": "0x4000000000000001", "to": "0x4000000000010000", "source": "0x4000",
          "target": "0x2000"}])


class Server:
    """Serves the files of the console as they are in the sources, and as data what a test says."""

    def __init__(self):
        self.data = well()
        self.code = 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/console/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler):
        name = handler.path.rsplit("/", 1)[1] or "console.html"
        file = FILES / name
        if name == "data":
            code, kind, body = self.code, "application/json", json.dumps(self.data).encode()
        elif file.is_file():
            code, kind, body = 200, TYPES[file.suffix] + "; charset=utf-8", file.read_bytes()
        else:
            code, kind, body = 404, "text/plain", b"not found\n"
        with contextlib.suppress(ConnectionError):
            handler.send_response(code)
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Security-Policy", "default-src 'self'")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
