/** `toolgate acp` as a process that the test drives with lines of JSON, as its client. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { schemaCheck, VERSIONS } from "../src/acp/codec.samples.js";
import type { ScriptStep } from "../src/model/index.js";
import { atHome } from "./cli-kit.js";
import { until } from "./until.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const isValid = schemaCheck(VERSIONS[0]);

/** A message of the agent, with the fields that tests read. */
export type Line = {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};

export type Update = Readonly<Record<string, unknown>> & { readonly sessionUpdate: string };

type Params = {
  readonly sessionId?: string;
  readonly update?: Update;
  readonly path?: string;
  readonly content?: string;
  readonly options?: readonly { readonly optionId: string; readonly name: string; readonly kind: string }[];
  readonly toolCall?: Readonly<Record<string, unknown>> & { readonly toolCallId: string };
};

export type AcpProcess = {
  readonly cwd: string;
  readonly lines: readonly Line[];
  readonly send: (message: object) => void;
  /** Waits for the response. */
  readonly request: (method: string, params: object) => Promise<Line>;
  /** Sends a request and does not wait. Returns its id. */
  readonly begin: (method: string, params: object) => number;
  readonly answered: (id: number) => Promise<Line>;
  /** The agent's requests of a method, from the first on. */
  readonly asked: (method: string, count: number) => Promise<readonly Line[]>;
  readonly updates: () => readonly Update[];
  readonly end: () => void;
  readonly kill: () => void;
  readonly exited: Promise<number | null>;
};

/** A home with a project, in which several processes can be started. */
export async function acpWorld(
  steps: readonly ScriptStep[],
  settings: Readonly<Record<string, unknown>> = {},
) {
  const at = await atHome(settings);
  const script = at.script(steps);
  const ledger = join(at.home, "ledger.sqlite");
  const env = {
    PATH: process.env["PATH"] ?? "",
    TOOLGATE_CODE_CACHE: process.env["TOOLGATE_CODE_CACHE"] ?? "",
    HOME: at.home,
    XDG_CONFIG_HOME: join(at.home, "config"),
    XDG_STATE_HOME: at.home,
  };
  const start = (...words: readonly string[]): AcpProcess => {
    const args = [program, "acp", "--script", script, "--ledger", ledger, ...words];
    const child = spawn(process.execPath, args, { cwd: at.project, env, stdio: ["pipe", "pipe", "inherit"] });
    const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
    onTestFinished(async () => {
      child.stdin.end();
      await exited;
    });
    return speak(at.project, exited, {
      write: (text) => void child.stdin.write(text),
      end: () => void child.stdin.end(),
      kill: () => void child.kill("SIGKILL"),
      lines: createInterface({ input: child.stdout }),
    });
  };
  return { ...at, start };
}

type Pipes = {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly kill: () => void;
  readonly lines: NodeJS.EventEmitter;
};

function speak(
  cwd: string,
  exited: Promise<number | null>,
  { write, end, kill, lines: source }: Pipes,
): AcpProcess {
  const lines: Line[] = [];
  let lastId = 0;
  source.on("line", (line: string) => {
    // Any of the fields may be missing, and tests look at what they need.
    const message = JSON.parse(line) as Line;
    const problem = message.params?.update && isValid(message.params.update);
    if (problem) throw new Error(`not of the schema: ${JSON.stringify(problem)}`);
    lines.push(message);
  });
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const begin = (method: string, params: object) => {
    lastId += 1;
    send({ id: lastId, method, params });
    return lastId;
  };
  const find = async (fits: (line: Line) => boolean): Promise<Line> => {
    await until(() => lines.some(fits));
    return lines.find(fits) ?? {};
  };
  const answered = (id: number) => find((line) => line.id === id && line.method === undefined);
  return {
    cwd,
    lines,
    send,
    begin,
    answered,
    request: (method, params) => answered(begin(method, params)),
    asked: async (method, count) => {
      const all = () => lines.filter((line) => line.method === method);
      await until(() => all().length >= count);
      return all();
    },
    updates: () => lines.flatMap(({ params }) => params?.update ?? []),
    end,
    kill,
    exited,
  };
}

export const text = (words: string) => [{ type: "text", text: words }];

/** Says hello and opens a session. */
export async function newSession(agent: AcpProcess, capabilities: object = {}): Promise<string> {
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  const { result } = await agent.request("session/new", { cwd: agent.cwd, mcpServers: [] });
  return String(result?.["sessionId"]);
}

export const select = ({ id }: Line, optionId: string) => ({
  id,
  result: { outcome: { outcome: "selected", optionId } },
});
