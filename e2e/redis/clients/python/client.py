"""client.py HOST PORT FORM: what programs do with redis-py, with its default settings."""

import sys
import time
import uuid

import redis
from redis.cluster import RedisCluster

PREFIX = f"e2e:py:{uuid.uuid4().hex[:8]}"


def connect(host, port, form):
    kind = RedisCluster if form == "cluster" else redis.Redis
    return kind(host=host, port=port, client_name="e2e", socket_timeout=20)


def expect(actual, expected):
    assert actual == expected, f"expected {expected!r}, got {actual!r}"


def plain(replies):
    """In a cluster, transactions give OK as the server wrote it."""
    return [True if reply == b"OK" else reply for reply in replies]


def opening(client):
    expect(client.ping(), True)
    information = client.info("server")
    first = information if "redis_version" in information else next(iter(information.values()))
    assert first["redis_version"], information


def strings(client):
    key, binary = f"{PREFIX}:s", bytes(range(256))
    expect(client.set(key, binary), True)
    expect(client.get(key), binary)
    expect(client.set(key, b"x", nx=True), None)
    expect(client.set(key, b"10", xx=True, get=True), binary)
    expect(client.incrby(key, 32), 42)
    expect(client.append(key, "!"), 3)
    expect(client.getrange(key, 1, -1), b"2!")
    expect(client.get(f"{PREFIX}:none"), None)
    large = b"granary" * 150_000
    expect(client.set(key, large), True)
    expect(client.get(key), large)
    expect(client.delete(key), 1)


def many_keys(client):
    pairs = {f"{PREFIX}:{{m}}:{at}": str(at).encode() for at in range(100)}
    expect(client.mset(pairs), True)
    expect(client.mget(list(pairs)), list(pairs.values()))
    expect(client.exists(*pairs), 100)
    expect(client.unlink(*pairs), 100)


def many_slots(client):
    """Keys of many slots in one call: a client of a cluster splits it, otherwise the server does."""
    pairs = {f"{PREFIX}:m:{at}": str(at).encode() for at in range(100)}
    if isinstance(client, RedisCluster):
        expect(client.mset_nonatomic(pairs), [True] * len({client.keyslot(key) for key in pairs}))
        expect(client.mget_nonatomic(list(pairs)), list(pairs.values()))
    else:
        expect(client.mset(pairs), True)
        expect(client.mget(list(pairs)), list(pairs.values()))
    expect(client.delete(*pairs), 100)


def expiry(client):
    key = f"{PREFIX}:e"
    expect(client.set(key, "x", px=200), True)
    assert 0 < client.pttl(key) <= 200
    time.sleep(0.3)
    expect(client.get(key), None)
    client.setex(key, 100, "y")
    assert 98 <= client.ttl(key) <= 100
    expect(client.persist(key), True)
    expect(client.ttl(key), -1)
    moment = int(time.time() * 1000) + 50_000
    expect(client.pexpireat(key, moment), True)
    expect(client.pexpiretime(key), moment)
    expect(client.getdel(key), b"y")
    expect(client.ttl(key), -2)


def hashes(client):
    key = f"{PREFIX}:h"
    expect(client.hset(key, mapping={"a": "1", "b": b"\x00\xff"}), 2)
    expect(client.hgetall(key), {b"a": b"1", b"b": b"\x00\xff"})
    expect(client.hincrby(key, "a", 41), 42)
    expect(client.hmget(key, ["a", "none"]), [b"42", None])
    expect(client.hdel(key, "b"), 1)
    expect(client.hlen(key), 1)
    expect(client.delete(key), 1)


def pipelines(client):
    keys = [f"{PREFIX}:p:{at}" for at in range(1000)]
    with client.pipeline(transaction=False) as pipeline:
        for at, key in enumerate(keys):
            pipeline.set(key, at).get(key)
        replies = pipeline.execute()
    expect(replies, [reply for at in range(1000) for reply in (True, str(at).encode())])
    with client.pipeline(transaction=False) as pipeline:
        for key in keys:
            pipeline.delete(key)
        expect(pipeline.execute(), [1] * 1000)


def transactions(client):
    key, other = f"{PREFIX}:{{t}}:1", f"{PREFIX}:{{t}}:2"
    with client.pipeline(transaction=True) as pipeline:
        pipeline.set(key, 1).incr(key).set(other, "x").get(other)
        expect(plain(pipeline.execute()), [True, 2, True, b"x"])
    client.delete(key, other)


def watch(client):
    key = f"{PREFIX}:{{w}}"
    client.set(key, 1)
    with client.pipeline(transaction=True) as pipeline:
        pipeline.watch(key)
        value = int(pipeline.get(key))
        pipeline.multi()
        pipeline.set(key, value + 1)
        expect(plain(pipeline.execute()), [True])
    with client.pipeline(transaction=True) as pipeline:
        pipeline.watch(key)
        client.set(key, 10)
        pipeline.multi()
        pipeline.set(key, 3)
        try:
            pipeline.execute()
            raise AssertionError("a transaction went through although its watched key had changed")
        except redis.WatchError:
            pass
    expect(client.get(key), b"10")
    client.delete(key)


def scan(client):
    keys = {f"{PREFIX}:scan:{at}".encode() for at in range(1000)}
    for key in keys:
        client.set(key, "x")
    expect(set(client.scan_iter(match=f"{PREFIX}:scan:*", count=100)), keys)
    for key in keys:
        client.delete(key)
    fields = {f"f{at}": str(at) for at in range(1000)}
    client.hset(f"{PREFIX}:h", mapping=fields)
    found = dict(client.hscan_iter(f"{PREFIX}:h", count=50))
    expect(found, {field.encode(): value.encode() for field, value in fields.items()})
    client.delete(f"{PREFIX}:h")


def errors(client):
    key = f"{PREFIX}:x"
    client.hset(key, "a", "1")
    for call in (lambda: client.incr(key), lambda: client.execute_command("FOOBAR", key)):
        try:
            call()
            raise AssertionError("an error was expected")
        except redis.RedisError:
            pass
    expect(client.hget(key, "a"), b"1")
    client.delete(key)


def main(host, port, form):
    failed = False
    checks = [opening, strings, many_keys, many_slots, expiry, hashes, pipelines, transactions, watch, scan, errors]
    for check in checks:
        try:
            with connect(host, int(port), form) as client:
                check(client)
            print(f"ok {check.__name__}", flush=True)
        except Exception as error:  # each failure is told, whatever it is
            failed = True
            print(f"failed {check.__name__}: {type(error).__name__} {error}".replace("\n", " ")[:1000], flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
