/**
 * The house, enforced: which room may import which, and that the project is whole by itself.
 *
 * The map is written out by hand. A change to it is a change to the architecture and goes in one
 * commit with a decision record. Checks run on the real files; the made-up files at the end prove
 * that each check can fail.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import {
  importTarget,
  PURE_PACKAGES,
  readImports,
  type SourceImport,
  type SourceText,
} from "./source-imports.js";

const ALL_BUT_CLI = [
  "call",
  "policy",
  "process",
  "tools",
  "mcp",
  "record",
  "run",
  "model",
  "agent",
  "history",
  "settings",
  "http",
  "acp",
  "aap",
  "serve",
  "wrap",
  "view",
];
const FRONT_DOOR = "index.ts";

/** Room → the rooms it may import besides itself. */
const MAP = new Map<string, readonly string[]>([
  ["call", []],
  ["policy", ["call"]],
  ["process", ["call"]],
  ["tools", ["call", "policy", "process"]],
  ["mcp", ["call", "policy", "tools", "process", "run", "record"]],
  ["record", ["call"]],
  ["run", ["call", "policy", "tools", "record"]],
  ["model", ["call"]],
  ["agent", ["call", "policy", "tools", "mcp", "run", "record", "model"]],
  ["history", ["call", "process"]],
  ["settings", ["call", "policy", "process"]],
  ["http", ["call"]],
  ["acp", ["call", "policy", "tools", "process", "run", "record", "agent", "http"]],
  ["aap", ["call", "policy", "tools", "run", "record", "agent", "history", "http"]],
  [
    "serve",
    ["call", "policy", "tools", "run", "record", "agent", "history", "settings", "http", "view", "aap"],
  ],
  ["wrap", ["call", "policy", "tools", "process", "run", "record", "acp", "http"]],
  ["view", ["call"]],
  ["cli", [...ALL_BUT_CLI, FRONT_DOOR]],
  [FRONT_DOOR, ALL_BUT_CLI],
]);

/** Folder inside a room → the folders of the same room that it may not import. */
const SIDES = ["src/acp/agent/", "src/acp/client/", "src/acp/conformance/"];
const INNER_RULES = new Map<string, readonly string[]>([
  ["src/acp/connection/", SIDES],
  ["src/acp/v1/", SIDES],
  ["src/acp/v2/", SIDES],
]);

