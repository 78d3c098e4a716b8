/** Reasons that the player gives for not doing what it was asked for. */
export const FIRST_FRAME_TIMEOUT = "first_frame_timeout";
export const SOURCE_GONE = "source_gone";

export class PlayerError extends Error {
  constructor(reason, text) {
    super(text);
    this.name = "PlayerError";
    this.reason = reason;
  }
}

/** Whether a reason is worth a retry: a control that is missing now will be missing in a second, too. */
export function isTransient(reason) {
  return reason !== "unsupported_control" && reason !== SOURCE_GONE;
}
