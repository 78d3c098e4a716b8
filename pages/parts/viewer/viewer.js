// The viewer: steps on the client from what the feeds have stored, and tells the server where it is.
const VIEWS = new WeakMap();
const EVERY = 120; // milliseconds between two reports of a burst of steps
const TYPING = "input, textarea, select, [contenteditable], [role=slider], [role=radio], [role=combobox], canvas";

function start(root) {
  const at = (name) => root.querySelector(`.${name}`);
  const view = { host: at("viewer"), scroller: at("scroller"), meta: at("meta"), note: at("warn"), legend: at("legend") };
  Object.assign(view, { ruler: at("ruler"), find: at("find"), count: at("count"), sight: at("sight"), rules: at("rules") });
  Object.assign(view, { chosen: new Set(), hits: [], hit: -1, sequence: 0, place: -1, focusDone: null });
  at("find").addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") find(view, event.shiftKey ? -1 : 1);
    if (event.key === "Escape") view.find.blur();
  });
  at("find").addEventListener("input", () => {
    view.sought = view.find.value;
    view.hit = -1;
    refind(view);
  });
  at("copy").onclick = () => copyText(view, received(view.prompt), at("copy"));
  at("prev").onclick = () => step(view, -1);
  at("next").onclick = () => step(view, 1);
  view.ruler.addEventListener("click", (event) => jump(view, event));
  view.scroller.addEventListener("copy", (event) => copied(view, root, event));
  view.scroller.addEventListener("click", (event) => {
    const mark = event.target.closest("mark");
    const reference = mark && view.prompt.spans[mark.dataset.span][3];
    if (reference && !String(root.getSelection?.() ?? "")) view.component.setTriggerValue("pick", { fragment: reference, at: Date.now() });
  });
  view.keys = (event) => keys(view, event);
  view.hear = (revision) => revision === revisionOf(view) && refresh(view);
  document.addEventListener("keydown", view.keys);
  STORE.heard.add(view.hear);
  view.resized = new ResizeObserver(() => view.prompt && ruler(view));
  view.resized.observe(view.scroller);
  return view;
}

function keys(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const target = event.composedPath()[0];
  if (target.closest?.(TYPING)) return;
  const by = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1, Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "/") view.find.focus();
  else if (by) step(view, by);
  else return;
  event.preventDefault();
}

const revisionOf = (view) => `${view.data.group}:${view.place}`;

function step(view, by) {
  const place = Math.min(view.data.count - 1, Math.max(0, view.place + by));
  if (place === view.place) return;
  view.place = place;
  view.sequence += 1;
  refresh(view);
  report(view);
}

// The first step of a burst is reported at once, then one each EVERY; `more` keeps a burst out of the history.
function report(view) {
  const now = performance.now();
  const burst = now - (view.pressed ?? -Infinity) < 2 * EVERY;
  view.pressed = now;
  clearTimeout(view.last);
  if (!burst) return send(view, false);
  if (now - view.sent >= EVERY) send(view, true);
  view.last = setTimeout(() => send(view, false), EVERY + 40);
}

function send(view, more) {
  view.sent = performance.now();
  view.component.setStateValue("at", { place: view.place, sequence: view.sequence, more });
}

function refresh(view) {
  const prompt = STORE.kept.get(revisionOf(view));
  view.where.textContent = `${(view.place + 1).toLocaleString("en")} of ${view.data.count.toLocaleString("en")}`;
  view.host.dataset.place = view.place;
  if (!prompt) {
    view.host.classList.add("waiting");
    return;
  }
  if (view.prompt !== prompt) show(view, prompt);
  focus(view);
}

function focus(view) {
  const wanted = view.data.focus;
  const mark = `${revisionOf(view)}|${wanted}|${view.data.nonce}`;
  if (view.focusDone === mark) return;
  view.focusDone = mark;
  view.host.querySelector(".doc")?.classList.toggle("sighted", Boolean(wanted));
  const spans = wanted ? view.prompt.spans.filter((each) => each[3] === wanted) : [];
  const body = spans.find((each) => view.kinds[each[2]].id !== "ledger");
  const span = body ?? spans[0];
  view.sight.hidden = !wanted || Boolean(body);
  if (!wanted) return;
  view.sight.textContent = span ? `${wanted}: only its ledger entry stands in this prompt.` : `${wanted}: nothing of it stands in this prompt.`;
  if (span) {
    const row = reveal(view, span[0]);
    row.classList.add("flash");
    setTimeout(() => row.classList.remove("flash"), 1500);
  }
}

export default function (component) {
  const root = component.parentElement;
  let view = VIEWS.get(root);
  if (!view) {
    view = start(root);
    view.where = root.querySelector(".where");
    VIEWS.set(root, view);
  }
  const { data } = component;
  const other = data.group !== view.data?.group;
  view.component = component;
  view.data = data;
  view.kinds = data.kinds;
  // What the server last heard may be older than where the keys have led: then the client's place stands.
  if (other || data.sequence >= view.sequence) {
    view.place = data.place;
    view.sequence = Math.max(view.sequence, data.sequence);
  }
  refresh(view);
  return () => {
    document.removeEventListener("keydown", view.keys);
    STORE.heard.delete(view.hear);
    view.seen?.disconnect();
    view.resized.disconnect();
    VIEWS.delete(root);
  };
}