const PROGRAM_STARTERS = new Set(["node:child_process", "child_process", "@lydell/node-pty"]);
const PURE_ROOMS = new Set(["call", "policy", "view"]);
const WEB_DOORS = ["toolgate/call", "toolgate/view", "toolgate/aap/client", "toolgate/serve/client"];
const DEPENDENCIES = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
const DEV_DEPENDENCIES = new Set(Object.keys(manifest.devDependencies));
const CODE = /\.[cm]?[jt]sx?$/;
const TEST_FILE = /\.(?:test|contract|samples)\.[cm]?[jt]sx?$/;
/** A call that reads a file, with a path that may leave the repository. */
const READS =
  /\b(?<how>new URL|import|from|readFile|readFileSync|readdir|readdirSync|existsSync|createReadStream)\b\s*\(?\s*["'`](?<to>\.\.\/[^"'`]*)["'`]/g;

const root = fileURLToPath(new URL("..", import.meta.url));
/** Each is read and parsed once. */
const sourcesRead = new Map<string, SourceText>();
/** Where this checkout lies on this machine. */
const checkout = root.replace(/\/$/, "");
const sources = filesBelow("src").filter((path) => CODE.test(path));
const rooms = readdirSync(join(root, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe("the house", () => {
  test("each folder below src/ is a room of the map, and only the front door lies beside them", () => {
    const strangers = readdirSync(join(root, "src")).filter((name) => !MAP.has(name));
    expect(strangers.map(offMap)).toEqual([]);
  });

  test("a room imports only the rooms that the map gives it, and only what it may ship", () => {
    expect(sources.map(readSource).flatMap(brokenRules)).toEqual([]);
  });

  test("only process/ starts programs", () => {
    const shipped = sources.filter((path) => !TEST_FILE.test(path));
    expect(shipped.map(readSource).flatMap(startsPrograms)).toEqual([]);
  });

  test("the options of a command load nothing of its work, so that each command starts fast", () => {
    const options = sources.filter((path) => path.startsWith("src/cli/commands/"));
    expect(options.length).toBeGreaterThan(2);
    expect(options.map(readSource).flatMap(loadsWork)).toEqual([]);
  });

  test("each store that an address opens passes both contract suites", () => {
    const history = "src/history";
    // Each type of address has a folder of its name.
    const addresses = readSource(`${history}/store-address.ts`).text;
    const stores = Array.from(addresses.matchAll(/readonly type: "([a-z]+)"/g), ([, store]) => store ?? "");
    const untested = stores.flatMap((store) => {
      const tests = sources.filter(
        (path) => path.startsWith(`${history}/${store}/`) && path.endsWith(".test.ts"),
      );
      const text = tests.map((path) => readSource(path).text).join("");
      return ["ledgerContract", "archiveContract"].flatMap((suite) =>
        text.includes(`${suite}(`) ? [] : [`${history}/${store} has no test with ${suite}.`],
      );
    });
    expect(stores.length).toBeGreaterThan(2);
    expect(untested).toEqual([]);
  });

  test("each room has a main file that opens with the room's purpose", () => {
    const missing = rooms.flatMap((room) => {
      const path = mainFile(room);
      return withoutPurpose(path, existsSync(join(root, path)) ? readSource(path).text : undefined);
    });
    expect(missing).toEqual([]);
  });

  test("the page imports only the doors that are safe in a browser", () => {
    const page = filesBelow("web").filter((path) => CODE.test(path) && !path.includes("/dist/"));
    expect(page.map(readSource).flatMap(brokenPageRules)).toEqual([]);
  });

  test("nothing reads outside the repository", () => {
    // This file has made-up imports.
    const paths = ["src", "test", "bench", "scripts"]
      .flatMap(filesBelow)
      .filter((path) => path !== "test/rooms.test.ts");
    expect(paths.map(readSource).flatMap(mentionsOutside)).toEqual([]);
  });

  test("every store passes the suite of its port", () => {
    expect(unchecked(filesBelow("src").map(readSource))).toEqual([]);
  });

  test("the checks above had something to check", () => {
    for (const room of rooms) {
      const files = sources.filter((path) => roomOf(path) === room);
      expect(files.length, `source files found in src/${room}/`).toBeGreaterThan(0);
    }
    expect(rooms.length, "rooms found below src/").toBeGreaterThan(0);
    expect(sources.map(readSource).flatMap(readImports).length, "imports found in src/").toBeGreaterThan(0);
  });
});

describe("reading imports", () => {
  test("every form is found, with its line", () => {
    const text = [
      `import value, { type Mixed } from "./value.js";`,
      `import type { Type } from "type";`,
      `import "side-effect";`,
      `export { name } from "./name.js"; export { local };`,
      `export type { Named } from "named";`,
      `export * from "all";`,
      `export type * as space from "space";`,
      `const late = async () => await import("late");`,
      `const unknowable = (name: string) => import(name);`,
      "const template = () => import(`./template.js`);",
      `import old = require("old"); import alias = Some.Name;`,
      `export import older = require("older");`,
      `type Inline = Map<string, import("inline").Thing<number>>;`,
      `type Whole = typeof import("whole");`,
      `const called = require("called");`,
      `// import "comment"; and "import('string')" are neither`,
    ].join("\n");
    const lines = readImports({ path: "made-up.ts", text }).map(
      ({ line, form, specifier = "?" }) => `${line} ${form} ${specifier}`,
    );
    expect(lines).toEqual([
      "1 import ./value.js",
      "2 import type type",
      "3 import side-effect",
      "4 export from ./name.js",
      "5 export type from named",
      "6 export from all",
      "7 export type from space",
      "8 import() late",
      "9 import() ?",
      "10 import() ?",
      "11 require() old",
      "12 require() older",
      "13 type import() inline",
      "14 type import() whole",
      "15 require() called",
    ]);
  });

  test("a file that cannot be parsed is an error, not a file without imports", () => {
    expect(() => readImports({ path: "made-up.ts", text: `import { from "x"` })).toThrow(
      "made-up.ts cannot be parsed, so its imports are unknown",
    );
  });
});

