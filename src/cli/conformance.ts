/** `toolgate conformance -- <agent command>`: which requirements an ACP agent passes, fails, or leaves untested. */
import { chosenRequirements, requirementsOf, runConformance } from "../acp/conformance/index.js";
import type { ConformanceReport, JudgedRequirement, Level } from "../acp/conformance/index.js";
import { visibleText } from "../call/index.js";
import { coloured, wantsColour } from "./colour.js";
import { SIGNALS } from "./signals.js";

export type ConformanceFlags = {
  readonly protocol: "1" | "2";
  readonly only?: readonly string[];
  readonly list?: boolean;
  readonly prompt?: string;
  readonly cancelPrompt?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly authMethod?: string;
  readonly timeout: number;
  readonly json?: boolean;
};

export async function checkConformance(words: readonly string[], flags: ConformanceFlags): Promise<number> {
  const [command = "", ...args] = words;
  const { prompt, cancelPrompt, cwd, env, only, authMethod } = flags;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  // The agents run in their own process groups, which a terminal's Ctrl-C does not reach.
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const progress = process.stderr.isTTY ? process.stderr : undefined;
  const report = await runConformance({
    agent: { command, args, ...(env && { env }) },
    version: flags.protocol === "1" ? 1 : 2,
    responseTimeoutMs: flags.timeout * 1000,
    signal: stop.signal,
    ...(only && { only }),
    ...(prompt !== undefined && { prompt }),
    ...(cancelPrompt !== undefined && { cancelPrompt }),
    ...(cwd !== undefined && { cwd }),
    ...(authMethod !== undefined && { authMethod }),
    onProgress: (played, all, name) =>
      progress?.write(`\r\u001b[K${played} of ${all} conversations held (${name})`),
  });
  progress?.write("\r\u001b[K");
  if (stop.signal.aborted) return 130;
  const text = flags.json ? JSON.stringify(report) : reportText(words.join(" "), report);
  process.stdout.write(`${wantsColour(process.stdout) && !flags.json ? coloured(text) : text}\n`);
  return report.isConformant ? 0 : 1;
}

export function listRequirements({ protocol, only, json }: ConformanceFlags): void {
  const version = protocol === "1" ? 1 : 2;
  const listed = chosenRequirements(requirementsOf(version), { version, ...(only && { only }) });
  const shown = listed.map(({ id, level, text }) => ({ id, level, text }));
  const lines = shown.map(({ id, level, text }) => `${id.padEnd(ID_WIDTH)}  ${level.padEnd(10)}  ${text}`);
  process.stdout.write(json ? `${JSON.stringify(shown)}\n` : `${lines.join("\n")}\n`);
}

const MARKS = { pass: "✓", fail: "✗", "not tested": "–" } as const;
const LEVELS: readonly Level[] = ["mandatory", "capability", "advisory", "info"];
const ID_WIDTH = Math.max(...([1, 2] as const).flatMap(requirementsOf).map(({ id }) => id.length));

function reportText(command: string, report: ConformanceReport): string {
  const { requirements, version } = report;
  return [
    `ACP version ${version}: ${visibleText(command)}`,
    "",
    ...requirements.filter(({ finding }) => finding.verdict !== "not tested").map(line),
    ...untestedText(requirements),
    "",
    ...summary(requirements),
    "",
    verdict(report),
  ].join("\n");
}

function line({ id, level, text, finding }: JudgedRequirement): string {
  const mark = level === "info" ? "·" : MARKS[finding.verdict];
  const head = `${mark} ${id.padEnd(ID_WIDTH)}  ${level.padEnd(10)}  ${text}`;
  if (finding.verdict === "fail") return `${head}\n    seen: ${visibleText(finding.seen)}`;
  return finding.verdict === "pass" && level === "info" && finding.note !== undefined
    ? `${head}\n    ${visibleText(finding.note)}`
    : head;
}

const NOT_ADVERTISED = / is not advertised$/;

/** Groups untested requirements by reason, so that each reason is shown once. */
function untestedText(requirements: readonly JudgedRequirement[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  const missing = new Set<string>();
  for (const { id, level, finding } of requirements) {
    if (finding.verdict !== "not tested") continue;
    const isMissing = NOT_ADVERTISED.test(finding.why);
    if (isMissing) missing.add(finding.why.replace(NOT_ADVERTISED, ""));
    const reason = isMissing ? "not advertised" : finding.why;
    const ids = reasons.get(reason) ?? [];
    ids.push(level === "mandatory" ? `${id} (mandatory)` : id);
    reasons.set(reason, ids);
  }
  return [...reasons].flatMap(([why, ids]) => [
    "",
    why === "not advertised" ? "– not tested, since it is not advertised:" : `– not tested: ${ownLines(why)}`,
    ...(why === "not advertised" ? wrapped([...missing]) : []),
    ...wrapped(ids),
  ]);
}

/** Marks the agent's own last output lines apart from ours. */
const ownLines = (why: string): string =>
  why
    .split("\n")
    .map((text) => visibleText(text))
    .join("\n    │ ");

function wrapped(ids: readonly string[]): readonly string[] {
  const lines = [""];
  for (const id of ids) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + id.length > 96) lines.push(id);
    else lines[lines.length - 1] = last === "" ? id : `${last}, ${id}`;
  }
  return lines.map((text) => `    ${text}`);
}

function summary(requirements: readonly JudgedRequirement[]): readonly string[] {
  const count = (level: Level, verdictOfIt: JudgedRequirement["finding"]["verdict"]): string =>
    String(
      requirements.filter((one) => one.level === level && one.finding.verdict === verdictOfIt).length,
    ).padStart(12);
  return [
    `${"".padEnd(12)}${"passed".padStart(12)}${"failed".padStart(12)}${"not tested".padStart(12)}`,
    ...LEVELS.filter((level) => level !== "info").map(
      (level) =>
        `${level.padEnd(12)}${count(level, "pass")}${count(level, "fail")}${count(level, "not tested")}`,
    ),
  ];
}

function verdict({ isConformant, requirements }: ConformanceReport): string {
  if (isConformant)
    return "Conformant: all that is mandatory was tested and passed, and nothing that the agent advertises failed.";
  const failures = requirements.filter(
    ({ level, finding }) => finding.verdict === "fail" && (level === "mandatory" || level === "capability"),
  ).length;
  const untested = requirements.filter(
    ({ level, finding }) => finding.verdict === "not tested" && level === "mandatory",
  ).length;
  const parts = [
    ...(failures > 0
      ? [`${failures} mandatory or advertised ${failures === 1 ? "thing" : "things"} failed`]
      : []),
    ...(untested > 0 ? [`${untested} mandatory ${untested === 1 ? "one" : "ones"} could not be tested`] : []),
  ];
  return `${failures > 0 ? "Not conformant" : "Not decided"}: ${parts.join(", ")}.`;
}
