// The v1 codec against bare JSON: what writing and reading a message costs beside the JSON itself.
import { V1Encoder, V1Reader } from "toolgate/acp";
import { applyEvent, SessionBook } from "toolgate/call";
import { compare, report } from "./measure.mjs";

const CALLS = 2_000;
const SESSION = "bench";

/** Each call at the moments when a client gets an update of it. */
function moments() {
  const all = [];
  for (let index = 0; index < CALLS; index += 1) {
    const toolCallId = `call_${index}`;
    const path = `/home/user/project/src/file-${index}.ts`;
    const at = 1_700_000_000_000 + index;
    const one = (type, data) => ({ type, toolCallId, at, ...data });
    const text = `line of source number ${index}\n`.repeat(20);
    const steps = [
      [
        one("call-announced", {
          name: "edit_file",
          title: `Edit src/file-${index}.ts`,
          kind: "edit",
          kindSource: "declared",
        }),
        one("input-ready", { rawInput: { path, oldText: text, newText: `${text}// end` } }),
        one("call-revised", { fields: { locations: [{ path, line: 1 }] } }),
      ],
      [one("call-cleared", { decision: { by: "rule", rule: "edits", at } }), one("run-started")],
      [
        one("call-revised", {
          fields: {
            content: [{ type: "diff", operation: "modify", path, oldText: text, newText: `${text}// end` }],
          },
        }),
        one("call-done", { rawOutput: { changed: true } }),
      ],
    ];
    let call;
    for (const step of steps) {
      for (const event of step) call = applyEvent(call, event);
      all.push(call);
    }
  }
  return all;
}

const calls = moments();
const encodeAll = () => {
  const encoder = new V1Encoder();
  return calls.map((call) => encoder.encode(call));
};
const messages = encodeAll().flat();
const lines = messages.map((update) => JSON.stringify(update));
const foreign = lines.map((line) => line.replace(/,"_meta":\{"toolgate".*\}$/, "}"));

const written = compare({
  "JSON.stringify": () => messages.map((update) => JSON.stringify(update)),
  "encode + stringify": () => encodeAll().map((updates) => updates.map((update) => JSON.stringify(update))),
});
const bytes = lines.reduce((sum, line) => sum + line.length, 0);
report(
  `codec: ${messages.length} v1 messages, ${(bytes / messages.length).toFixed(0)} characters each`,
  written,
);
console.log(
  `  ${(written["encode + stringify"] / written["JSON.stringify"]).toFixed(2)} x bare JSON.stringify (bar: 2)`,
);

read("another agent's messages", foreign, "lenient");
read("our own messages, with _meta.toolgate", lines, "strict");

/** Reading to events is the codec's work; folding them is the book's, which has a benchmark of its own. */
function read(what, wire, mode) {
  const before = callsBefore(wire, mode);
  const times = compare({
    "JSON.parse": () => {
      let parsed = 0;
      for (const line of wire) if (JSON.parse(line)) parsed += 1;
      return parsed;
    },
    "parse + check + read": () => {
      let index = 0;
      const session = { sessionId: SESSION, call: () => before[index], question: () => undefined };
      const reader = new V1Reader({ session, cwd: "/home/user/project", mode });
      let events = 0;
      for (index = 0; index < wire.length; index += 1)
        events += reader.read(JSON.parse(wire[index]), 1).events.length;
      return events;
    },
  });
  report(`codec: reading ${what}`, times);
  console.log(
    `  ${(times["parse + check + read"] / times["JSON.parse"]).toFixed(2)} x bare JSON.parse (bar: 2)`,
  );
}

/** The session's view of the call when each message comes. */
function callsBefore(wire, mode) {
  const book = new SessionBook(SESSION);
  const reader = new V1Reader({ session: book, cwd: "/home/user/project", mode });
  return wire.map((line) => {
    const update = JSON.parse(line);
    const call = book.call(update.toolCallId);
    book.applyAll(reader.read(update, 1).events);
    return call;
  });
}
