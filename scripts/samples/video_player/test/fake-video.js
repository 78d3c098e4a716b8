/** As much of a <video> element as the tests need. */
export class FakeVideo extends EventTarget {
  constructor({ firstFrameAfter = 0 } = {}) {
    super();
    this.firstFrameAfter = firstFrameAfter;
    this.attributes = new Map();
    this.textTracks = [];
    this.calls = [];
  }

  hasAttribute(name) {
    return this.attributes.has(name);
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  play() {
    this.calls.push("play");
    setTimeout(() => this.dispatchEvent(new Event("playing")), this.firstFrameAfter);
  }

  pause() {
    this.calls.push("pause");
    this.dispatchEvent(new Event("pause"));
  }
}
