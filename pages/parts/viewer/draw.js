// One prompt on the screen: visible blocks first, the rest when there is time; the ruler at the edge; the legend.
const REST = 350; // milliseconds after which the rest is drawn: not while somebody steps on
const LINE = 19; // pixels of one visual row, as in viewer.css

function show(view, prompt) {
  view.prompt = prompt;
  view.turn = (view.turn || 0) + 1;
  view.rows = rowsOf(prompt);
  const across = Math.max(20, Math.floor(((view.width ??= view.scroller.clientWidth) - 84) / 7.6));
  const doc = document.createElement("div");
  doc.className = "doc";
  view.blocks = [];
  view.heights = [0];
  for (let first = 0; first < view.rows.length; first += BLOCK) {
    const rows = view.rows.slice(first, first + BLOCK);
    const tall = rows.reduce((sum, row) => sum + Math.max(1, Math.ceil((row.end - row.start) / across)), 0) * LINE;
    const block = document.createElement("div");
    block.className = "b";
    block.style.containIntrinsicSize = `auto ${tall}px`;
    block.style.minHeight = `${tall}px`;
    block.place = view.blocks.length;
    view.blocks.push(block);
    doc.append(block);
  }
  let sum = 0;
  view.tops = view.rows.map((row) => {
    const top = sum;
    sum += Math.max(1, Math.ceil((row.end - row.start) / across));
    return top;
  });
  view.tall = Math.max(1, sum);
  view.scroller.replaceChildren(doc);
  const scrolled = STORE.walk?.scrolled;
  view.scroller.scrollTop = scrolled?.revision === prompt.revision ? scrolled.top : 0;
  fill(view, 0);
  if (view.blocks.length > 1) fill(view, 1);
  watch(view);
  clearTimeout(view.filling);
  const { turn } = view;
  view.filling = setTimeout(() => fillLater(view, turn, 2), REST);
  view.host.dataset.revision = prompt.revision;
  view.host.classList.remove("waiting");
  legend(view);
  meta(view);
  refind(view);
}

// Reading the size of what has just been drawn would make the browser lay it out twice: the ruler waits for the frame.
function rulerSoon(view) {
  cancelAnimationFrame(view.ruling);
  view.ruling = requestAnimationFrame(() => ruler(view));
}

function watch(view) {
  view.seen?.disconnect();
  view.seen = new IntersectionObserver(
    (entries) => entries.forEach((entry) => entry.isIntersecting && fill(view, entry.target.place)),
    { root: view.scroller, rootMargin: "600px" },
  );
  view.blocks.forEach((block) => view.seen.observe(block));
}

function fillLater(view, turn, place) {
  const step = () => {
    const since = performance.now();
    while (view.turn === turn && place < view.blocks.length && performance.now() - since < 8) fill(view, place++);
    if (view.turn === turn && place < view.blocks.length) later(step);
  };
  later(step);
}

const later = (work) => (window.scheduler?.postTask ? scheduler.postTask(work, { priority: "user-visible" }) : setTimeout(work, 0));

function reveal(view, offset) {
  const place = rowAt(view.rows, offset);
  const block = Math.floor(place / BLOCK);
  fill(view, block);
  const row = view.blocks[block].children[place % BLOCK];
  // Twice: the first brings real heights into the blocks on the way.
  for (let again = 0; again < 2; again += 1) {
    const gap = row.getBoundingClientRect().top - view.scroller.getBoundingClientRect().top;
    view.scroller.scrollTop += gap - view.scroller.clientHeight / 3;
  }
  return row;
}

function rangeOf(view, start, end) {
  const place = rowAt(view.rows, start);
  const block = Math.floor(place / BLOCK);
  if (!view.blocks[block].filled) return null;
  const row = view.blocks[block].children[place % BLOCK];
  const range = document.createRange();
  const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let at = view.rows[place].start;
  let begun = false;
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!begun && start < at + node.length) {
      range.setStart(node, start - at);
      begun = true;
    }
    if (begun) range.setEnd(node, Math.min(node.length, Math.max(0, end - at)));
    if (begun && end <= at + node.length) break;
    at += node.length;
  }
  return begun ? range : null;
}

function meta(view) {
  const { prompt } = view;
  const bytes = `${prompt.bytes.toLocaleString("en")} B${prompt.known ? " known" : ""}`;
  view.meta.textContent = [prompt.name, bytes, `${prompt.lines.toLocaleString("en")} lines`].join(" · ");
  view.meta.title = view.meta.textContent; // where there is no room for all of it
  view.note.textContent = prompt.note || "";
  view.note.hidden = !prompt.note;
}

// --- the ruler at the edge

function ruler(view) {
  const { ruler: canvas, prompt } = view;
  const height = view.scroller.clientHeight;
  const scale = window.devicePixelRatio || 1;
  canvas.width = 14 * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const y = (offset) => (view.tops[rowAt(view.rows, offset)] / view.tall) * height;
  for (const [start, end, kind] of prompt.spans) {
    if (view.chosen.size && !view.chosen.has(view.kinds[kind].id)) continue;
    pen.fillStyle = view.kinds[kind].color;
    pen.fillRect(3, y(start), 8, Math.max(2, y(end) - y(start)));
  }
  pen.fillStyle = "#e11d48";
  for (const hit of view.hits.slice(0, 2000)) pen.fillRect(0, y(hit) - 1, 14, 2);
}

function jump(view, event) {
  const box = view.ruler.getBoundingClientRect();
  const share = (event.clientY - box.top) / box.height;
  view.scroller.scrollTop = share * view.scroller.scrollHeight - view.scroller.clientHeight / 2;
}

// --- the legend: what the colours mean, how much there is of each, and a filter

function legend(view) {
  const counts = new Map();
  for (const [, , kind] of view.prompt.spans) counts.set(kind, (counts.get(kind) || 0) + 1);
  const nodes = [...counts].sort((one, other) => one[0] - other[0]).map(([kind, count]) => {
    const { id, label, color } = view.kinds[kind];
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.setAttribute("aria-pressed", view.chosen.has(id));
    chip.title = `Show only: ${label}. Shift-click: go to the next one`;
    const key = document.createElement("i");
    key.style.setProperty("--k", color);
    key.className = `k-${id}`;
    chip.append(key, `${label} ${count}`);
    chip.onclick = (event) => (event.shiftKey ? nextOf(view, kind) : choose(view, id));
    return chip;
  });
  view.legend.replaceChildren(...nodes);
}

function choose(view, id) {
  if (!view.chosen.delete(id)) view.chosen.add(id);
  view.host.classList.toggle("filtered", view.chosen.size > 0);
  const rules = [...view.chosen].map((each) => `.filtered mark.k-${each}{color:var(--st-text-color)!important;background:color-mix(in srgb,var(--k) 30%,transparent)!important}`);
  view.rules.textContent = rules.join("\n");
  legend(view);
  ruler(view);
  if (view.chosen.has(id)) nextOf(view, view.kinds.findIndex((kind) => kind.id === id), 0);
}

function nextOf(view, kind, after = view.lastJump ?? -1) {
  const starts = view.prompt.spans.filter((span) => span[2] === kind).map((span) => span[0]);
  const target = starts.find((start) => start > after) ?? starts[0];
  if (target == null) return;
  view.lastJump = target;
  reveal(view, target);
}
