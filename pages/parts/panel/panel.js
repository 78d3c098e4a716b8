// Draws a tree of elements. Texts only ever become text nodes; tags come from a fixed list; no attribute but these few.
const TAGS = new Set(
  ("a b button caption code dd details div dl dt em footer h2 h3 h4 header hr i label li mark ol p pre s section small " +
    "span summary table tbody td th thead tr u ul").split(" "),
);
const LINK = /^(\.\/|[a-z_-]+)\?[A-Za-z0-9_.,~=&-]*$/; // a page of ours with plain identifiers, nothing else

function make(node) {
  const element = document.createElement(TAGS.has(node.t) ? node.t : "span");
  if (node.c) element.className = node.c;
  if (node.tip) element.title = node.tip;
  if (node.w != null) element.style.width = `${Number(node.w)}%`;
  if (node.tone && /^#[0-9a-f]{6}$/.test(node.tone)) element.style.setProperty("--tone", node.tone);
  if (node.cur) element.setAttribute("aria-current", "true");
  if (node.a != null) element.dataset.act = node.a;
  if (node.t === "a") {
    if (node.h && LINK.test(node.h)) element.href = node.h;
    else element.tabIndex = 0;
  }
  if (node.t === "th") element.scope = "col";
  if (node.t === "button") element.type = "button";
  put(element, node.k || []);
  return element;
}

function put(parent, nodes) {
  for (const node of nodes) {
    if (typeof node === "string") putText(parent, node);
    else parent.append(make(node));
  }
}

const BOUND = new WeakSet();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".ii-panel");
  const text = JSON.stringify(data.nodes);
  if (root._shown !== text) {
    const open = [...root.querySelectorAll("details")].map((each) => each.open);
    const kept = root._shape === data.nodes.length ? open : [];
    root.replaceChildren();
    put(root, data.nodes);
    root.querySelectorAll("details").forEach((each, place) => (each.open = kept[place] ?? each.classList.contains("open")));
    root._shown = text;
    root._shape = data.nodes.length;
  }
  root._trigger = setTriggerValue;
  if (BOUND.has(root)) return;
  BOUND.add(root);
  const act = (event) => {
    const target = event.target.closest("[data-act]");
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (event.type === "keydown" && (event.key !== "Enter" || target.tagName === "BUTTON")) return;
    if (event.type === "click" || target.tagName !== "A" || !target.href) {
      event.preventDefault();
      // A trigger with the same value as the last one still has to arrive: the time makes it new.
      root._trigger("act", { n: Number(target.dataset.act), at: Date.now() });
    }
  };
  root.addEventListener("click", act);
  root.addEventListener("keydown", act);
}
