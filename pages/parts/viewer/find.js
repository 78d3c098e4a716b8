// Search inside the prompt, and copying of exactly what is stored.
function find(view, step) {
  const wanted = view.find.value;
  if (wanted !== view.sought) {
    view.sought = wanted;
    view.hit = -1;
    refind(view);
  }
  if (!view.hits.length) return;
  goTo(view, (view.hit + step + view.hits.length) % view.hits.length);
}

function goTo(view, hit) {
  view.hit = hit;
  reveal(view, view.hits[hit]);
  paintHits(view);
  view.count.textContent = `${hit + 1} of ${view.hits.length.toLocaleString("en")}`;
}

function stopFinding(view) {
  view.find.value = "";
  view.sought = "";
  view.hit = -1;
  refind(view);
}

function refind(view) {
  view.hits = [];
  const wanted = view.sought || "";
  if (wanted) {
    const exact = /[A-Z]/.test(wanted); // a capital asks for exact case
    const text = exact ? view.prompt.text : lower(view.prompt);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) view.hits.push(at);
  }
  view.hit = Math.min(view.hit, view.hits.length - 1);
  view.count.textContent = wanted ? (view.hits.length ? `${view.hits.length.toLocaleString("en")} found` : "not in this prompt") : "";
  rulerSoon(view);
  paintHits(view);
}

// Lower case of the same length, so that places stay the same ("İ" grows when lowered).
function lower(prompt) {
  if (prompt.lowered == null) {
    const made = prompt.text.toLowerCase();
    prompt.lowered = made.length === prompt.text.length ? made : prompt.text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  }
  return prompt.lowered;
}

function paintHits(view) {
  if (!window.Highlight) return;
  const length = (view.sought || "").length;
  const ranges = view.hits.slice(0, 500).map((hit) => rangeOf(view, hit, hit + length)).filter(Boolean);
  CSS.highlights.set("ii-hits", new Highlight(...ranges));
  const now = view.hit >= 0 ? rangeOf(view, view.hits[view.hit], view.hits[view.hit] + length) : null;
  CSS.highlights.set("ii-hit", now ? new Highlight(now) : new Highlight());
}

async function copyText(view, text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = !done ? "copying was blocked" : view.prompt.inexact ? "copied, inexact" : "copied";
  setTimeout(() => (button.textContent = before), 1600);
}

// The received text: what left the prompt is drawn in "changed", but was not received.
const received = (prompt) => prompt.sections.filter((part) => !part.left).map((part) => prompt.text.slice(part.start, part.end)).join("");

function offsetOf(root, node, offset) {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  const line = element.closest?.(".l");
  if (!line) return null;
  let at = line.from;
  const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const stop = node.nodeType === Node.TEXT_NODE ? null : node.childNodes[offset];
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    if (text === node) return at + offset;
    if (stop && (stop === text || stop.contains(text))) return at;
    at += text.length;
  }
  return at;
}

function copied(view, root, event) {
  const selection = root.getSelection ? root.getSelection() : window.getSelection();
  if (!selection?.rangeCount) return;
  const range = selection.getRangeAt(0);
  const start = offsetOf(root, range.startContainer, range.startOffset);
  const end = offsetOf(root, range.endContainer, range.endOffset);
  if (start == null || end == null) return; // a heading was touched: the browser's own copy stands
  event.clipboardData.setData("text/plain", view.prompt.text.slice(start, end));
  event.preventDefault();
}
