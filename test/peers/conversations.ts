/**
 * Conversations in a terminal, beside each other: the same provider on loopback streams the same Markdown to `toolgate
 * chat`, to opencode and to acpx (which shows an agent of its own, here opencode's), each in a pseudo-terminal of the same
 * size. Measured from outside: bytes that reach the terminal, and memory and CPU time of the program with its children.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { opencode } from "./agents.js";
import { newerNode, npmPackage } from "./install.js";
import { listenOnLoopback } from "./scripted-provider.js";
import { makePlace, peerEnv } from "./peer-home.js";
import type { Place } from "./peer-home.js";
import { progress } from "./verdict.js";

const SIZE = { cols: 100, rows: 30 };
const SECTIONS = 40;
const PIECE_CHARS = 40;
const PIECE_MS = 10;
/** The screen counts as still after this time without a byte. */
const STILL_MS = 1_500;
const LIMIT_MS = 120_000;
/** The median of so many conversations with each program counts. */
const ROUNDS = 3;

const section = (number: number) =>
  `## Step ${number}\n\nThe **${number}th** step reads \`src/part-${number}.ts\` and changes one line of it.\n\n` +
  `- it keeps the name\n- it adds a test\n\n\`\`\`ts\nexport const part${number} = (a: number) => a + ${number};\n\`\`\`\n\n`;
const ANSWER = Array.from({ length: SECTIONS }, (_, at) => section(at + 1)).join("");
/** A piece of text of each section, as every program shows it. */
const MARKERS = Array.from({ length: SECTIONS }, (_, at) => `export const part${at + 1} =`);

type Program = {
  readonly name: string;
  /** The words of its start, after which it waits for a message; the message is in them where it waits for none. */
  readonly start: (place: Place, url: string) => Promise<Started>;
};
type Started = {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  /** The message is in the words. */
  readonly isPrompted?: boolean;
  /** The program exits after the answer. */
  readonly exits?: boolean;
};

const programsOf = (toolgate: string): readonly Program[] => [
  {
    name: "toolgate chat",
    start: async (_place, url) => ({
      words: [
        process.execPath,
        toolgate,
        "chat",
        "--model",
        "openai-compatible/fake",
        "--base-url",
        `${url}/v1`,
      ],
    }),
  },
  {
    name: `opencode run ${opencode.version}`,
    start: async (place, url) => {
      const { command, env = {} } = await opencode.start(place, url);
      return { words: [...command.slice(0, 1), "run", "Explain."], env, isPrompted: true, exits: true };
    },
  },
  {
    name: `opencode ${opencode.version}, full screen`,
    start: async (place, url) => {
      const { command, env = {} } = await opencode.start(place, url);
      return { words: [...command.slice(0, 1), "--prompt", "Explain."], env, isPrompted: true };
    },
  },
  {
    name: "acpx 0.19.1 with opencode",
    start: async (place, url) => {
      const { command, env = {} } = await opencode.start(place, url);
      const cli = join(await npmPackage("acpx", "0.19.1"), "dist/cli.js");
      const base = [join(await newerNode(), "node"), cli, "--cwd", place.project, "--ttl", "1"];
      const agent = [...base, "--agent", command.join(" ")];
      return {
        before: [...agent, "sessions", "new"],
        words: [...agent, "--approve-all", "prompt", "Explain."],
        env,
        isPrompted: true,
        exits: true,
      };
    },
  },
];

export async function compareConversations(toolgate: string): Promise<string> {
  const rows = [["program", "first paint", "memory, idle", "memory, after", "CPU", "drawn per KB", "kept"]];
  for (const program of programsOf(toolgate)) {
    progress(program.name);
    const seen: Seen[] = [];
    for (let round = 0; round < ROUNDS; round += 1) seen.push(await converse(program));
    const median = (field: Exclude<keyof Seen, "screen">): number =>
      seen.map((one) => one[field]).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
    rows.push([
      program.name,
      `${(median("firstPaintMs") / 1000).toFixed(2)} s`,
      Number.isNaN(median("idleMb")) ? "–" : `${median("idleMb")} MB`,
      `${median("afterMb")} MB`,
      `${(median("cpuMs") / 1000).toFixed(1)} s`,
      `${(median("drawnBytes") / ANSWER.length).toFixed(1)} KB`,
      `${median("kept")} of ${SECTIONS}`,
    ]);
    progress(seen[0]?.screen.split("\n").slice(-SIZE.rows).join("\n") ?? "");
  }
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")).join("\n");
}

type Seen = {
  readonly firstPaintMs: number;
  /** Not a number where the program never waits for a message. */
  readonly idleMb: number;
  readonly afterMb: number;
  readonly cpuMs: number;
  readonly drawnBytes: number;
  readonly kept: number;
  readonly screen: string;
};

