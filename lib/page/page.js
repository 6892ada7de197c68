'use strict';
// The tables of a report: rows are sorted, filtered and opened. Each table lies whole in a noscript
// element; its rows are taken from there when they are shown.
const pieces = JSON.parse(document.getElementById('tilewright-pieces').textContent);
const FIRST = Number(document.body.dataset.first);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

async function toggle(row, button) {
  const open = row.nextElementSibling;
  if (open && open.className === 'detail') {
    open.remove();
    button.setAttribute('aria-expanded', 'false');
    return;
  }
  const detail = document.createElement('tr'), cell = detail.insertCell();
  const inside = document.createElement('div');
  detail.className = 'detail';
  inside.className = 'inside';
  cell.colSpan = row.cells.length;
  cell.append(inside);
  button.setAttribute('aria-expanded', 'true');
  row.after(detail);
  try {
    inside.innerHTML = await unpacked(pieces[row.dataset.piece]);
  } catch (error) {
    inside.textContent = 'This browser cannot unpack the row (' + error + ').';
  }
}

function makeOpener(row) {
  if (!pieces[row.dataset.piece]) return;
  const head = row.cells[0], button = document.createElement('button');
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener('click', () => toggle(row, button));
}

function compare(column, sign) {
  const key = row => row.cells[column].dataset.v;
  return (a, b) => {
    const x = key(a), y = key(b);
    if (x !== undefined && y !== undefined) return sign * (x - y);
    if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
    return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent, 'en',
                                                            {numeric: true});
  };
}

function startTable(section) {
  const source = section.querySelector('noscript');
  if (!source) return;
  const whole = new DOMParser().parseFromString(source.textContent, 'text/html');
  let rows = [...whole.querySelectorAll('tbody tr')], all = false;
  const text = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const table = document.importNode(whole.querySelector('table'), false);
  table.append(document.importNode(whole.querySelector('caption'), true),
               document.importNode(whole.querySelector('thead'), true));
  const body = table.createTBody(), place = section.querySelector('.table');
  const more = document.createElement('button'), controls = section.querySelector('.controls');
  const input = controls.querySelector('input'), list = controls.querySelector('select');
  more.type = 'button';
  place.append(table, more);
  source.remove();
  controls.hidden = false;

  function show() {
    const words = input.value.toLowerCase().split(/\s+/), tag = list ? list.value : '';
    const kept = rows.filter(row => (!tag || row.dataset.tag === tag) &&
                                    words.every(word => text.get(row).includes(word)));
    const shown = all ? kept : kept.slice(0, FIRST);
    body.replaceChildren(...shown.map(row => {
      const copy = document.importNode(row, true);
      makeOpener(copy);
      return copy;
    }));
    controls.querySelector('output').textContent = kept.length + ' of ' + rows.length + ' rows';
    more.hidden = shown.length === kept.length;
    more.textContent = 'Show all ' + kept.length + ' rows';
  }

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      rows = rows.slice().sort(compare(column, down ? -1 : 1));
      show();
    });
  });
  input.addEventListener('input', show);
  if (list) list.addEventListener('input', show);
  more.addEventListener('click', () => { all = true; show(); });
  addEventListener('beforeprint', () => { if (!all) { all = true; show(); } });
  show();
}

// Facts of a picture's parts show at once: a title of SVG takes a second. In a row's picture, the
// parts of a line share the beginning of their facts.
function startHover() {
  const box = document.createElement('div');
  box.id = 'hover';
  box.hidden = true;
  document.body.append(box);
  document.addEventListener('pointermove', event => {
    let part = event.target;
    while (part instanceof SVGElement && !(part instanceof SVGSVGElement) &&
           !part.querySelector(':scope > title')) part = part.parentNode;
    box.hidden = !(part instanceof SVGElement) || part instanceof SVGSVGElement;
    if (box.hidden) return;
    const row = part.closest('[data-head]');
    box.textContent = (row ? row.dataset.head : '') + part.querySelector(':scope > title').textContent;
    const room = document.documentElement.clientWidth - box.offsetWidth - 8;
    box.style.left = Math.max(0, Math.min(event.clientX + 12, room)) + 'px';
    box.style.top = event.clientY + 16 + 'px';
  });
}

for (const section of document.querySelectorAll('section')) startTable(section);
startHover();
