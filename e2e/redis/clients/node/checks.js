// The frame of both programs: runs checks one after the other, each with a client of its own, and tells what failed.
const assert = require("node:assert/strict");

const CHECK_MILLIS = 30_000;

// Runs checks, an object of functions that take a client. open() gives a client, close(client) ends it.
async function runChecks(checks, open, close) {
  let failed = false;
  for (const [name, check] of Object.entries(checks)) {
    let client;
    let timer;
    try {
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`took longer than ${CHECK_MILLIS} ms`)), CHECK_MILLIS);
      });
      const work = async () => {
        client = await open();
        await check(client);
      };
      await Promise.race([work(), late]);
      console.log(`ok ${name}`);
    } catch (error) {
      failed = true;
      console.log(`failed ${name}: ${String(error).replace(/\s+/g, " ").slice(0, 1000)}`);
    } finally {
      clearTimeout(timer);
      if (client) {
        await close(client);
      }
    }
  }
  process.exit(failed ? 1 : 0);
}

// Fails unless a call fails with an error of the server or of the client.
async function expectError(call) {
  await assert.rejects(call);
}

module.exports = {
  runChecks,
  expectError,
  equal: assert.deepEqual,
  ok: assert.ok,
  sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
  prefix: (name) => `e2e:${name}:${process.pid.toString(16)}`,
  numbers: (count) => [...Array(count).keys()],
};