async function converse(program: Program): Promise<Seen> {
  const provider = await streamingProvider();
  const place = makePlace("conversation");
  try {
    const { words, env = {}, before, isPrompted, exits = false } = await program.start(place, provider.url);
    const full = peerEnv(place, [], env);
    if (before) await still(watched(before, place, full), () => false);
    const startedAt = performance.now();
    const terminal = watched(words, place, full);
    // The start of a program is not part of its streaming.
    let cpuBefore = Infinity;
    provider.onStream(() => (cpuBefore = Math.min(cpuBefore, cpuMsOf(terminal.pid))));
    await still(
      terminal,
      () => stripVTControlCharacters(terminal.text()).trim() !== "",
      isPrompted ? 0 : STILL_MS,
    );
    const firstPaintMs = Math.round(terminal.firstPaintAt() - startedAt);
    const idleMb = isPrompted ? Number.NaN : megabytesOf(terminal.pid);
    const bytesBefore = isPrompted ? 0 : terminal.text().length;
    if (!isPrompted) {
      for (
        let isTyped = false, tries = 0;
        !isTyped && tries < 20;
        tries += 1, isTyped = (await terminal.screen()).includes("Explain.")
      ) {
        terminal.write("Explain.");
        await still(terminal, () => true, 500);
      }
      terminal.write("\r");
    }
    let [afterMb, cpuMs] = [0, 0];
    const sample = setInterval(() => {
      afterMb = Math.max(afterMb, megabytesOf(terminal.pid));
      cpuMs = Math.max(cpuMs, cpuMsOf(terminal.pid));
    }, 250);
    await still(terminal, () => provider.isDone() && !exits);
    clearInterval(sample);
    const drawnBytes = Buffer.byteLength(terminal.text().slice(bytesBefore));
    const screen = await terminal.screen();
    terminal.kill();
    const kept = MARKERS.filter((marker) => screen.includes(marker)).length;
    return { firstPaintMs, idleMb, afterMb, cpuMs: Math.max(0, cpuMs - cpuBefore), drawnBytes, kept, screen };
  } finally {
    provider.close();
  }
}

function watched([file = "", ...args]: readonly string[], { project }: Place, env: Record<string, string>) {
  const terminal = spawn(file, args, { cwd: project, env, ...SIZE });
  const emulator = new xterm.Terminal({ ...SIZE, scrollback: 10_000, allowProposedApi: true });
  // Programs ask the terminal what it can do, and wait for the reply.
  emulator.onData((reply) => terminal.write(reply));
  let [text, lastAt, firstPaintAt, isOver] = ["", performance.now(), 0, false];
  terminal.onData((data) => {
    emulator.write(data);
    text += data;
    lastAt = performance.now();
    if (firstPaintAt === 0 && stripVTControlCharacters(text).trim() !== "") firstPaintAt = lastAt;
  });
  terminal.onExit(() => (isOver = true));
  return {
    pid: terminal.pid,
    text: () => text,
    screen: () => screenOf(emulator),
    stillMs: () => performance.now() - lastAt,
    firstPaintAt: () => firstPaintAt,
    isOver: () => isOver,
    write: (keys: string) => terminal.write(keys),
    kill: () => terminal.kill("SIGKILL"),
  };
}

/** Waits until the condition holds and nothing was drawn for a while, or the program has ended. */
async function still(
  terminal: ReturnType<typeof watched>,
  isReady: () => boolean,
  stillMs = STILL_MS,
): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (performance.now() < end && !terminal.isOver() && !(isReady() && terminal.stillMs() >= stillMs))
    await sleep(20);
}

async function screenOf(emulator: xterm.Terminal): Promise<string> {
  await new Promise<void>((resolve) => emulator.write("", resolve));
  const { active } = emulator.buffer;
  return Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? "",
  ).join("\n");
}

/** The processes below a pid, itself included. */
function tree(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statOf(Number(name))[1]);
    parents.set(Number(name), parent);
  }
  const below = (parent: number): readonly number[] => [
    parent,
    ...[...parents].filter(([, of]) => of === parent).flatMap(([child]) => below(child)),
  ];
  return below(pid);
}

/** The fields after the name: state, parent … */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return [];
  }
}

const TICK_MS = 10;
const PAGE_BYTES = 4096;
/** User and system time, with that of ended children. */
const cpuMsOf = (pid: number): number =>
  tree(pid)
    .flatMap((one) => statOf(one).slice(11, 15).map(Number))
    .reduce((sum, ticks) => sum + ticks * TICK_MS, 0);
const megabytesOf = (pid: number): number =>
  Math.round(
    tree(pid)
      .map((one) => (Number(statOf(one)[21] ?? 0) * PAGE_BYTES) / 1_000_000)
      .reduce((sum, megabytes) => sum + megabytes, 0),
  );

const frame = (delta: object, finish: string | null = null): string => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "fake", choices })}\n\n`;
};

/** Streams the answer piece by piece to a request that offers tools, and a title to any other. */
async function streamingProvider() {
  let isDone = false;
  let onStream: (() => void) | undefined;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST") {
      response.end(JSON.stringify({ data: [{ id: "fake" }] }));
      return;
    }
    const isMain = Buffer.concat(chunks).includes('"tools"');
    if (isMain) onStream?.();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = isMain ? ANSWER : "A title";
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      response.write(frame({ content: text.slice(at, at + PIECE_CHARS) }));
      await sleep(PIECE_MS);
    }
    response.end(`${frame({}, "stop")}data: [DONE]\n\n`);
    isDone ||= isMain;
  }
  return {
    ...(await listenOnLoopback(serve)),
    isDone: () => isDone,
    /** Calls this when the answer begins. */
    onStream: (then: () => void) => void (onStream = then),
  };
}
