// The fold against a bare Map with field assignment, on the same events, both taking a snapshot of what
// changed every 1,000 events. Prints the ratio, and how time grows from 10,000 events to 100,000.
import { SessionBook } from "toolgate/call";
import { compare, report } from "./measure.mjs";

const CALLS = 7_700;
const BATCH = 1_000;

/** A working day of an agent: thirteen events a call, many calls at a time, in the order they would come. */
function events(count) {
  const all = [];
  for (let call = 0; all.length < count; call += 1) {
    const toolCallId = `call_${call % CALLS}-${Math.floor(call / CALLS)}`;
    const at = 1_700_000_000_000 + call;
    const one = (type, data) => ({ type, toolCallId, at, ...data });
    all.push(
      one("call-announced", {
        name: "edit_file",
        title: `Edit src/file-${call}.ts`,
        kind: "edit",
        kindSource: "declared",
      }),
      one("input-delta", { text: `{"path":"/home/user/project/src/file-${call}.ts",` }),
      one("input-delta", { text: `"oldText":"a","newText":"b"}` }),
      one("input-ready", {
        rawInput: { path: `/home/user/project/src/file-${call}.ts`, oldText: "a", newText: "b" },
      }),
      one("call-revised", {
        fields: { locations: [{ path: `/home/user/project/src/file-${call}.ts`, line: 1 }] },
      }),
      one("call-cleared", { decision: { by: "rule", rule: "edits", at } }),
      one("run-started"),
      one("call-revised", { fields: { progress: { done: 1, total: 3 } } }),
      one("call-revised", { fields: { progress: { done: 2, total: 3 } } }),
      one("content-appended", { content: { type: "content", content: { type: "text", text: "changed" } } }),
      one("call-revised", { fields: { progress: { done: 3, total: 3 } } }),
      one("call-revised", { fields: { title: `Edited src/file-${call}.ts` } }),
      one("call-done", { rawOutput: { changed: 1 } }),
    );
  }
  return batches(all.slice(0, count));
}

function batches(all) {
  const cut = [];
  for (let start = 0; start < all.length; start += BATCH) cut.push(all.slice(start, start + BATCH));
  return cut;
}

function fold(all) {
  const book = new SessionBook("bench");
  let seen = 0;
  book.subscribe(({ toolCallIds }) => {
    const snapshot = [];
    for (const toolCallId of toolCallIds) snapshot.push(book.call(toolCallId));
    seen += snapshot.length;
  });
  for (const batch of all) book.applyAll(batch);
  return seen;
}

/** The simplest code: objects changed in place, and copied for the snapshot. */
function bareMap(all) {
  const calls = new Map();
  let seen = 0;
  for (const batch of all) {
    const changed = new Set();
    for (const event of batch) {
      assign(calls, event);
      changed.add(event.toolCallId);
    }
    const snapshot = [];
    for (const toolCallId of changed) snapshot.push({ ...calls.get(toolCallId) });
    seen += snapshot.length;
  }
  return seen;
}

function assign(calls, event) {
  if (event.type === "call-announced") {
    const { toolCallId, name, title, kind } = event;
    calls.set(toolCallId, {
      toolCallId,
      name,
      title,
      kind,
      status: "drafting",
      draft: "",
      content: [],
      locations: [],
    });
    return;
  }
  const call = calls.get(event.toolCallId);
  if (event.type === "input-delta") call.draft += event.text;
  else if (event.type === "input-ready") {
    call.rawInput = event.rawInput;
    call.status = "ready";
  } else if (event.type === "call-revised") Object.assign(call, event.fields);
  else if (event.type === "call-cleared") {
    call.decision = event.decision;
    call.status = "cleared";
  } else if (event.type === "run-started") {
    call.startedAt = event.at;
    call.status = "running";
  } else if (event.type === "content-appended") call.content = [...call.content, event.content];
  else if (event.type === "call-done") {
    call.rawOutput = event.rawOutput;
    call.endedAt = event.at;
    call.status = "done";
  }
}

const large = events(100_000);
// Ten sessions of a tenth each: the same work, with events as cold in the cache as the long session's.
const small = Array.from({ length: 10 }, () => events(10_000));
const { ours, theirs, ourTen, theirTen } = compare({
  ours: () => fold(large),
  theirs: () => bareMap(large),
  ourTen: () => small.map(fold),
  theirTen: () => small.map(bareMap),
});

report("fold: 100,000 events of 7,700 calls, snapshot of what changed every 1,000", {
  toolgate: ours,
  "bare Map": theirs,
});
console.log(`  speed relative to the bare Map: ${(theirs / ours).toFixed(2)} (bar: 0.40)`);
console.log(
  `  10 x the events take ${((ours / ourTen) * 10).toFixed(1)} x the time (bar: 12; the bare Map: ${((theirs / theirTen) * 10).toFixed(1)})`,
);
