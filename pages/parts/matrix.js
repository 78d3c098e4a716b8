// The evidence matrix: a table of cells, each with a letter, a shape and a colour. Texts become text nodes only.
const SEEN = new WeakMap();
const make = (tag, cls, text) => {
  const element = document.createElement(tag);
  if (cls) element.className = cls;
  if (text != null) putText(element, text);
  return element;
};

const NARROW = 12;

function bands(shares, looks) {
  let from = 0;
  const stops = shares.map(([state, end]) => {
    const stop = `color-mix(in srgb, ${looks[state].color} 62%, transparent) ${from}% ${end}%`;
    from = end;
    return stop;
  });
  return `linear-gradient(to top, ${stops.join(", ")})`;
}

function draw(root, data) {
  const table = make("table", data.narrow ? "narrow" : data.dense ? "dense" : "");
  const step = data.narrow ? Math.max(2, Math.ceil((7 * Math.max(...data.keys.map((key) => key.length)) + 6) / NARROW)) : 1;
  const head = make("tr");
  head.append(make("th", "corner", data.corner));
  data.keys.forEach((key, place) => {
    const why = data.marked?.[place];
    const cell = make("th", data.sent[place] === true ? "col" : "col unsent", place % step ? null : key);
    if (place % step === 0) cell.classList.add("lead");
    if (why) cell.classList.add("marked");
    cell.scope = "col";
    const column = data.columns?.[place] ?? `decision ${key}`;
    cell.title = data.sent[place] === true ? column : `${column}: ${data.sent[place] === false ? data.unsent : "not known whether it was sent"}`;
    if (why) cell.title += `, ${why}`;
    cell.dataset.col = place;
    head.append(cell);
  });
  table.append(make("thead"));
  table.tHead.append(head);
  const body = make("tbody");
  data.rows.forEach((row, number) => {
    if (row.group) {
      const group = make("th", "group", row.group);
      group.colSpan = data.keys.length + 1;
      body.append(make("tr"));
      body.lastChild.append(group);
    }
    const line = make("tr");
    const name = make("th", ["name", data.named && "open", row.mine && "mine"].filter(Boolean).join(" "));
    name.scope = "row";
    name.append(make("b", "", row.id), make("span", "", row.hint));
    name.title = row.tip;
    name.dataset.row = number;
    if (data.named) name.tabIndex = 0;
    if (row.height) line.style.height = `${Number(row.height)}px`;
    line.append(name);
    row.states.forEach((state, place) => {
      const look = data.looks[state];
      const before = row.recorded?.[place] ?? null;
      const changed = row.recorded?.length > 0 && before !== state;
      const cell = make("td", look ? `s ${look.shape}` : data.sent[place] === true ? "none" : "none unsent");
      if (changed) cell.classList.add("changed");
      const ask = row.asks[place];
      cell.dataset.row = number;
      cell.dataset.col = place;
      cell.tabIndex = number === 0 && place === 0 ? 0 : -1;
      if (look) {
        const box = make("i", "", look.letter);
        box.style.setProperty("--c", look.color);
        if (row.mixed?.[place]) {
          cell.classList.add("mixed");
          box.style.background = bands(row.mixed[place], data.looks);
        }
        cell.append(box);
      }
      if (ask) cell.append(make("u", ask, ask === "repeated" ? "↻" : "+"));
      if (changed) cell.append(make("u", "differs", "≠"));
      const said = [
        data.columns?.[place] ?? `decision ${data.keys[place]}`,
        row.said?.[place] || (look ? look.word : data.sent[place] === true ? "not there yet" : data.unsent),
        row.notes?.[place],
        changed ? `recorded: ${data.looks[before]?.word ?? "not there"}` : "",
        ask ? `${ask} here` : "",
      ];
      cell.title = `${row.name}, ${said.filter(Boolean).join(", ")}`;
      cell.setAttribute("aria-label", cell.title);
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  root.replaceChildren(table);
  const mine = root.querySelector("th.mine");
  if (mine) root.scrollTop = mine.offsetTop - 2 * table.tHead.offsetHeight;
}

function move(root, event) {
  const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest("td");
  if (!by || !cell) return;
  const next = root.querySelector(`td[data-row="${Number(cell.dataset.row) + by[0]}"][data-col="${Number(cell.dataset.col) + by[1]}"]`);
  event.preventDefault();
  event.stopPropagation();
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

export default function (component) {
  const root = component.parentElement.querySelector(".matrix");
  const text = JSON.stringify(component.data);
  const known = SEEN.get(root) ?? {};
  if (known.text !== text) draw(root, component.data);
  SEEN.set(root, { text, trigger: component.setTriggerValue });
  if (known.trigger) return;
  const open = (event) => {
    const cell = event.target.closest("td, th.col, th.open");
    if (!cell || (event.type === "keydown" && event.key !== "Enter")) return;
    const [row, col] = [cell.dataset.row, cell.dataset.col].map((place) => (place == null ? -1 : Number(place)));
    SEEN.get(root).trigger("cell", { row, col, at: Date.now() });
  };
  root.addEventListener("click", open);
  root.addEventListener("keydown", open);
  root.addEventListener("keydown", (event) => move(root, event));
}
