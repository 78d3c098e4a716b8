// What a font does not show, or what would reorder the rest: shown as a symbol, kept as it is for copying. Everything
// that comes from a package reaches the page through `putText`, as text nodes.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function symbol(code) {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function putText(parent, text) {
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) parent.append(text.slice(from, found.index));
    const shown = document.createElement("span");
    shown.className = "hid";
    shown.dataset.symbol = symbol(found[0].charCodeAt(0));
    shown.textContent = found[0];
    parent.append(shown);
    from = found.index + found[0].length;
  }
  if (from < text.length) parent.append(text.slice(from));
}
