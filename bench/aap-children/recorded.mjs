// What our server answered, for the servers that only repeat it.
import { readFileSync } from "node:fs";
import { PACE, PACED_PIECES, stamp } from "./work.mjs";

const { delta, none } = JSON.parse(readFileSync(process.argv[2], "utf8"));

export const NONE = none;
/** One event each: its fields, and the bytes they were. */
export const FRAMES = delta
  .split("\n\n")
  .filter((text) => /^data:/m.test(text))
  .map((text) => {
    const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
    return { text: `${text}\n\n`, id: field("id"), event: field("event"), data: field("data") };
  });

/** Calls `write` with one event each 20 ms, as the model of our server makes them, and `end` after the last. */
export function pacedFrames(write, end) {
  write(FRAMES[0]);
  let left = PACED_PIECES;
  const { id } = FRAMES[1];
  const timer = setInterval(() => {
    const data = JSON.stringify({ delta: stamp() });
    write({ id, event: "text_delta", data, text: `id: ${id}\nevent: text_delta\ndata: ${data}\n\n` });
    if ((left -= 1) > 0) return;
    clearInterval(timer);
    write(FRAMES.at(-1));
    end();
  }, PACE);
}
