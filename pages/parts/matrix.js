// The evidence matrix: a table of cells, each with a letter, a shape and a colour. Texts become text nodes only.
const SEEN = new WeakMap();
const make = (tag, cls, text) => {
  const element = document.createElement(tag);
  if (cls) element.className = cls;
  if (text != null) putText(element, text);
  return element;
};

function draw(root, data) {
  const table = make("table");
  const head = make("tr");
  head.append(make("th", "corner", "fragment"));
  data.keys.forEach((key, place) => {
    const cell = make("th", data.sent[place] === true ? "col" : "col unsent", key);
    cell.scope = "col";
    cell.title = data.sent[place] === true ? `decision ${key}` : `decision ${key}: ${data.sent[place] === false ? "not sent" : "not known whether it was sent"}`;
    cell.dataset.col = place;
    head.append(cell);
  });
  table.append(make("thead"));
  table.tHead.append(head);
  const body = make("tbody");
  data.rows.forEach((row, number) => {
    const line = make("tr");
    const name = make("th", "name");
    name.scope = "row";
    name.append(make("b", "", row.id), make("span", "", row.hint));
    name.title = row.tip;
    line.append(name);
    row.states.forEach((state, place) => {
      const look = data.looks[state];
      const cell = make("td", look ? `s ${state}` : data.sent[place] === true ? "none" : "none unsent");
      const ask = row.asks[place];
      cell.dataset.row = number;
      cell.dataset.col = place;
      cell.tabIndex = number === 0 && place === 0 ? 0 : -1;
      if (look) {
        const box = make("i", "", look.letter);
        box.style.setProperty("--c", look.color);
        cell.append(box);
      }
      if (ask) cell.append(make("u", ask, ask === "repeated" ? "↻" : "+"));
      const said = [`decision ${data.keys[place]}`, look ? look.word : data.sent[place] === true ? "not there yet" : "not sent", ask ? `${ask} here` : ""];
      cell.title = `${row.name}, ${said.filter(Boolean).join(", ")}`;
      cell.setAttribute("aria-label", cell.title);
      line.append(cell);
    });
    body.append(line);
  });
  table.append(body);
  root.replaceChildren(table);
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
    const cell = event.target.closest("td, th.col");
    if (!cell || (event.type === "keydown" && event.key !== "Enter")) return;
    const row = cell.dataset.row == null ? -1 : Number(cell.dataset.row);
    SEEN.get(root).trigger("cell", { row, col: Number(cell.dataset.col), at: Date.now() });
  };
  root.addEventListener("click", open);
  root.addEventListener("keydown", open);
  root.addEventListener("keydown", (event) => move(root, event));
}
