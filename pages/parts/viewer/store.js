// Decoded prompts, shared by the feeds that fill it and the viewer that draws from it; bounded, and kept by page load.
// A prompt's bytes: u32 length of the revision | revision | u32 length of the header | header (JSON) | the text (UTF-8).
const STORE = (window.investigationInspectorPrompts ??= { kept: new Map(), heard: new Set(), acked: new Set(), walk: null });
const KEPT = 48; // prompts
const KEPT_LENGTH = 24e6; // characters in all of them

function stored(bytes) {
  const data = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const plain = new TextDecoder();
  const revisionEnd = 4 + view.getUint32(0, true);
  const revision = plain.decode(data.subarray(4, revisionEnd));
  const known = STORE.kept.get(revision);
  if (known) {
    STORE.kept.delete(revision); // moved to the young end
    STORE.kept.set(revision, known);
    return;
  }
  const headEnd = revisionEnd + 4 + view.getUint32(revisionEnd, true);
  const prompt = JSON.parse(plain.decode(data.subarray(revisionEnd + 4, headEnd)));
  prompt.text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(data.subarray(headEnd));
  STORE.kept.set(revision, prompt);
  let length = 0;
  for (const each of STORE.kept.values()) length += each.text.length;
  for (const [oldest, each] of STORE.kept) {
    if (STORE.kept.size <= KEPT && length <= KEPT_LENGTH) break;
    if (oldest === revision) continue;
    length -= each.text.length;
    STORE.kept.delete(oldest);
  }
  for (const hear of STORE.heard) hear(revision);
}
