// node-redis.js HOST PORT FORM: what programs do with node-redis, with its default settings.
const { createClient, createCluster, RESP_TYPES, WatchError } = require("redis");
const { runChecks, expectError, equal, ok, sleep, prefix, numbers } = require("./checks.js");

const [host, port, form] = process.argv.slice(2);
const isCluster = form === "cluster";
const url = `redis://${host}:${port}`;
const own = prefix("node");

async function open() {
  const client = isCluster ? createCluster({ rootNodes: [{ url }] }) : createClient({ url, name: "e2e" });
  client.on("error", () => {}); // each call fails by itself
  return client.connect();
}

// The clients of single nodes.
async function nodes(client) {
  return isCluster ? Promise.all(client.masters.map((node) => client.nodeClient(node))) : [client];
}

// A connection to the node that has a key, for WATCH.
async function connectionOf(client, key) {
  if (!isCluster) {
    return client;
  }
  const slot = await client.sendCommand(key, true, ["CLUSTER", "KEYSLOT", key]);
  return client.nodeClient(client.slots[slot].master);
}

const checks = {
  async opening(client) {
    for (const node of await nodes(client)) {
      equal(await node.ping(), "PONG");
      ok((await node.info("server")).includes("redis_version:"));
    }
  },

  async strings(client) {
    const key = `${own}:s`;
    const binary = Buffer.from(numbers(256));
    equal(await client.set(key, binary), "OK");
    equal(await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).get(key), binary);
    equal(await client.set(key, "x", { condition: "NX" }), null);
    equal(await client.set(key, "10", { condition: "XX" }), "OK");
    equal(await client.incrBy(key, 32), 42);
    equal(await client.append(key, "!"), 3);
    equal(await client.getRange(key, 1, -1), "2!");
    equal(await client.get(`${own}:none`), null);
    const large = "granary".repeat(150_000);
    equal(await client.set(key, large), "OK");
    equal(await client.get(key), large);
    equal(await client.del(key), 1);
  },

  async "many-keys"(client) {
    const keys = numbers(100).map((at) => `${own}:{m}:${at}`);
    equal(await client.mSet(keys.map((key, at) => [key, String(at)])), "OK");
    equal(await client.mGet(keys), numbers(100).map(String));
    equal(await client.exists(keys), 100);
    equal(await client.unlink(keys), 100);
  },

  async expiry(client) {
    const key = `${own}:e`;
    await client.set(key, "x", { expiration: { type: "PX", value: 200 } });
    const left = await client.pTTL(key);
    ok(left > 0 && left <= 200, `${left}`);
    await sleep(300);
    equal(await client.get(key), null);
    await client.setEx(key, 100, "y");
    ok((await client.ttl(key)) >= 98);
    equal(await client.persist(key), 1);
    equal(await client.ttl(key), -1);
    const moment = Date.now() + 50_000;
    equal(await client.pExpireAt(key, moment), 1);
    equal(await client.pExpireTime(key), moment);
    equal(await client.getDel(key), "y");
  },

  async hashes(client) {
    const key = `${own}:h`;
    equal(await client.hSet(key, { a: "1", b: "two" }), 2);
    equal({ ...(await client.hGetAll(key)) }, { a: "1", b: "two" });
    equal(await client.hIncrBy(key, "a", 41), 42);
    equal(await client.hmGet(key, ["a", "none"]), ["42", null]);
    equal(await client.hDel(key, "b"), 1);
    equal(await client.hLen(key), 1);
    equal(await client.del(key), 1);
  },

  // Calls of one moment go out as one pipeline.
  async pipelines(client) {
    const keys = numbers(1000).map((at) => `${own}:p:${at}`);
    const replies = await Promise.all(keys.flatMap((key, at) => [client.set(key, String(at)), client.get(key)]));
    equal(replies, numbers(1000).flatMap((at) => ["OK", String(at)]));
    equal(await Promise.all(keys.map((key) => client.del(key))), keys.map(() => 1));
  },

  async transactions(client) {
    const [key, other] = [`${own}:{t}:1`, `${own}:{t}:2`];
    equal(await client.multi().set(key, "1").incr(key).set(other, "x").get(other).exec(), ["OK", 2, "OK", "x"]);
    equal(await client.del([key, other]), 2);
  },

  async watch(client) {
    const key = `${own}:{w}`;
    await client.set(key, "1");
    const connection = await (await connectionOf(client, key)).duplicate().connect();
    try {
      await connection.watch(key);
      equal(await connection.multi().set(key, "2").exec(), ["OK"]);
      await connection.watch(key);
      await client.set(key, "10");
      const refused = await connection.multi().set(key, "3").exec().catch((error) => error);
      ok(refused instanceof WatchError, `${refused}`);
    } finally {
      connection.destroy();
    }
    equal(await client.get(key), "10");
    await client.del(key);
  },

  async scan(client) {
    const keys = numbers(1000).map((at) => `${own}:scan:${at}`);
    await Promise.all(keys.map((key) => client.set(key, "x")));
    const found = new Set();
    for (const node of await nodes(client)) {
      for await (const some of node.scanIterator({ MATCH: `${own}:scan:*`, COUNT: 100 })) {
        some.forEach((key) => found.add(key));
      }
    }
    equal([...found].sort(), [...keys].sort());
    await Promise.all(keys.map((key) => client.del(key)));
  },

  async errors(client) {
    const key = `${own}:x`;
    await client.hSet(key, "a", "1");
    await expectError(client.incr(key));
    await expectError(
      isCluster ? client.sendCommand(key, false, ["FOOBAR", key]) : client.sendCommand(["FOOBAR", key]),
    );
    equal(await client.hGet(key, "a"), "1");
    await client.del(key);
  },
};

runChecks(checks, open, (client) => client.destroy());
