// Where the client has stepped to, and telling the server. A step is never taken back by what the server last heard.
// The walk outlives the element: Streamlit may make the element anew in the middle of a burst of steps.
const BURST = 240; // milliseconds between two steps of a held key
const IDLE = 180; // after so long without a step a burst is over
const PATIENCE = 2000; // for the server's answer, before it is told again

// One visit of the page: `place` and `sequence` are the client's, `sent` and `done` what the server was told and has drawn.
function walkOf(data) {
  if (STORE.walk?.visit !== data.visit) {
    STORE.walk = { visit: data.visit, run: null, place: data.place, sequence: data.sequence, sent: data.sequence, done: data.sequence };
    Object.assign(STORE.walk, { pressed: -Infinity, told: -Infinity, owes: false, timer: 0 });
  }
  const walk = STORE.walk;
  const run = data.group.split(".")[0]; // the texts of one package may come anew, in another mode; the place stays the client's
  if (walk.run !== run || data.sequence >= walk.sequence) walk.place = data.place;
  walk.sequence = Math.max(walk.sequence, data.sequence);
  walk.run = run;
  return walk;
}

function step(view, by) {
  const { walk } = view;
  const place = Math.min(view.data.count - 1, Math.max(0, walk.place + by));
  if (place === walk.place) return;
  const now = performance.now();
  walk.burst = now - walk.pressed < BURST;
  walk.pressed = now;
  walk.place = place;
  walk.sequence += 1;
  refresh(view);
  pump(view);
}

// One report at a time: the next waits until the server has drawn the last. `more` keeps a burst out of the history.
function pump(view) {
  const { walk } = view;
  const now = performance.now();
  clearTimeout(walk.timer);
  const waiting = walk.sent > walk.done && now - walk.told < PATIENCE;
  const moving = walk.burst && now - walk.pressed < IDLE;
  if (!waiting && walk.sequence > walk.sent) {
    walk.owes = moving;
    tell(view, moving);
  } else if (!waiting && walk.owes && !moving) {
    walk.owes = false;
    walk.sequence += 1;
    tell(view, false);
  }
  if (walk.owes || walk.sequence > walk.sent) walk.timer = setTimeout(() => STORE.view && pump(STORE.view), IDLE);
}

function tell(view, more) {
  const { walk } = view;
  walk.told = performance.now();
  walk.sent = walk.sequence;
  view.component.setStateValue("at", { place: walk.place, sequence: walk.sequence, more });
}

// One listener for the page's life: a key pressed while the element is being made anew counts as well.
const TYPING = "input, textarea, select, [contenteditable], [role=slider], [role=radio], [role=combobox], canvas";
const STEPS = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1, Home: -Infinity, End: Infinity };

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (event.composedPath()[0].closest?.(TYPING)) return;
  const by = STEPS[event.key];
  const gap = performance.now() - (STORE.left ?? -Infinity) < 1000;
  if (!STORE.view && !gap) return;
  if (event.key === "Escape") {
    if (!STORE.view || !escape(STORE.view)) return; // nothing of ours is open: the key is the browser's
  } else if (event.key === "/" && STORE.view) STORE.view.find.focus();
  else if (event.key === "?" && STORE.view) help(STORE.view);
  else if (by && STORE.view) step(STORE.view, by);
  else if (by && STORE.walk) STORE.walk.late = (STORE.walk.late || 0) + by;
  else return;
  event.preventDefault();
}

if (!STORE.keys) {
  STORE.keys = true;
  document.addEventListener("keydown", keys);
}
