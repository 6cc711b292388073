/** `toolgate serve --agent`: our own agent and someone else's beside each other, as a process, with secrets taken out. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { grant, names, readEvents, remoteApp, say, TOKEN } from "./aap-kit.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const byHand = childProgram("acp-agent-by-hand.mjs");
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

test("an ACP agent is served under our rules, and every word of it is in our history", async () => {
  const steps = [{ say: `It is ${SECRET}, I think.` }];
  const cwd = await folder({ "script.json": JSON.stringify({ steps }) });
  const files = ["--script", join(cwd, "script.json"), "--ledger", join(cwd, "ledger.sqlite"), "--cwd", cwd];
  const agent = `hand="${process.execPath}" "${byHand}" "asks for the call of the prompt"`;
  const server = spawn(process.execPath, [program, "serve", "--port", "0", ...files, "--agent", agent], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, TOOLGATE_CONFIG: join(cwd, "settings"), TOOLGATE_TOKEN: TOKEN },
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const app = remoteApp(/at (\S+) for/.exec(line)?.[1] ?? "");

  const { agents } = await app.ask<{ agents: { name: string; version: string }[] }>("GET", "/meta");
  expect(agents.map(({ name }) => name)).toEqual(["toolgate", "hand"]);
  expect(agents[0]?.version).toMatch(/^\d+\.\d+\.\d+/);

  const foreign = await app.createSession({ agent: { name: "hand" } });
  const prompt = { toolCallId: "t1", title: "Write a.txt", kind: "edit", rawInput: { path: "a.txt" } };
  const asked = await app.stream(foreign, say(JSON.stringify(prompt), "message"));
  expect(names(asked)).toEqual(["turn_start", "tool_call", "turn_stop"]);
  const answered = await app.stream(foreign, { stream: "message", messages: [grant("t1")] });
  expect(names(answered)).toEqual(["turn_start", "tool_result", "turn_stop"]);
  expect((await app.history(foreign)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);

  // The app gets the text; a follower of the session must not get a secret.
  const own = await app.createSession({ agent: { name: "toolgate" } });
  expect(JSON.stringify(await app.turn(own, say("Go")))).toContain(SECRET);
  const watched = await app.send("GET", `/sessions/${own}/events`);
  const events = await readEvents(watched, ({ event }) => event === "turn-stopped");
  expect(JSON.stringify(events)).not.toContain(SECRET);
  server.kill("SIGTERM");
  expect((await once(server, "exit"))[0]).toBe(143);
});
