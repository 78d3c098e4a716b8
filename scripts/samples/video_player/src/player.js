import { isControlSupported, canonicalControl } from "./controls.js";
import { PlayerError } from "./errors.js";
import { observePlayback } from "./observe.js";
import { bridgeAutoplay } from "./legacy/autoplay-bridge.js";
import { describe } from "./i18n/messages.js";

/** How long a start may take before the viewer is told about it, in milliseconds. */
export const START_TIMEOUT_MS = 4000;

/**
 * Builds a player around one <video> element.
 *
 * The player never touches the element directly: every action is a *control* that goes
 * through `requestControl`, so that kiosks and set-top boxes can refuse what they lack.
 */
export function createPlayer(element, { locale = "en", onError = () => {} } = {}) {
  const state = { status: "idle", startedAt: null, refused: [] };
  const observation = observePlayback(element, (change) => {
    state.status = change.status;
    if (change.status === "playing") state.startedAt = change.at;
  });

  function requestControl(name, ...values) {
    if (!isControlSupported(name)) {
      // A refused control is remembered, so that the viewer is told once and not at every tick.
      state.refused.push(name);
      const error = new PlayerError("unsupported_control", describe(locale, "refused", { control: name }));
      onError(error);
      return { ok: false, reason: "unsupported_control" };
    }
    const control = canonicalControl(name);
    return { ok: true, result: apply(element, control, values) };
  }

  return {
    /** Starts from the beginning; resolves once the first frame is on screen. */
    async start() {
      bridgeAutoplay(element);
      const answer = requestControl("start");
      if (!answer.ok) return { started: false, reason: answer.reason };
      await observation.firstFrame(START_TIMEOUT_MS);
      return { started: true, reason: null };
    },
    pause: () => requestControl("pause"),
    seek: (seconds) => requestControl("seek", seconds),
    mute: (on) => requestControl("mute", on),
    captions: (language) => requestControl("captions", language),
    close: () => observation.stop(),
    state,
  };
}

function apply(element, control, values) {
  switch (control) {
    case "play":
      return element.play();
    case "pause":
      return element.pause();
    case "seek":
      element.currentTime = values[0];
      return element.currentTime;
    case "mute":
      element.muted = Boolean(values[0]);
      return element.muted;
    case "captions":
      return showCaptions(element, values[0]);
    default:
      throw new PlayerError("unsupported_control", control);
  }
}

function showCaptions(element, language) {
  for (const track of element.textTracks) {
    track.mode = track.language === language ? "showing" : "hidden";
  }
  return language;
}