describe("made-up files", () => {
  // The contract, one row per rule: file, its text, and what the message must say (nothing = allowed).
  test.each<[string, string, ...string[]]>([
    ["src/policy/rule.ts", `import { x } from "../call/index.js"; import "./matcher.js"`],
    ["src/call/call.ts", `import type { Gate } from "../run/gate.js"`, "call may import no other room"],
    [
      "src/wrap/v1/relay.ts",
      `export * from "../../agent/turn.js"`,
      "wrap may import call, policy, tools, process, run, record, acp, http",
    ],
    ["src/acp/connection/x.ts", `import { y } from "../agent/y.js"`, "Inner rule: src/acp/connection/"],
    ["src/acp/v2/x.ts", `import type { Y } from "../client/y.js"`, "Inner rule: src/acp/v2/"],
    ["src/acp/agent/x.ts", `import "../connection/y.js"; import "../v1/z.js"`],
    ["src/acp/agent.ts", `type Card = import("../view/card.js").Card`, "not view"],
    ["src/run/gate.ts", `import { gate } from "../index.js"`, "not index.ts"],
    ["src/cli/main.ts", `import "../wrap/index.js"; import "../index.js"; await import("./run.js")`],
    ["src/index.ts", `export * from "./run/index.js"; export * from "./call/index.js"`],
    ["src/index.ts", `export { main } from "./cli/main.js"`, "the front door may import"],
    ["src/view/card.ts", `import x from "../utils/x.js"`, "not utils"],
    ["src/utils/x.ts", `export const x = 1; import "../call/index.js"`, "not a room of the map"],

    ["src/call/hash.ts", `import { createHash } from "node:crypto"`, "call is pure"],
    ["src/policy/read.ts", `import type { Stats } from "fs/promises"`, "policy is pure"],
    ["src/view/card.ts", `import type { Client } from "@agentclientprotocol/sdk"`, "PURE_PACKAGES"],
    ["src/history/sqlite.ts", `import { open } from "node:fs/promises"; import "node:sqlite"`],
    ["src/acp/agent.ts", `import type { Client } from "@agentclientprotocol/sdk/dist/x.js"`],

    ["src/acp/agent.ts", `import type { Mock } from "vitest"`, `"dependencies"`],
    ["src/acp/agent.ts", `import sub from "#internal"`, `"dependencies"`],
    ["src/acp/agent.ts", `import { ToolCall } from "toolgate/call"`, "relative path"],
    ["src/acp/agent.ts", `const load = (name: string) => import(name)`, "string literal"],

    ["src/call/call.ts", `import data from "../../test/fixtures/a.json"`, "test/fixtures/a.json"],
    ["src/call/call.test.ts", `import data from "../../test/fixtures/a.json"`, "test/fixtures/a.json"],
    ["src/acp/agent.ts", `import "../../dist/index.js"`, "dist/index.js"],
    ["src/acp/agent.ts", `import "../../../elsewhere/x.js"`, "../elsewhere/x.js"],
    ["src/acp/agent.ts", `import "/opt/x.js"`, "outside src/"],
    ["src/acp/agent.ts", `import "file:///opt/x.js"`, "outside src/"],

    ["src/call/call.test.ts", `import "vitest"; import "node:fs"; import "./call.samples.js"`],
    ["src/call/ledger.contract.ts", `import { expect } from "vitest"; import "./ledger.js"`],
    ["src/history/memory.test.ts", `import { ledgerContract } from "../call/ledger.contract.js"`],
    ["src/call/call.test.ts", `import { gate } from "../run/gate.js"`, "call may import no other room"],
    ["src/call/call.test.ts", `import "left-pad"`, `"devDependencies"`],
    ["src/call/call.ts", `import { aCall } from "./call.samples.js"`, "is not shipped"],
    ["src/call/fold.test.ts", `import { helper } from "./call.test.js"`, "its tests would run twice"],
  ])("%s with %s", (path, text, ...says) => {
    expect(brokenRules({ path, text })).toEqual(says.map((part) => expect.stringContaining(part)));
  });

  test.each<[string, string, ...string[]]>([
    ["src/mcp/start.ts", `import { spawn } from "node:child_process"`, "Only process/ starts programs"],
    ["src/tools/pty.ts", `const load = () => import("@lydell/node-pty")`, "Only process/ starts programs"],
    ["src/process/child.ts", `import { spawn } from "node:child_process"`],
  ])("%s with %s, which starts programs", (path, text, ...says) => {
    expect(startsPrograms({ path, text })).toEqual(says.map((part) => expect.stringContaining(part)));
  });

  test.each<[string, ...string[]]>([
    [`import { showPs } from "../ps.js"`, "await import()"],
    [`import { openLedger } from "../../history/index.js"`, "await import()"],
    [`import { Option } from "commander"; import { whole } from "./values.js"; import "../../call/index.js"`],
    [`import type { PsFlags } from "../ps.js"; const load = () => import("../ps.js")`],
  ])("src/cli/commands/ps.ts with %s", (text, ...says) => {
    expect(loadsWork({ path: "src/cli/commands/ps.ts", text })).toEqual(
      says.map((part) => expect.stringContaining(part)),
    );
  });

  test("a store whose test does not run the suite of its port is named", () => {
    const store = { path: "src/history/pg/pg-ledger.ts", text: "export class PgLedger implements Ledger {}" };
    const testOf = (text: string) => ({ path: "src/history/pg/pg-ledger.test.ts", text });
    expect(unchecked([store])).toEqual([expect.stringContaining("ledgerContract")]);
    expect(unchecked([store, testOf("test()")])).toEqual([expect.stringContaining("pg-ledger.test.ts")]);
    expect(unchecked([store, testOf("ledgerContract(name, open)")])).toEqual([]);
    const archive = {
      path: "src/history/pg/pg-archive.ts",
      text: "class PgArchive implements A, Archive {}",
    };
    expect(unchecked([archive])).toEqual([expect.stringContaining("archiveContract")]);
  });

  test("a message says file, line, import, rule and what to do", () => {
    expect(brokenRules({ path: "src/call/call.ts", text: `\nimport "../run/gate.js";` })).toEqual([
      `src/call/call.ts:2 has import "../run/gate.js". Room rule: call may import no other room, so not run. ` +
        "Move the code to a room that may, pass it in as an argument, or change MAP in test/rooms.test.ts with a decision record.",
    ]);
  });

  test.each<[string, string, ...string[]]>([
    [
      "web/app.tsx",
      `import "toolgate/call"; import "toolgate/aap/client"; import "some-ui"; import "./x.js"`,
    ],
    ["web/app.tsx", `import { createAgent } from "toolgate"`, "toolgate/call, toolgate/view"],
    ["web/app.tsx", `import type { Rule } from "toolgate/policy"`, "toolgate/call, toolgate/view"],
    ["web/parts/card.tsx", `import { card } from "../../src/view/card.js"`, "src/view/card.js"],
    ["web/app.tsx", `const load = (name: string) => import(name)`, "string literal"],
  ])("%s with %s", (path, text, ...says) => {
    expect(brokenPageRules({ path, text })).toEqual(says.map((part) => expect.stringContaining(part)));
  });

  test.each<[string | undefined, boolean]>([
    ["/**\n * What a call is.\n */\nexport {};", true],
    ["#!/usr/bin/env node\n/* The commands. */\n", true],
    ["// What a call is.\nexport {};", false],
    ["/** */\nexport {};\n/** Late. */", false],
    ["export {};", false],
    [undefined, false],
  ])("a main file that reads %j states its purpose: %s", (text, isStated) => {
    expect(withoutPurpose("src/call/index.ts", text)).toHaveLength(isStated ? 0 : 1);
  });

  test("a path outside the repository is found wherever it is written", () => {
    const up = "../";
    const texts = [
      `readFileSync("${up}facts/acp.md")`,
      `new URL("${up}${up}facts/acp.md", import.meta.url)`,
      `import facts from "${up}${up}facts/acp.json"`,
      `// See ${checkout}/README.md`,
    ];
    for (const text of texts)
      expect(mentionsOutside({ path: "bench/x.mjs", text: `\n${text}` }), text).toEqual([
        expect.stringContaining("bench/x.mjs:2"),
      ]);
    const inside = [`new URL("${up}README.md", import.meta.url)`, `readFileSync("./README.md")`, `// ${up}x`];
    expect(mentionsOutside({ path: "bench/x.mjs", text: inside.join("\n") })).toEqual([]);
  });
});

