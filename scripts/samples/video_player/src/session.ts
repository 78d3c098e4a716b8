import { createPlayer } from "./player.js";
import { isTransient } from "./errors.js";

export interface SessionOptions {
  locale: string;
  retries: number;
}

export interface StartResult {
  started: boolean;
  reason: string | null;
}

/** One viewing: starts the player, and starts it again after a reason that may pass. */
export class Session {
  private attempts = 0;

  constructor(
    private readonly element: HTMLVideoElement,
    private readonly options: SessionOptions,
  ) {}

  async begin(): Promise<StartResult> {
    const player = createPlayer(this.element, { locale: this.options.locale });
    let result: StartResult = await player.start();
    while (!result.started && this.attempts < this.options.retries && isTransient(result.reason)) {
      this.attempts += 1;
      result = await player.start();
    }
    return result;
  }
}
