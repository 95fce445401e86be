// ioredis.js HOST PORT FORM: what programs do with ioredis, with its default settings.
const { Cluster, Redis } = require("ioredis");
const { runChecks, expectError, equal, ok, sleep, prefix, numbers } = require("./checks.js");

const [host, port, form] = process.argv.slice(2);
const isCluster = form === "cluster";
const own = prefix("io");

async function open() {
  const address = { host, port: Number(port) };
  const client = isCluster ? new Cluster([address]) : new Redis({ ...address, connectionName: "e2e" });
  client.on("error", () => {}); // each call fails by itself
  await client.ping(); // it has learnt the nodes of the cluster
  return client;
}

function nodes(client) {
  return isCluster ? client.nodes("master") : [client];
}

// The replies of a pipeline or transaction, which come as [error, reply].
function replies(results) {
  return results.map(([error, reply]) => {
    ok(!error, `${error}`);
    return reply;
  });
}

const checks = {
  async opening(client) {
    for (const node of nodes(client)) {
      equal(await node.ping(), "PONG");
      ok((await node.info("server")).includes("redis_version:"));
    }
  },

  async strings(client) {
    const key = `${own}:s`;
    const binary = Buffer.from(numbers(256));
    equal(await client.set(key, binary), "OK");
    equal(await client.getBuffer(key), binary);
    equal(await client.set(key, "x", "NX"), null);
    equal(await client.set(key, "10", "XX"), "OK");
    equal(await client.incrby(key, 32), 42);
    equal(await client.append(key, "!"), 3);
    equal(await client.getrange(key, 1, -1), "2!");
    equal(await client.get(`${own}:none`), null);
    const large = "granary".repeat(150_000);
    equal(await client.set(key, large), "OK");
    equal(await client.get(key), large);
    equal(await client.del(key), 1);
  },

  async "many-keys"(client) {
    const keys = numbers(100).map((at) => `${own}:{m}:${at}`);
    equal(await client.mset(keys.flatMap((key, at) => [key, String(at)])), "OK");
    equal(await client.mget(keys), numbers(100).map(String));
    equal(await client.exists(keys), 100);
    equal(await client.unlink(keys), 100);
  },

  async expiry(client) {
    const key = `${own}:e`;
    await client.set(key, "x", "PX", 200);
    const left = await client.pttl(key);
    ok(left > 0 && left <= 200, `${left}`);
    await sleep(300);
    equal(await client.get(key), null);
    await client.setex(key, 100, "y");
    ok((await client.ttl(key)) >= 98);
    equal(await client.persist(key), 1);
    equal(await client.ttl(key), -1);
    const moment = Date.now() + 50_000;
    equal(await client.pexpireat(key, moment), 1);
    equal(await client.pexpiretime(key), moment);
    equal(await client.getdel(key), "y");
  },

  async hashes(client) {
    const key = `${own}:h`;
    equal(await client.hset(key, { a: "1", b: "two" }), 2);
    equal({ ...(await client.hgetall(key)) }, { a: "1", b: "two" });
    equal(await client.hincrby(key, "a", 41), 42);
    equal(await client.hmget(key, "a", "none"), ["42", null]);
    equal(await client.hdel(key, "b"), 1);
    equal(await client.hlen(key), 1);
    equal(await client.del(key), 1);
  },

  // A pipeline of this client goes to one node: its keys lie in one slot.
  async pipelines(client) {
    const keys = numbers(1000).map((at) => `${own}:{p}:${at}`);
    const pipeline = client.pipeline();
    keys.forEach((key, at) => pipeline.set(key, String(at)).get(key));
    equal(replies(await pipeline.exec()), numbers(1000).flatMap((at) => ["OK", String(at)]));
    equal(await Promise.all(keys.map((key) => client.del(key))), keys.map(() => 1));
  },

  async transactions(client) {
    const [key, other] = [`${own}:{t}:1`, `${own}:{t}:2`];
    const done = await client.multi().set(key, "1").incr(key).set(other, "x").get(other).exec();
    equal(replies(done), ["OK", 2, "OK", "x"]);
    equal(await client.del(key, other), 2);
  },

  async watch(client) {
    const key = `${own}:{w}`;
    await client.set(key, "1");
    const second = await open();
    try {
      await client.watch(key);
      equal(replies(await client.multi().set(key, "2").exec()), ["OK"]);
      await client.watch(key);
      await second.set(key, "10");
      equal(await client.multi().set(key, "3").exec(), null);
    } finally {
      second.disconnect();
    }
    equal(await client.get(key), "10");
    await client.del(key);
  },

  async scan(client) {
    const keys = numbers(1000).map((at) => `${own}:scan:${at}`);
    await Promise.all(keys.map((key) => client.set(key, "x")));
    const found = new Set();
    for (const node of nodes(client)) {
      for await (const some of node.scanStream({ match: `${own}:scan:*`, count: 100 })) {
        some.forEach((key) => found.add(key));
      }
    }
    equal([...found].sort(), [...keys].sort());
    await Promise.all(keys.map((key) => client.del(key)));
  },

  async errors(client) {
    const key = `${own}:x`;
    await client.hset(key, "a", "1");
    await expectError(client.incr(key));
    await expectError(client.call("FOOBAR", key));
    equal(await client.hget(key, "a"), "1");
    await client.del(key);
  },
};

runChecks(checks, open, (client) => client.disconnect());
