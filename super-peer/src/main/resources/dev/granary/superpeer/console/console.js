// Asks the super-peer for "data" once a second, and shows the answer.

import { attributes, byId, children, element, table, text } from './dom.js';
import { bytes, fillLevel, fillOf, fillWithoutLargest, number, percent, plural, read, verdicts } from './model.js';
import { showRing } from './ring.js';
import { clock, showSeen } from './seen.js';

const POLL_MILLIS = 1000;
const ANSWER_MILLIS = 7000;
const STALE_MILLIS = 5000;

function showVerdicts(state) {
  const found = verdicts(state);
  children(byId('verdict'), found, (one) => one.key, () => element('li'), (line, one) => {
    attributes(line, { 'data-level': one.level });
    text(line, one.words);
  });
  text(document.querySelector('title'), `${found.some((one) => one.level === 'bad') ? '! ' : ''}Granary console`);
}

function showTiles(state) {
  const { totals, peers, live } = state;
  const uses = live.reduce((sum, peer) => sum + peer.usesPerSecond, 0);
  const hottest = live.reduce((most, peer) => (peer.usesPerSecond > (most?.usesPerSecond ?? 0) ? peer : most), null);
  const perChunk = totals.chunks > 0 ? totals.bookkeepingBytes / totals.chunks : 0;
  const without = fillWithoutLargest(state);
  const hasCopies = peers.some((peer) => peer.copies > 0);
  const values = {
    cluster: state.clusterId || '–',
    version: state.version,
    from: state.from,
    chunks: number(totals.chunks),
    payload: `${bytes(totals.payloadBytes)}, and ${perChunk.toFixed(1)} B beside each`,
    used: percent(fillOf(totals)),
    capacity: `${bytes(totals.usedBytes)} of ${bytes(totals.capacityBytes)}`,
    headroom: hasCopies && without <= 0.95 ? 'one peer' : 'none',
    'headroom-note': !hasCopies ? 'there are no copies'
      : Number.isFinite(without) ? `without the largest ${percent(without)} full` : 'there is no other storage peer',
    uses: number(uses),
    hottest: hottest ? `most at ${hottest.name}: ${number(hottest.usesPerSecond)}` : 'none in the last 20 s',
    live: `${live.length} of ${peers.filter((peer) => peer.shown !== 'left').length}`,
    ranges: plural(totals.ranges, 'range'),
  };
  Object.entries(values).forEach(([id, value]) => text(byId(id), value));
}

const ZONE_STATES = {
  inSync: 'with all copies',
  degraded: 'with copies missing',
  recovering: 'recovering',
  lost: 'lost',
};

function showZones({ zones }) {
  Object.keys(ZONE_STATES).forEach((name) => text(byId(`zones-${name}`), number(zones[name])));
  const there = Object.keys(ZONE_STATES).filter((name) => zones[name] > 0);
  const told = there.map((name) => `${number(zones[name])} ${ZONE_STATES[name]}`).join(', ');
  attributes(byId('zone-bar'), { 'aria-label': `Zones: ${told || 'none'}` });
  children(byId('zone-bar'), there, (name) => name, () => element('i'), (piece, name) => {
    attributes(piece, { 'data-zone': name });
    piece.style.flexGrow = String(zones[name]);
  });
  const done = plural(zones.recovered, 'recovery', 'recoveries');
  text(byId('recovered'), `${done} ended since the present leaders of arcs lead.`);
  table('recoveries', zones.recoveries, (one) => one.zone, [
    (one) => one.zone,
    (one) => one.candidate || 'not decided',
    (one) => number(one.chunks),
    (one) => `${(one.ageMillis / 1000).toFixed(1)} s`,
    (one) => ({ text: [one.waitingFor, one.note].filter(Boolean).join('; ') || '–', free: true }),
  ]);
}

const PEER_LEVELS = { live: 'good', parked: 'warn', expired: 'bad', left: null };
const DRAINS = { none: '', running: ', drains', done: ', drained' };

const ORDERS = {
  nid: () => 0,
  fill: (one, other) => fillOf(other) - fillOf(one),
  heat: (one, other) => other.usesPerSecond - one.usesPerSecond,
};
let order = 'nid';

/** The head of a column sorts the storage peers by it; they come sorted by NID. */
function sortStoragePeers() {
  const buttons = [...document.querySelectorAll('button[data-sort]')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      order = button.dataset.sort;
      buttons.forEach((one) => attributes(one.parentElement, { 'aria-sort': null }));
      attributes(button.parentElement, { 'aria-sort': order === 'nid' ? 'ascending' : 'descending' });
      if (shown !== null) showStoragePeers(shown);
    });
  }
}

function showStoragePeers({ peers }) {
  const mostUses = Math.max(1, ...peers.map((peer) => peer.usesPerSecond));
  table('storage', peers.toSorted(ORDERS[order]), (peer) => peer.nid, [
    (peer) => peer.nid,
    (peer) => peer.name,
    (peer) => ({ text: peer.shown + DRAINS[peer.drain], level: PEER_LEVELS[peer.shown] }),
    (peer) => ({
      bar: fillOf(peer),
      text: `${percent(fillOf(peer))} of ${bytes(peer.capacityBytes)}`,
      level: fillLevel(fillOf(peer)),
    }),
    (peer) => ({ bar: peer.usesPerSecond / mostUses, text: `${number(peer.usesPerSecond)}/s`, kind: 'heat' }),
    (peer) => number(peer.chunks),
    (peer) => number(peer.zones),
    (peer) => number(peer.copies),
    (peer) => bytes(peer.logBytes),
    (peer) => [peer.machine, peer.failureZone].filter(Boolean).join(', ') || '–',
  ]);
}

