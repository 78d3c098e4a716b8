// One feed: hands one prompt's bytes to the store. It draws nothing.
export default function (component) {
  if (component.data && component.data.byteLength) stored(component.data);
}
