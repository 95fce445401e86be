// What the data of the super-peer mean, without the page.

const MOST_NAMED = 4;

export const number = (value) => Math.round(value).toLocaleString('en-US');
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
export const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const fillOf = (peer) => (peer.capacityBytes > 0 ? peer.usedBytes / peer.capacityBytes : 0);

/** From these fills on the alerts GranaryMemoryNearlyFull and GranaryMemoryFull begin. */
export const fillLevel = (fill) => (fill > 0.97 ? 'bad' : fill > 0.85 ? 'warn' : null);

/** Takes apart what the server has put together; super-peers that have not told their part are missing in it. */
export function read({ at, from, status, work }) {
  const told = Object.values(work);
  const all = (field) => told.flatMap((part) => part[field]);
  const { ring, zones, totals } = status;
  const peers = status.storagePeers.map((peer) => ({ ...peer, shown: shownState(peer, zones) }));
  return {
    at: Date.parse(at),
    from,
    clusterId: status.clusterId,
    version: status.version,
    ring,
    zones,
    totals,
    peers,
    live: peers.filter((peer) => peer.state === 'live'),
    hotRanges: status.hotRanges,
    plans: all('plans').sort((a, b) => (b.state === 'running') - (a.state === 'running')),
    migrations: all('migrations'),
    unlisted: told.reduce((sum, part) => sum + part.plansUnlisted + part.migrationsUnlisted, 0),
  };
}

/** A storage peer without a lease has left when nothing is its any more; while zones are recovered they may be its. */
function shownState(peer, zones) {
  const hasLeft = peer.state === 'expired' && peer.zones + peer.copies === 0 && zones.recovering === 0;
  return hasLeft ? 'left' : peer.state;
}

/** How full the others would be if the largest storage peer ended, as the alert GranaryNoHeadroom counts it. */
export function fillWithoutLargest({ live, totals }) {
  const largest = live.reduce((most, peer) => Math.max(most, peer.capacityBytes), 0);
  return totals.capacityBytes > largest ? totals.usedBytes / (totals.capacityBytes - largest) : Infinity;
}

/** What a person should know first: sentences with the levels `bad`, `warn`, `busy` or `good`, the worst first. */
export function verdicts(state) {
  const { ring, zones, peers } = state;
  const found = [];
  const say = (holds, level, key, words) => holds && found.push({ level, key, words });
  const names = (list) => list.slice(0, MOST_NAMED).map((one) => `${one.nid} (${one.name})`).join(', ')
    + (list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : '');
  const unserved = ring.superPeers.filter((one) => one.arcServedBy === '');
  const silent = ring.superPeers.filter((one) => !one.reachable);
  const expired = peers.filter((peer) => peer.shown === 'expired');
  const full = state.live.filter((peer) => fillLevel(fillOf(peer)) === 'bad');
  const running = state.plans.filter((plan) => plan.state === 'running').length;
  say(ring.size === 0, 'bad', 'no ring', 'This super-peer belongs to no ring yet.');
  say(zones.lost > 0, 'bad', 'lost', `${plural(zones.lost, 'zone')} lost: no copy of these chunks is left.`);
  say(unserved.length > 0, 'bad', 'arcs', `Nobody answers for the arc of super-peer ${names(unserved)}: its storage`
    + ' peers and zones are missing below.');
  say(silent.length > 0, 'bad', 'silent', `No answer within half a second from super-peer ${names(silent)}.`);
  say(expired.length > 0, 'bad', 'expired', `Without a lease: storage peer ${names(expired)}.`);
  say(full.length > 0, 'bad', 'full', `Full, creates are refused: storage peer ${names(full)}.`);
  const incomplete = ring.size > 0 && !ring.complete;
  say(incomplete, 'warn', 'ring', `The ring has ${ring.size} of ${ring.expectedSize} super-peers.`);
  say(zones.degraded > 0, 'warn', 'degraded', `${plural(zones.degraded, 'zone')} with fewer copies than wanted.`);
  const ownerless = plural(zones.recovering, 'zone');
  say(zones.recovering > 0, 'busy', 'recovering', `${ownerless} without an owner, being recovered.`);
  say(running > 0, 'busy', 'plans', `${plural(running, 'plan')} running.`);
  say(ring.operation.kind, 'busy', 'operation', `The ring changes: ${ring.operation.kind} ${ring.operation.nid}.`);
  if (found.every((one) => one.level === 'busy') && zones.recovering === 0) {
    const words = zones.inSync > 0 ? 'All zones have their owner and their copies.' : 'There are no zones yet.';
    say(true, 'good', 'good', words);
  }
  return found;
}
