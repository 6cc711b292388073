/**
 * Transcripts in the docs. A fence marked `console` on a page holds commands (`$ …`) and what they wrote; here the
 * commands of a page are really run, one after the other, at a terminal in a made-up project, and the page is
 * returned with what they write now. The answers to their questions are the ones on the page.
 *
 * Parts that differ from run to run are normalised: folders, ids, times. Folders and ids keep their length, so that
 * lines break where they broke.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** As long as the folder that stands for it. */
const HOME = "/home/ann.smith";
const HOME_PATTERN = "/tmp/tgd-";
const FENCE = /```console\n(.*?)```/gs;
const QUESTION = "or no with your reason: ";

export type TranscriptOptions = {
  /** The project's files. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Addresses on the page, and where they really are. */
  readonly servers?: Readonly<Record<string, string>>;
};

/** The page as it should be. */
export async function freshPage(page: string, options: TranscriptOptions): Promise<string> {
  const home = realpathSync(mkdtempSync(HOME_PATTERN));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [project, bin] = [join(home, "cart"), join(home, "bin")];
  for (const path of [project, bin]) mkdirSync(path);
  for (const [name, text] of Object.entries(options.files)) writeFileSync(join(project, name), text);
  // The pages are the same where a sandbox holds and where none does.
  mkdirSync(join(home, ".config", "toolgate"), { recursive: true });
  writeFileSync(join(home, ".config", "toolgate", "config.json"), '{ "contained": false }\n');
  writeFileSync(join(bin, "toolgate"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(join(bin, "toolgate"), 0o755);
  const servers = Object.entries(options.servers ?? {});
  const env = { ...plainEnvironment(home), PATH: `${bin}${delimiter}${process.env["PATH"]}`, ...options.env };
  const steady = steadyWords(home);
  let fresh = page;
  for (const [fence, body = ""] of page.matchAll(FENCE)) {
    const answers = [...body.matchAll(new RegExp(`${QUESTION}(.*)`, "g"))].map(([, answer = ""]) => answer);
    const parts: string[] = [];
    for (const [, command = ""] of body.matchAll(/^\$ (.*)$/gm)) {
      const real = servers.reduce((text, [shown, url]) => text.replaceAll(shown, url), command);
      const wrote = await atTerminal(steady.meant(real), { cwd: project, env, answers });
      const said = servers.reduce((text, [shown, url]) => text.replaceAll(url, shown), wrote);
      const shown = steady.shown(said);
      parts.push(`$ ${command}\n${command.startsWith("toolgate stats") ? aligned(shown) : shown}`);
    }
    fresh = fresh.replace(fence, () => `\`\`\`console\n${parts.join("\n")}\`\`\``);
  }
  return fresh;
}

/** Nothing of the person who runs this. A dumb terminal: text only goes on, without colour. */
function plainEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    TERM: "dumb",
    LANG: "C.UTF-8",
    TZ: "UTC",
  };
}

type At = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Taken from the front, one for each question. */
  readonly answers: string[];
};

function atTerminal(command: string, { cwd, env, answers }: At): Promise<string> {
  const pty = spawn("sh", ["-c", command], { cwd, env, cols: 100, rows: 40 });
  return new Promise((resolve) => {
    let text = "";
    let asked = 0;
    pty.onData((data) => {
      text += data;
      const questions = text.split(QUESTION).length - 1;
      for (; asked < questions; asked += 1) pty.write(`${answers.shift() ?? ""}\r`);
    });
    pty.onExit(() => resolve(asText(text)));
  });
}

/** The text that stayed on the screen, without control sequences. */
function asText(written: string): string {
  const lines = stripVTControlCharacters(written).replaceAll("\r", "").split("\n");
  // That a call has started is drawn in place at other terminals, and its place among the rest is chance.
  const kept = lines.flatMap((line) => (line.startsWith("► ") ? [] : [line.trimEnd()]));
  const text = kept
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return text === "" ? "" : `${text}\n`;
}

/** Ids by the order in which they first appear, and back again in commands. */
function steadyWords(home: string) {
  const names = new Map<string, string>();
  // A short id begins as the whole one does.
  const offsets = new Map<string, number>();
  const count = (kind: string) => [...names.values()].filter((name) => name.startsWith(kind)).length;
  const named = (id: string, kind: string): string => {
    const start = id.slice(0, kind.length + 8);
    let next = offsets.get(start) ?? 7 * count(kind);
    offsets.set(start, next);
    const shape = id.slice(kind.length).replaceAll(/[^-]/g, () => SAMPLE.charAt(next++ % SAMPLE.length));
    const name = names.get(id) ?? kind + shape;
    names.set(id, name);
    return name;
  };
  return {
    meant: (command: string) =>
      [...names]
        // A whole id before the short one that it begins with.
        .toSorted(([one], [other]) => other.length - one.length)
        .reduce((text, [id, name]) => text.replaceAll(name, id), command),
    shown: (text: string) =>
      text
        .replaceAll(/session_[\w-]+/g, (id) => named(id, "session_"))
        .replaceAll(/(?<=toolgate-demo-)\w{6}/g, (id) => named(id, ""))
        .replaceAll(/(?<!_)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => named(id, ""))
        .replaceAll(/(?<![-\w])[0-9a-f]{12}\b/g, (id) => named(id, ""))
        .replaceAll(home, HOME)
        .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d\b/g, "2026-01-15 09:30")
        .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, "2026-01-15T09:30:00.000Z")
        .replaceAll(/(?<!Retrying in )\b\d+(\.\d+)? (?:ms|s|min)\b/g, "12 ms")
        .replaceAll(/\b\d+ events of/g, "46 events of"),
  };
}

const SAMPLE = "4f9c1e7b2a6d8035c1e94b7f60a2d83e5971cb04f6a8e2d3b7";

/** A table whose cells have changed their width. */
function aligned(table: string): string {
  const rows = table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return `${rows.map((row) => row.map(cell).join("  ")).join("\n")}\n`;
}
