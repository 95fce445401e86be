// Writes into the page. Elements are kept and only what has changed is written, so that nothing flickers and a
// selection stays. Texts go into the page as text, never as HTML.

export const byId = (id) => document.getElementById(id);
export const element = (name) => document.createElement(name);
export const svg = (name) => document.createElementNS('http://www.w3.org/2000/svg', name);

export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** Sets attributes; null and undefined remove one. */
export function attributes(node, values) {
  for (const [name, value] of Object.entries(values)) {
    const next = value === null || value === undefined ? null : String(value);
    if (node.getAttribute(name) === next) continue;
    if (next === null) node.removeAttribute(name);
    else node.setAttribute(name, next);
  }
}

/** Makes the children of a node those of the items, in their order. Children with the same key are kept. */
export function children(parent, items, keyOf, make, write) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf(item));
    const child = old.get(key) ?? make(item);
    old.delete(key);
    if (child.dataset.key !== key) child.dataset.key = key;
    write(child, item);
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
  old.forEach((child) => child.remove());
}

/**
 * Fills a table. Each column is a function from an item to a text, or to an object with `text` and one of `bar` (0 to
 * 1), `level` (of a state), `href` and `free` (a text that wraps).
 */
export function table(id, items, keyOf, columns) {
  const body = byId(id);
  if (items.length === 0) {
    children(body, [body.dataset.empty], () => 'empty', () => row(1), (line, words) => {
      attributes(line.firstChild, { class: 'empty', colspan: columns.length });
      text(line.firstChild, words);
    });
    return;
  }
  const heads = [...body.closest('table').querySelectorAll('thead th')];
  children(body, items, keyOf, () => row(columns.length, heads), (line, item) =>
    columns.forEach((column, index) => writeCell(line.children[index], column(item))));
}

function row(count, heads = []) {
  const line = element('tr');
  for (let i = 0; i < count; i++) {
    const cell = element(i === 0 && heads.length > 0 ? 'th' : 'td');
    if (cell.tagName === 'TH') cell.scope = 'row';
    if (heads[i]?.classList.contains('number')) cell.className = 'number';
    line.append(cell);
  }
  return line;
}

function writeCell(cell, value) {
  if (typeof value === 'string') {
    // Not by a comparison of texts alone: the cell may have had a link or a state.
    if (cell.firstElementChild !== null) cell.replaceChildren();
    text(cell, value);
  } else if (value.bar !== undefined) {
    writeBar(cell, value);
  } else {
    const tag = value.href ? 'A' : 'SPAN';
    if (cell.firstElementChild?.tagName !== tag) cell.replaceChildren(element(tag));
    const inner = cell.firstElementChild;
    if (value.free) cell.className = 'free';
    if (value.href) attributes(inner, { href: value.href, rel: 'noreferrer' });
    if (value.level !== undefined) attributes(inner, { class: 'state', 'data-level': value.level });
    text(inner, value.text);
  }
}

function writeBar(cell, { bar, text: words, kind, level }) {
  if (cell.firstElementChild === null) {
    const box = element('div');
    const track = element('span');
    track.append(element('i'));
    track.setAttribute('aria-hidden', 'true');
    box.append(track, element('span'));
    box.className = 'bar';
    cell.append(box);
  }
  const box = cell.firstElementChild;
  attributes(box, { 'data-kind': kind, 'data-level': level });
  box.firstChild.firstChild.style.width = `${100 * Math.min(1, Math.max(0, bar))}%`;
  text(box.lastChild, words);
}
