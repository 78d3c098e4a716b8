// One feed: hands one prompt's bytes to the store, or says that the server has drawn up to a step. It draws nothing.
export default function (component) {
  const { data } = component;
  if (data?.byteLength) stored(data);
  else if (data?.visit === STORE.walk?.visit && data) {
    STORE.walk.done = Math.max(STORE.walk.done, data.done);
    for (const hear of STORE.acked) hear();
  }
}