const HOT_RANGES = 10;

function showHotRanges({ hotRanges }) {
  const most = Math.max(1, ...hotRanges.map((range) => range.perSecond));
  table('hot', hotRanges.slice(0, HOT_RANGES), (range) => range.owner + range.from + range.zone, [
    (range) => range.from,
    (range) => range.to,
    (range) => range.zone || 'without copies',
    (range) => range.slots || '–',
    (range) => range.owner,
    (range) => ({ bar: range.perSecond / most, text: `${number(range.perSecond)}/s`, kind: 'heat' }),
  ]);
}

function showSuperPeers({ ring, from }) {
  const candidates = ring.candidates.map((one) => ({ ...one, outside: true }));
  const stateOf = (one) => [
    one.reachable ? 'reachable' : 'no answer',
    one.leader ? 'leads the ring' : '',
    one.outside ? 'outside the ring' : '',
  ].filter(Boolean).join(', ');
  table('super', [...ring.superPeers, ...candidates], (one) => one.nid, [
    (one) => one.nid,
    (one) => one.name,
    (one) => ({ text: stateOf(one), level: one.reachable ? 'good' : 'bad' }),
    (one) => (one.outside ? '–' : one.arcServedBy === one.nid ? 'itself' : one.arcServedBy || 'nobody'),
    (one) => number(one.votes),
    // A browser elsewhere may not reach this address.
    (one) => (one.nid === from ? 'this page' : { text: one.httpAddress, href: `http://${one.httpAddress}/console/` }),
  ]);
}

const PLAN_LEVELS = { running: 'busy', done: 'good', aborted: 'warn', failed: 'bad' };

function showWork({ plans, migrations, unlisted }) {
  table('plans', plans, (plan) => plan.plan, [
    (plan) => plan.plan,
    (plan) => `${plan.kind} ${plan.nid}`,
    (plan) => ({ text: plan.state, level: PLAN_LEVELS[plan.state] ?? null }),
    (plan) => ({
      bar: plan.moves > 0 ? plan.movesDone / plan.moves : 1,
      text: `${number(plan.movesDone)} of ${number(plan.moves)}`,
      kind: 'move',
    }),
    (plan) => `${bytes(plan.bytesDone)} of ${bytes(plan.bytes)}`,
    (plan) => number(plan.movesFailed),
    (plan) => ({ text: plan.note || '–', free: true }),
  ]);
  table('migrations', migrations, (one) => one.migration, [
    (one) => one.migration,
    (one) => one.source,
    (one) => one.target,
    (one) => (one.from === one.to ? one.from : `${one.from} to ${one.to}`),
  ]);
  text(byId('more'), unlisted > 0 ? `${number(unlisted)} more are not listed.` : '');
}

let newest = { at: null, since: performance.now() };
let shown = null;

function show(data) {
  if (newest.at !== data.at) newest = { at: data.at, since: performance.now() };
  const state = read(data);
  shown = state;
  const tables = [showStoragePeers, showHotRanges, showSuperPeers, showWork];
  [showVerdicts, showTiles, showZones, showRing, ...tables, showSeen].forEach((part) => part(state));
}

/** Returns why there is no answer, or null. */
async function ask() {
  let data;
  try {
    const answer = await fetch('data', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MILLIS) });
    if (!answer.ok) return `the super-peer says ${answer.status}`;
    data = await answer.json();
  } catch (problem) {
    if (problem instanceof SyntaxError) return 'the answer cannot be read';
    const silent = problem.name === 'TimeoutError';
    return silent ? `the super-peer was silent for ${ANSWER_MILLIS / 1000} s` : 'the super-peer cannot be reached';
  }
  try {
    show(data);
    return null;
  } catch (problem) {
    console.error(problem);
    return `this page fails (${problem.message})`;
  }
}

/** Says whether what is shown is new. */
function showLink(failure) {
  const ageMillis = performance.now() - newest.since;
  const stale = failure !== null || ageMillis > STALE_MILLIS;
  const which = newest.at === null ? '' : ` Shown is the state of ${clock(newest.at)}.`;
  const words = failure === null ? 'The super-peer gives old data.' : `Stale: ${failure}.`;
  attributes(byId('link'), { 'data-state': stale ? 'stale' : 'live' });
  text(byId('link'), stale ? words + which : 'Live, each second');
  // Apart from the words, which are read aloud when they change.
  text(byId('age'), stale && newest.at !== null ? `${Math.round(ageMillis / 1000)} s old` : '');
  document.body.toggleAttribute('data-stale', stale);
}

/** Asks again a second after the last question, or soon when the answer took longer; not while nobody looks. */
async function run() {
  for (;;) {
    const began = performance.now();
    if (!document.hidden) showLink(await ask());
    const waitMillis = Math.max(100, POLL_MILLIS - (performance.now() - began));
    await new Promise((resolve) => setTimeout(resolve, waitMillis));
  }
}

sortStoragePeers();
run();
