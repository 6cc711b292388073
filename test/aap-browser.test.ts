/** The client for apps, as it is built, in a world that has only what browsers have. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FOUR_CALLS, MODES, TOKEN, World } from "./aap-kit.js";
import type { WireMessage } from "./aap-kit.js";
import { childProgram } from "./child-programs.js";

const run = promisify(execFile);
const child = childProgram("aap-browser-client.mjs");
const entry = new URL("../dist/aap/client/index.js", import.meta.url);

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

type Turned = {
  readonly result: { readonly stopReason: string; readonly messages: readonly WireMessage[] };
  readonly history: readonly WireMessage[];
  readonly stops: readonly string[];
};
type Said = {
  readonly turns: Readonly<Record<string, Turned>>;
  readonly globals: readonly string[];
  readonly files: number;
};

test("imports only its own files, and runs whole turns without Node", async () => {
  const { serving } = await world.remote({ steps: FOUR_CALLS });
  const { stdout } = await run(process.execPath, ["--experimental-vm-modules", "--no-warnings", child], {
    env: { ENTRY: entry.href, SERVER: serving.url, TOKEN },
  });
  const said = JSON.parse(stdout) as Said;
  expect(said.globals).toEqual(Array<string>(4).fill("undefined"));
  expect(said.files).toBeGreaterThan(10);
  for (const mode of MODES) {
    const { result, history, stops } = said.turns[mode] ?? { stops: [] };
    expect(result?.stopReason, mode).toBe("end_turn");
    expect(stops, mode).toHaveLength(2);
    expect(
      history?.map(({ role }) => role),
      mode,
    ).toEqual(["user", "assistant", ...Array<string>(4).fill("tool"), "assistant"]);
    expect(
      history
        ?.filter(({ role }) => role === "tool")
        .map(({ content }) => content)
        .toSorted(),
    ).toEqual(["gate: a word", "here", "shown", '{"sentTo":"Ada"}']);
    expect(result?.messages.at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "All done." }],
    });
  }
  expect(world.done.filter((what) => what === "send Ada")).toHaveLength(3);
});
