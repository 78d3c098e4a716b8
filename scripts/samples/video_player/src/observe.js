import { FIRST_FRAME_TIMEOUT, PlayerError } from "./errors.js";

/** Events of the element that change what the viewer sees, and the status that each one means. */
const STATUS_OF = {
  playing: "playing",
  pause: "paused",
  waiting: "buffering",
  stalled: "buffering",
  ended: "ended",
  error: "failed",
};

/**
 * Watches an element and reports each change of status once.
 *
 * Reports what the element *did*, never what it was asked to do: a start that was refused
 * before it reached the element leaves no trace here.
 */
export function observePlayback(element, report) {
  let last = null;
  const listeners = Object.entries(STATUS_OF).map(([event, status]) => {
    const listener = () => {
      if (status === last) return;
      last = status;
      report({ status, at: performance.now() });
    };
    element.addEventListener(event, listener);
    return [event, listener];
  });

  return {
    firstFrame(timeout) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new PlayerError(FIRST_FRAME_TIMEOUT, `no frame after ${timeout} ms`));
        }, timeout);
        element.addEventListener("playing", () => {
          clearTimeout(timer);
          resolve();
        }, { once: true });
      });
    },
    stop() {
      for (const [event, listener] of listeners) element.removeEventListener(event, listener);
    },
  };
}
