// The list of what happened: events of the ring, and what has changed from one answer to the next while the page is
// open.

import { byId, children, element } from './dom.js';
import { plural } from './model.js';

const MOST = 60;

const lines = [];
let before = null;
let count = 0;

export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');

function note(at, words, level) {
  lines.unshift({ key: count++, at, words, level });
}

export function showSeen(state) {
  noteRing(state);
  if (before !== null) {
    notePeers(state);
    noteZones(state.at, before.zones, state.zones);
    notePlans(state);
  }
  before = state;
  lines.sort((a, b) => b.at - a.at || b.key - a.key);
  lines.length = Math.min(lines.length, MOST);
  children(byId('seen'), lines, (line) => line.key, make, () => {});
}

function noteRing({ at, ring }) {
  const last = before?.ring.events.at(-1);
  const known = last === undefined ? -Infinity : Date.parse(last.time);
  ring.events
    .filter((event) => Date.parse(event.time) > known)
    .forEach((event) => note(Date.parse(event.time), `Ring: ${event.kind} ${event.nid}`.trim(), null));
  const reached = new Map(before?.ring.superPeers.map((one) => [one.nid, one.reachable]) ?? []);
  for (const one of ring.superPeers) {
    if (!reached.has(one.nid) || reached.get(one.nid) === one.reachable) continue;
    const what = one.reachable ? 'answers again' : 'does not answer';
    note(at, `Super-peer ${one.nid} (${one.name}) ${what}`, one.reachable ? 'good' : 'bad');
  }
}

function notePeers({ at, peers }) {
  const levels = { live: 'good', parked: 'warn', expired: 'bad', left: null };
  const old = new Map(before.peers.map((peer) => [peer.nid, peer]));
  for (const peer of peers) {
    const name = `Storage peer ${peer.nid} (${peer.name})`;
    const was = old.get(peer.nid);
    if (was === undefined) note(at, `${name} is new: ${peer.shown}`, levels[peer.shown]);
    else if (was.epoch !== peer.epoch) note(at, `${name} has started again`, 'warn');
    else if (was.shown !== peer.shown) note(at, `${name} is ${peer.shown}`, levels[peer.shown]);
    if (was !== undefined && was.drain !== peer.drain) note(at, `${name}: drain ${peer.drain}`, 'busy');
  }
}

function noteZones(at, was, is) {
  const begins = (field) => was[field] === 0 && is[field] > 0;
  const ends = (field) => was[field] > 0 && is[field] === 0;
  if (begins('recovering')) note(at, `${plural(is.recovering, 'zone')} without an owner: recovery begins`, 'busy');
  if (ends('recovering')) note(at, 'Every zone that is not lost has an owner again', 'good');
  if (is.lost > was.lost) note(at, `${plural(is.lost - was.lost, 'zone')} lost`, 'bad');
  if (begins('degraded')) note(at, `${plural(is.degraded, 'zone')} with copies missing`, 'warn');
  if (ends('degraded')) note(at, 'No copy is missing any more', 'good');
}

function notePlans({ at, plans }) {
  const old = new Map(before.plans.map((plan) => [plan.plan, plan.state]));
  for (const plan of plans) {
    if (old.get(plan.plan) === plan.state) continue;
    const level = plan.state === 'failed' ? 'bad' : plan.state === 'done' ? 'good' : 'busy';
    note(at, `Plan ${plan.plan} (${plan.kind} ${plan.nid}) is ${plan.state}`, level);
  }
}

function make({ at, words, level }) {
  const line = element('li');
  const time = element('time');
  const what = element('span');
  time.dateTime = new Date(at).toISOString();
  time.textContent = clock(at);
  what.textContent = words;
  if (level) line.dataset.level = level;
  line.append(time, what);
  return line;
}
