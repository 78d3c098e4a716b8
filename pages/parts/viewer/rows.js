// From a text to rows: one a line, long lines in pieces, a heading before each section. Rows are drawn in blocks.
const BLOCK = 100;
const PIECE = 2000; // characters of one row: one line of a megabyte must not become one element

function rowsOf(prompt) {
  const { text, sections, breaks = [], indents = [] } = prompt;
  let next = 0; // of the breaks
  const rows = [];
  let number = 0;
  let before = ""; // the last character that was received
  const goesOn = new Set(); // sections whose text goes on in a later one
  for (let place = sections.length - 1, later = null; place >= 0; place -= 1) {
    if (sections[place].left) continue;
    if (later?.on) goesOn.add(place);
    later = sections[place];
  }
  sections.forEach((section, place) => {
    rows.push({ head: place, start: section.start, end: section.start });
    const unended = section.left || goesOn.has(place);
    let start = section.start;
    let fresh = !section.on || before === "\n";
    let indent = 0;
    for (;;) {
      const newline = text.indexOf("\n", start);
      const last = newline < 0 || newline >= section.end;
      const end = last ? section.end : newline;
      if (last && unended && start === end && start > section.start) break; // that line begins in another section
      const counted = section.left || !fresh ? 0 : ++number;
      fresh = true;
      let from = start;
      do {
        while (next < breaks.length && breaks[next] <= from) indent = indents[next++] || 0;
        let to = Math.min(end, from + PIECE, breaks[next] ?? end);
        if (to < end && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1; // never between two surrogates
        rows.push({ start: from, end: to, number: from === start ? counted : 0, left: section.left, indent });
        from = to;
      } while (from < end);
      if (last) break;
      start = newline + 1;
    }
    if (!section.left && section.end > section.start) before = text[section.end - 1];
  });
  return rows;
}

function rowAt(rows, offset) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle].start <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function drawRow(view, row, open) {
  const line = document.createElement("div");
  const { text, spans } = view.prompt;
  if (row.head != null) return drawHead(view, line, view.prompt.sections[row.head]);
  line.className = row.left ? "l gone" : "l";
  if (row.number) line.dataset.n = row.number;
  if (row.indent) line.style.paddingLeft = `${60 + 16 * row.indent}px`;
  line.from = row.start;
  let at = row.start;
  while (at < row.end) {
    while (open.next < spans.length && spans[open.next][0] <= at) open.spans.push(open.next++);
    open.spans = open.spans.filter((place) => spans[place][1] > at);
    let until = row.end;
    if (open.next < spans.length) until = Math.min(until, spans[open.next][0]);
    for (const place of open.spans) until = Math.min(until, spans[place][1]);
    const inner = open.spans.at(-1);
    if (inner == null) putText(line, text.slice(at, until));
    else {
      const mark = document.createElement("mark");
      const kinds = open.spans.map((place) => `k-${view.kinds[spans[place][2]].id}`);
      mark.className = `${kinds.join(" ")} c-${view.kinds[spans[inner][2]].id}`;
      mark.dataset.span = inner;
      if (view.data.focus && spans[inner][3] === view.data.focus) mark.classList.add("on");
      putText(mark, text.slice(at, until));
      line.append(mark);
    }
    at = until;
  }
  return line;
}

function drawHead(view, line, section) {
  line.className = section.left ? "head gone" : "head";
  const title = document.createElement("span");
  title.textContent = section.title;
  const note = document.createElement("span");
  note.className = "note";
  note.textContent = section.note || "";
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "copy";
  copy.title = "Copy the exact text of this part";
  copy.onclick = () => copyText(view, view.prompt.text.slice(section.start, section.end), copy);
  line.append(title, note, copy);
  return line;
}

function fill(view, place) {
  const block = view.blocks[place];
  if (block.filled) return;
  block.filled = true;
  const first = place * BLOCK;
  const rows = view.rows.slice(first, first + BLOCK);
  const open = { next: 0, spans: [] };
  const { spans } = view.prompt;
  while (open.next < spans.length && spans[open.next][0] < rows[0].start) {
    if (spans[open.next][1] > rows[0].start) open.spans.push(open.next);
    open.next += 1;
  }
  block.append(...rows.map((row) => drawRow(view, row, open)));
  block.style.minHeight = "";
}
