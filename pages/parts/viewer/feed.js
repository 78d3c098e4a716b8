// One feed: hands the prompts in its bytes (each behind its length) to the store, or says that the server has drawn up to a
// step. It draws nothing.
export default function (component) {
  const { data } = component;
  if (data?.byteLength) for (const each of apart(data)) stored(each);
  else if (data?.visit === STORE.walk?.visit && data) {
    STORE.walk.done = Math.max(STORE.walk.done, data.done);
    for (const hear of STORE.acked) hear();
  }
}

function* apart(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4 + view.getUint32(at, true)) {
    yield bytes.subarray(at + 4, at + 4 + view.getUint32(at, true));
  }
}
