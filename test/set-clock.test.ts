/** A wall clock that really is set while a turn runs, in a process of its own. */
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { childProgram } from "./child-programs.js";
import { folder } from "./agent-kit.js";

const child = childProgram("set-clock.mjs");
const shift = pathToFileURL(childProgram("shift-date.mjs")).href;
const library = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));
const MINUTE_MS = 60_000;

test(`a call, a turn and their spans last as long as they did (${library ? "libfaketime" : "Date shifted: no libfaketime"})`, async () => {
  const clockFile = join(await folder(), "clock");
  writeFileSync(clockFile, "+0");
  const faked = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...(library ? [] : ["--import", shift]), child, clockFile],
    { env: { ...process.env, ...(library ? faked : { SHIFT_FILE: clockFile }) } },
  );
  const { jumpedMs, ranMs, tookMs, spans } = JSON.parse(stdout) as {
    readonly jumpedMs: number;
    readonly ranMs: number;
    readonly tookMs: number;
    readonly spans: readonly { readonly name: string; readonly ms: number }[];
  };
  expect(jumpedMs).toBeGreaterThan(50 * MINUTE_MS);
  expect(spans.map(({ name }) => name)).toEqual(["execute_tool set_clock", "invoke_agent setter"]);
  for (const ms of [ranMs, tookMs, ...spans.map((span) => span.ms)]) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThan(10 * MINUTE_MS);
  }
});
