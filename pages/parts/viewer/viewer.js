// The viewer: steps on the client from what the feeds have stored, and tells the server where it is.
const VIEWS = new WeakMap();

function start(root) {
  const at = (name) => root.querySelector(`.${name}`);
  const view = { host: at("viewer"), scroller: at("scroller"), meta: at("meta"), note: at("warn"), legend: at("legend") };
  Object.assign(view, { ruler: at("ruler"), find: at("find"), count: at("count"), sight: at("sight"), rules: at("rules") });
  Object.assign(view, { chosen: new Set(), hits: [], hit: -1, focusDone: null });
  at("find").addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") find(view, event.shiftKey ? -1 : 1);
    if (event.key === "Escape") escape(view);
  });
  at("find").addEventListener("input", () => {
    view.sought = view.find.value;
    view.hit = -1;
    refind(view);
  });
  at("copy").onclick = () => copyText(view, received(view.prompt), at("copy"));
  at("prev").onclick = () => step(view, -1);
  at("next").onclick = () => step(view, 1);
  at("help").onclick = () => help(view);
  view.ruler.addEventListener("click", (event) => jump(view, event));
  view.scroller.addEventListener("copy", (event) => copied(view, root, event));
  view.scroller.addEventListener("click", (event) => {
    const mark = event.target.closest("mark");
    const reference = mark && view.prompt.spans[mark.dataset.span][3];
    if (reference && !String(root.getSelection?.() ?? "")) view.component.setTriggerValue("pick", { fragment: reference, at: Date.now() });
  });
  view.hear = (revision) => revision === revisionOf(view) && refresh(view);
  view.ack = () => pump(view);
  STORE.heard.add(view.hear);
  STORE.acked.add(view.ack);
  view.resized = new ResizeObserver(() => {
    view.width = view.scroller.clientWidth;
    if (view.prompt) ruler(view);
  });
  view.resized.observe(view.scroller);
  return view;
}

function help(view) {
  const panel = view.host.querySelector(".keys");
  panel.hidden = !panel.hidden;
  view.host.querySelector(".help").setAttribute("aria-expanded", !panel.hidden);
}

// Escape ends what is open: the search, with all that it marked, and the list of keys. Says whether there was anything.
function escape(view) {
  const helping = !view.host.querySelector(".keys").hidden;
  const searching = Boolean(view.find.value || view.sought);
  if (helping) help(view);
  if (searching) stopFinding(view);
  view.find.blur();
  return helping || searching;
}

const revisionOf = (view) => `${view.data.group}:${view.walk.place}`;

function refresh(view) {
  const prompt = STORE.kept.get(revisionOf(view));
  view.where.textContent = `${(view.walk.place + 1).toLocaleString("en")} of ${view.data.count.toLocaleString("en")}`;
  view.host.dataset.place = view.walk.place;
  view.host.classList.toggle("single", view.data.count === 1);
  if (!prompt) {
    view.host.classList.add("waiting");
    return;
  }
  if (view.prompt !== prompt) show(view, prompt);
  focus(view);
  const asked = view.data.find && `${view.data.find.nonce}|${view.data.find.text}`;
  if (asked && asked !== view.asked) {
    view.asked = asked;
    view.find.value = view.data.find.text;
    view.sought = view.data.find.text;
    view.hit = -1;
    refind(view);
    const nearest = view.hits.findIndex((hit) => hit >= (view.data.find.at || 0));
    if (view.hits.length) goTo(view, Math.max(0, nearest));
    view.host.scrollIntoView({ block: "nearest" }); // what asked for it may stand below
  }
}

function focus(view) {
  const wanted = view.data.focus;
  const mark = `${revisionOf(view)}|${wanted}|${view.data.nonce}`;
  if (view.focusDone === mark) return;
  view.focusDone = mark;
  view.host.querySelector(".doc")?.classList.toggle("sighted", Boolean(wanted));
  const spans = wanted ? view.prompt.spans.filter((each) => each[3] === wanted) : [];
  for (const each of view.host.querySelectorAll("mark")) {
    each.classList.toggle("on", Boolean(wanted) && view.prompt.spans[each.dataset.span][3] === wanted);
  }
  const body = spans.find((each) => view.kinds[each[2]].id !== "ledger");
  const span = body ?? spans[0];
  const said = wanted ? sightOf(view.prompt, wanted, span, body) : "";
  view.sight.textContent = said;
  view.sight.hidden = !said;
  if (!wanted && view.data.changes) return firstChange(view);
  if (!wanted) return;
  if (span) {
    const row = reveal(view, span[0]);
    row.classList.add("flash");
    setTimeout(() => row.classList.remove("flash"), 1500);
  }
}

// How a fragment stands in a prompt, where not all of it is there: the same words in every mode, from the server.
const STANDS = {
  whole: "",
  cut: "only the beginning of its body stands in this prompt",
  ledger: "only its ledger entry stands in this prompt",
  marker: "only a marker of it stands in this prompt, not its body",
  overlap: "its own block does not stand in this prompt; lines of it came through another fragment",
  unknown: "its body is not recorded, so nothing can be said of it",
  coincidental: "these bytes stand in this prompt, but prove nothing",
  unknown: "what its lookup returned is not recorded: whether anything of it was sent cannot be told",
};
const NOTHING = "nothing of it stands in this prompt";

function sightOf(prompt, wanted, span, body) {
  let said = body ? "" : span ? STANDS.ledger : NOTHING; // not sent, or not known yet: what is marked in the text
  if (prompt.stands) said = STANDS[prompt.stands[wanted]] ?? NOTHING;
  else if (!prompt.spans.length) said = "";
  return said && `${wanted}: ${said}.`;
}

// A comparison opens at what is new in it.
function firstChange(view) {
  const first = view.prompt.spans.find((each) => view.kinds[each[2]].id !== "kept");
  if (first) reveal(view, first[0]);
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
  view.component = component;
  view.data = data;
  if (!view.kinds) {
    const colors = data.kinds.map((kind) => `.c-${kind.id}{--k:${kind.color}}`);
    root.querySelector(".colors").textContent = colors.join("");
  }
  view.kinds = data.kinds;
  view.walk = walkOf(data);
  STORE.view = view;
  refresh(view);
  if (view.walk.late) {
    const { late } = view.walk;
    view.walk.late = 0;
    step(view, late);
  }
  return () => {
    STORE.heard.delete(view.hear);
    STORE.acked.delete(view.ack);
    view.seen?.disconnect();
    view.resized.disconnect();
    VIEWS.delete(root);
    if (view.prompt) view.walk.scrolled = { revision: view.prompt.revision, top: view.scroller.scrollTop };
    if (STORE.view === view) STORE.view = null;
    STORE.left = performance.now();
  };
}
