// Our server's response, for the servers that only repeat it: as the model made it, one event for each chunk; or with
// "joined" as our server wrote it, with the chunks of one tick in one event.
import { readFileSync } from "node:fs";
import { paced, piece, PIECES } from "./work.mjs";

const { delta, none } = JSON.parse(readFileSync(process.argv[2], "utf8"));

export const NONE = none;
/** One event each: its fields, and the bytes they were. */
const joined = delta
  .split("\n\n")
  .filter((text) => /^data:/m.test(text))
  .map((text) => {
    const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
    return { text: `${text}\n\n`, id: field("id"), event: field("event"), data: field("data") };
  });

const { id } = joined[1];
const textDelta = (text) => {
  const data = JSON.stringify({ delta: text });
  return { id, event: "text_delta", data, text: `id: ${id}\nevent: text_delta\ndata: ${data}\n\n` };
};
const apart = [
  joined[0],
  ...Array.from({ length: PIECES }, (_, index) => textDelta(piece(index))),
  joined.at(-1),
];
export const FRAMES = process.argv[3] === "joined" ? joined : apart;

/** Calls `write` with one event each 20 ms, as the model of our server makes them, and `end` after the last. */
export function pacedFrames(write, end) {
  write(FRAMES[0]);
  const stop = () => {
    write(FRAMES.at(-1));
    end();
  };
  paced((text) => write(textDelta(text)), stop);
}