function brokenRules(file: SourceText): string[] {
  const room = roomOf(file.path);
  if (!MAP.has(room)) return [offMap(room)];
  const isTest = TEST_FILE.test(file.path);
  const isPure = PURE_ROOMS.has(room) && !isTest;

  return complaints(file, (specifier) => {
    const target = importTarget(specifier);
    if (target.kind === "path") return brokenPathRule(file.path, specifier);
    if (target.kind === "builtin") {
      if (!isPure) return undefined;
      return `${room} is pure and runs in browsers: no Node builtins, types included. Take what is needed as an argument, or move the code to a room that is not pure.`;
    }
    if (target.name === manifest.name)
      return "The package does not import itself: that reads dist/, built from an older source. Use a relative path to the room.";
    if (isPure && !PURE_PACKAGES.includes(target.name))
      return `${room} is pure: no package but those of PURE_PACKAGES in test/source-imports.ts. Do without, or add it there with a decision record.`;
    if (DEPENDENCIES.has(target.name)) return undefined;
    if (!isTest)
      return `Shipped source imports only "dependencies" of package.json, types included, for they end up in .d.ts files. Do without ${target.name}, or make it a dependency.`;
    if (DEV_DEPENDENCIES.has(target.name)) return undefined;
    return `${target.name} is in neither "dependencies" nor "devDependencies" of package.json. Do without, or add it.`;
  });
}

