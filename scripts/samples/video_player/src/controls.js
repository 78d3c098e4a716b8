/**
 * The controls of the player and the names under which old skins ask for them.
 *
 * Skins written before 2.0 say "start" and "stop"; the element knows "play" and "pause".
 */
const SUPPORTED = new Set(["play", "pause", "seek", "mute", "captions"]);

const ALIASES = new Map([
  ["start", "play"],
  ["stop", "pause"],
  ["silence", "mute"],
  ["untertitel", "captions"],
  ["sous-titres", "captions"],
  ["字幕", "captions"],
]);

/** The name that the element knows: "start" is "play". A name that is no alias stays as it is. */
export function canonicalControl(name) {
  return ALIASES.get(name) ?? name;
}

/** Whether this device can perform a control, asked for by its own name or by an alias. */
export function isControlSupported(name) {
  return SUPPORTED.has(name);
}

/** Removes a control that the device does not have (kiosk mode, set-top boxes). */
export function withoutControl(name) {
  SUPPORTED.delete(canonicalControl(name));
}

export function supportedControls() {
  return [...SUPPORTED].sort();
}
