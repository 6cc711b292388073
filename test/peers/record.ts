/** The record of a journey, as `toolgate history export` writes it. */
import { execFileSync } from "node:child_process";
import { shownText } from "../../src/call/index.js";
import type { ToolCall } from "../../src/call/index.js";
import { callOwner } from "../../src/view/call-owner.js";

export type RecordedCall = ToolCall;

export function recordedCalls(program: string, ledger: string, cwd: string): readonly RecordedCall[] {
  const words = [program, "history", "export", "--format", "ndjson", "--ledger", ledger];
  const text = execFileSync(process.execPath, words, { cwd, encoding: "utf8" });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; call?: RecordedCall })
    .flatMap(({ type, call }) => (type === "call" && call ? [call] : []));
}

/** What is wrong with the calls of an act that is one call, in words. */
export function faultsOf(calls: readonly RecordedCall[], expected: ExpectedCall): readonly string[] {
  const fitting = calls.filter((call) => expected.isIt(call));
  // A file or command that Toolgate serves for a call of the agent is shown as a part of that call.
  const found = fitting.filter((call) => callOwner(call, calls) === undefined);
  const [call] = found;
  if (!call) return [`no call for it among ${calls.map(({ title }) => title).join(", ") || "none"}`];
  const { asked, answered, started, ended } = call.times;
  const output = outputOf(call);
  return [
    ...(found.length > 1
      ? [
          `${found.length} calls: ${found.map(({ title, toolCallId }) => `${title} (${toolCallId})`).join(", ")}`,
        ]
      : []),
    ...(call.state.status === expected.status ? [] : [`status ${call.state.status}, not ${expected.status}`]),
    ...(expected.isDecided && call.decision?.by !== "person"
      ? [`decided by ${call.decision?.by ?? "nobody"}`]
      : []),
    ...(expected.reason !== undefined && call.decision?.reason !== expected.reason
      ? ["the reason is not in the record"]
      : []),
    ...(call.breach ? ["marked as a breach"] : []),
    ...(inOrder([asked, answered, started, ended]) ? [] : ["times out of order"]),
    ...(expected.output === undefined ? [] : outputFaults(output, expected.output)),
  ];
}

export type ExpectedCall = {
  readonly isIt: (call: RecordedCall) => boolean;
  readonly status: string;
  readonly isDecided?: boolean;
  readonly reason?: string;
  /** A text that the call's output has once. */
  readonly output?: string;
};

const inOrder = (times: readonly (number | undefined)[]): boolean => {
  const known = times.filter((time) => time !== undefined);
  return known.every((time, at) => at === 0 || (known[at - 1] ?? 0) <= time);
};

/** The texts of the call as a card shows them: its content and its terminals. */
const outputOf = (call: RecordedCall): string =>
  call.content
    .map((item) => {
      if (item.type === "content") return item.content.type === "text" ? item.content.text : "";
      return item.type === "terminal" && item.output ? shownText(item.output) : "";
    })
    .join("\n");

function outputFaults(output: string, wanted: string): readonly string[] {
  const times = output.split(wanted).length - 1;
  return times === 1 ? [] : [`its output is there ${times} times`];
}