/** Stores of the ports whose own tests do not call the suite that every store must pass. */
function unchecked(files: readonly SourceText[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return files.flatMap(({ path, text }) => {
    const [, port] = /\bclass \w+ implements (?:[\w, ]*\b)?(Ledger|Archive)\b/u.exec(text) ?? [];
    if (port === undefined || TEST_FILE.test(path)) return [];
    const [suite, itsTest] = [`${port.toLowerCase()}Contract`, path.replace(/\.ts$/u, ".test.ts")];
    if (texts.get(itsTest)?.includes(`${suite}(`)) return [];
    return [`${path} implements ${port}, and ${itsTest} does not call ${suite}: call it there.`];
  });
}

function startsPrograms(file: SourceText): string[] {
  if (roomOf(file.path) === "process") return [];
  return complaints(file, (specifier) =>
    PROGRAM_STARTERS.has(specifier)
      ? "Only process/ starts programs, so that each ends with all that it started. Use startChild or collectOutput of process/."
      : undefined,
  ).filter((complaint) => complaint.includes("Only process/"));
}

/** The imports that a command's options load before the command line is parsed, beyond the options themselves. */
function loadsWork(file: SourceText): string[] {
  return readImports(file).flatMap(({ form, specifier = "", line }) => {
    if (form !== "import" || /^(?:commander$|\.\/|\.\.\/completion\.js$|\.\.\/\.\.\/call\/)/u.test(specifier))
      return [];
    return `${file.path}:${line} loads "${specifier}" whichever command is typed. Load it in the action: await import().`;
  });
}

function brokenPathRule(path: string, specifier: string): string | undefined {
  const target = resolveFrom(path, specifier);
  if (!target.startsWith("src/"))
    return `That is ${target}, outside src/: shipped source and its tests import only from src/. Move the code into a room; read test data with node:fs in a test.`;

  const room = roomOf(path);
  const wanted = roomOf(target).replace(/^index\.js$/, FRONT_DOOR);
  const allowed = MAP.get(room) ?? [];
  if (wanted !== room && !allowed.includes(wanted)) {
    const who = room === FRONT_DOOR ? "the front door" : room;
    return `Room rule: ${who} may import ${allowed.join(", ") || "no other room"}, so not ${wanted}. Move the code to a room that may, pass it in as an argument, or change MAP in test/rooms.test.ts with a decision record.`;
  }
  for (const [folder, forbidden] of INNER_RULES)
    if (path.startsWith(folder) && forbidden.some((other) => target.startsWith(other)))
      return `Inner rule: ${folder} may not import ${forbidden.join(", ")}. Pass in what is needed as an argument, or change INNER_RULES in test/rooms.test.ts.`;
  if (/\.test\.\w+$/.test(target))
    return "A test file is not imported: its tests would run twice. Move what is needed to a *.samples.ts or *.contract.ts file.";
  if (TEST_FILE.test(target) && !TEST_FILE.test(path))
    return "A *.contract.ts or *.samples.ts file is not shipped; only tests import it. Move what is needed to a source file.";
  return undefined;
}

function brokenPageRules(file: SourceText): string[] {
  return complaints(file, (specifier) => {
    const target = importTarget(specifier);
    if (target.kind === "path") {
      const path = resolveFrom(file.path, specifier);
      if (path.startsWith("web/")) return undefined;
      return `That is ${path}, outside web/. Import one of the doors ${WEB_DOORS.join(", ")}.`;
    }
    if (target.kind === "builtin" || target.name !== manifest.name || WEB_DOORS.includes(specifier))
      return undefined;
    return `The page runs in a browser and may import only the doors ${WEB_DOORS.join(", ")}. Export what is needed from one of them.`;
  });
}

/** One sentence for each import of the file that `judge` finds wrong. */
function complaints(file: SourceText, judge: (specifier: string) => string | undefined): string[] {
  const complain = ({ form, specifier, line }: SourceImport) => {
    const rule =
      specifier === undefined
        ? 'Its target is not a string literal, so no rule can be checked. Write it out; to choose at run time, keep a Map of functions () => import("./one.js").'
        : judge(specifier);
    if (rule === undefined) return [];
    return `${file.path}:${line} has ${form}${specifier === undefined ? "" : ` "${specifier}"`}. ${rule}`;
  };
  return readImports(file).flatMap(complain);
}

function offMap(name: string): string {
  return `src/${name} is not a room of the map. Move it into the room it belongs to (there is no utils/), or add the room to MAP in test/rooms.test.ts with a decision record.`;
}

function withoutPurpose(path: string, text: string | undefined): string[] {
  if (text === undefined)
    return [
      `${path} is missing. Each room has this main file, which opens with a block comment on the room's purpose: add it.`,
    ];
  if (/^(?:#!.*\n)?\s*\/\*[\s*]*[^\s*/]/.test(text)) return [];
  return [
    `${path} does not open with a block comment. A room's main file says first what the room is for and what must stay true: add 3 to 8 such lines.`,
  ];
}

function mentionsOutside({ path, text }: SourceText): string[] {
  return text.split("\n").flatMap((line, index) => {
    const read = [...line.matchAll(READS)].map(({ groups: { how = "", to = "" } = {} }) => ({
      written: to,
      // Modules and URLs are relative to their file, everything else to the folder that tests run in.
      target: posix.join(/^(?:new URL|import|from)$/.test(how) ? posix.dirname(path) : ".", to),
    }));
    const outside = read.filter(({ target }) => target.startsWith("../")).map(({ written }) => written);
    const machine = line.includes(`${checkout}/`) ? [checkout] : [];
    return [...outside, ...machine].map(
      (found) =>
        `${path}:${index + 1} mentions "${found}", a path outside the repository; the project is whole by itself. Copy what is needed into test/fixtures/ and read it there.`,
    );
  });
}

/** The commands have no door of their own: the main file of cli/ is the bin. */
function mainFile(room: string): string {
  return `src/${room}/${room === "cli" ? "main.ts" : "index.ts"}`;
}

/** "call" for src/call/v1/x.ts, "index.ts" for src/index.ts. */
function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function resolveFrom(path: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
}

function readSource(path: string): SourceText {
  const source = sourcesRead.get(path) ?? { path, text: readFileSync(join(root, path), "utf8") };
  sourcesRead.set(path, source);
  return source;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.includes("/node_modules/"));
}
