// Draws the ring: NIDs go clockwise from 0x0000 on top, super-peers lie on it, storage peers inside at their own NIDs.

import { attributes, byId, children, svg, text } from './dom.js';
import { fillOf, number, percent, plural } from './model.js';

const NIDS = 0x10000;
const SUPER_RADIUS = 150;
const STORAGE_RADIUS = 102;
const LABEL_DISTANCE = 26;
const MOST_NAMED = 24;

const nidOf = (hex) => parseInt(hex, 16);

/** The point of a NID at a distance from the middle. */
function at(nid, radius) {
  const angle = ((nid / NIDS) * 2 - 0.5) * Math.PI;
  return [radius * Math.cos(angle), radius * Math.sin(angle)].map((value) => Number(value.toFixed(2)));
}

const shorten = (name, most) => (name.length > most ? `…${name.slice(1 - most)}` : name);

export function showRing(state) {
  const { ring, peers, live } = state;
  showArcs(ring.superPeers);
  children(byId('ring-super'), ring.superPeers, (one) => one.nid, makeSuperPeer, writeSuperPeer);
  const size = {
    radius: Math.min(15, Math.max(3, 170 / Math.max(1, peers.length))),
    mostUses: Math.max(1, ...peers.map((peer) => peer.usesPerSecond)),
    named: peers.length <= MOST_NAMED,
  };
  children(byId('ring-storage'), peers, (peer) => peer.nid, makeStoragePeer, (group, peer) =>
    writeStoragePeer(group, peer, size));
  showFlows(state);
  text(byId('ring-size'), plural(ring.size, 'super-peer'));
  text(byId('ring-epoch'), `epoch ${ring.epoch}`);
  text(byId('ring-text'), `${plural(ring.size, 'super-peer')} and ${plural(live.length, 'live storage peer')}.`
    + ' The tables of this page have the same figures.');
}

/** An arc has the colour of the super-peer that answers for it: its own as a rule. */
function showArcs(superPeers) {
  const hues = new Map(superPeers.map((one, index) => [one.nid, (205 + index * 137) % 360]));
  const arcs = superPeers.map((one, index) => ({ ...one, before: superPeers.at(index - 1).nid }));
  children(byId('ring-arcs'), arcs, (one) => one.nid, () => svg('path'), (path, one) => {
    const served = one.arcServedBy === one.nid ? 'itself' : one.arcServedBy === '' ? 'nobody' : 'other';
    attributes(path, { class: 'arc', 'data-served': served, d: band(nidOf(one.before), nidOf(one.nid)) });
    path.style.stroke = served === 'nobody' ? '' : `hsl(${hues.get(one.arcServedBy) ?? 0} 38% var(--arc-light))`;
  });
}

/** A band clockwise from one NID to another; the whole circle, with a small gap, when they are the same. */
function band(from, to) {
  const length = ((to - from - 1) & (NIDS - 1)) + 1;
  const gap = Math.min(length / 4, 500);
  const [startX, startY] = at(from + gap, SUPER_RADIUS);
  const [endX, endY] = at(from + length - gap, SUPER_RADIUS);
  const large = length - 2 * gap > NIDS / 2 ? 1 : 0;
  return `M${startX} ${startY}A${SUPER_RADIUS} ${SUPER_RADIUS} 0 ${large} 1 ${endX} ${endY}`;
}

function makeSuperPeer() {
  const group = svg('g');
  group.append(svg('rect'), svg('text'), svg('text'));
  attributes(group.children[0], { width: 16, height: 16, rx: 3 });
  attributes(group.children[2], { class: 'name' });
  return group;
}

function writeSuperPeer(group, one) {
  const [square, nid, name] = group.children;
  const [x, y] = at(nidOf(one.nid), SUPER_RADIUS);
  const [nameX, nameY] = at(nidOf(one.nid), SUPER_RADIUS + LABEL_DISTANCE);
  attributes(group, {
    class: 'super',
    'data-state': one.reachable ? 'reachable' : 'unreachable',
    'data-leader': one.leader,
  });
  attributes(square, { x: x - 8, y: y - 8 });
  const side = Math.abs(x) < SUPER_RADIUS / 2 ? 'middle' : x > 0 ? 'right' : 'left';
  attributes(nid, { x: nameX, y: nameY, 'data-side': side });
  attributes(name, { x: nameX, y: nameY + 14, 'data-side': side });
  text(nid, one.nid);
  text(name, shorten(one.name, 18));
}

function makeStoragePeer() {
  const group = svg('g');
  group.append(svg('circle'), svg('circle'), svg('circle'), svg('text'), svg('title'));
  ['halo', 'body', 'level', 'name'].forEach((name, index) => attributes(group.children[index], { class: name }));
  return group;
}

function writeStoragePeer(group, peer, { radius, mostUses, named }) {
  const [x, y] = at(nidOf(peer.nid), STORAGE_RADIUS);
  const [halo, body, level, name, title] = group.children;
  const heat = peer.usesPerSecond / mostUses;
  attributes(group, { class: 'store', 'data-state': peer.shown, 'data-drain': peer.drain });
  attributes(halo, { cx: x, cy: y, r: heat > 0 ? radius * (1.2 + 0.9 * heat) : 0 });
  attributes(body, { cx: x, cy: y, r: radius });
  // A line at half the radius, nearly as wide as the radius, is a pie; it begins on top.
  const around = Math.PI * radius;
  attributes(level, {
    cx: x,
    cy: y,
    r: radius / 2,
    'stroke-width': radius * 0.9,
    'stroke-dasharray': `${(fillOf(peer) * around).toFixed(2)} ${around.toFixed(2)}`,
    transform: `rotate(-90 ${x} ${y})`,
  });
  attributes(name, { x, y: y + radius + 16 });
  text(name, named ? shorten(peer.name, 12) : '');
  text(title, `${peer.nid} ${peer.name}: ${peer.shown}, ${percent(fillOf(peer))} full, `
    + `${number(peer.usesPerSecond)} uses a second`);
}

/** Lines through the ring: chunks that move, and zones on their way from their creator's place to their new owner. */
function showFlows({ zones, migrations }) {
  const flows = new Map();
  const add = (kind, from, to) => from !== to && flows.set(`${kind} ${from} ${to}`, { kind, from, to });
  zones.recoveries
    .filter((one) => one.candidate)
    .forEach((one) => add('recovery', one.zone.split('/')[0], one.candidate));
  migrations.forEach((one) => add('migration', one.source, one.target));
  children(byId('ring-lines'), [...flows], ([key]) => key, () => svg('path'), (path, [, { kind, from, to }]) => {
    const [startX, startY] = at(nidOf(from), STORAGE_RADIUS);
    const [endX, endY] = at(nidOf(to), STORAGE_RADIUS);
    attributes(path, { class: 'flow', 'data-kind': kind, d: `M${startX} ${startY}Q0 0 ${endX} ${endY}` });
  });
}
