import test from "node:test";
import assert from "node:assert/strict";
import { withoutControl } from "../src/controls.js";
import { createPlayer } from "../src/player.js";
import { FakeVideo } from "./fake-video.js";

test("start shows the first frame", async () => {
  const element = new FakeVideo({ firstFrameAfter: 20 });
  const player = createPlayer(element);
  assert.deepEqual(await player.start(), { started: true, reason: null });
  assert.equal(element.calls.filter((call) => call === "play").length, 1);
});

test("a device without captions says so once", () => {
  const errors = [];
  withoutControl("captions");
  const player = createPlayer(new FakeVideo(), { onError: (error) => errors.push(error.reason) });
  player.captions("fr");
  assert.deepEqual(errors, ["unsupported_control"]);
});
