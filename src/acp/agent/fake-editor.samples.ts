/**
 * An editor for the tests: buffers that may not be saved, real files, real child processes. Like a careless editor, the
 * fake reads any bytes as text and follows links.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { RpcError } from "../connection/message.js";

type Terminal = {
  readonly child: ChildProcess;
  output: string;
  exit?: { exitCode: number | null; signal: string | null };
  readonly ended: Promise<void>;
};

type Params = {
  readonly path: string;
  readonly content: string;
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly cwd: string;
  readonly outputByteLimit: number;
};

type Answer = (params: Params, signal: AbortSignal | undefined) => unknown;

export class FakeEditor {
  readonly capabilities: object;
  readonly buffers = new Map<string, string>();
  readonly terminals = new Map<string, Terminal>();
  readonly released: string[] = [];
  /** Every request, by its method. */
  readonly asked: string[] = [];
  /** The answer in place of its own. */
  readonly instead = new Map<string, Answer>();

  constructor(capabilities: object = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }) {
    this.capabilities = capabilities;
  }

  /** How often the method was requested. */
  times(method: string): number {
    return this.asked.filter((one) => one === method).length;
  }

  endAll(): void {
    for (const terminal of this.terminals.values()) kill(terminal);
  }

  readonly request = async (
    method: string,
    params: unknown,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    this.asked.push(method);
    const answer = this.instead.get(method) ?? this.#answers.get(method);
    if (!answer) throw new RpcError(-32601, `${method} is not known`);
    const cancelled = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    // Copies the message, as a wire does. The tests send what the types declare.
    const sent = JSON.parse(JSON.stringify(params)) as Params;
    const result = await Promise.race([
      Promise.resolve(sent).then((copy) => answer(copy, signal)),
      cancelled,
    ]);
    return JSON.parse(JSON.stringify(result ?? null)) as unknown;
  };

  readonly #answers = new Map<string, Answer>([
    ["fs/read_text_file", async ({ path }) => ({ content: this.buffers.get(path) ?? (await onDisk(path)) })],
    [
      "fs/write_text_file",
      async ({ path, content }) => {
        await writeFile(path, content);
        this.buffers.delete(path);
        return null;
      },
    ],
    ["terminal/create", (params) => ({ terminalId: this.#open(params) })],
    [
      "terminal/output",
      (params) => {
        const { output, exit } = this.#terminal(params);
        return { output, truncated: false, ...(exit && { exitStatus: exit }) };
      },
    ],
    [
      "terminal/wait_for_exit",
      async (params) => {
        const terminal = this.#terminal(params);
        await terminal.ended;
        return terminal.exit;
      },
    ],
    ["terminal/kill", (params) => kill(this.#terminal(params))],
    [
      "terminal/release",
      (params) => {
        kill(this.#terminal(params));
        this.released.push(params.terminalId);
      },
    ],
  ]);

  #open({ command, args, env, cwd }: Params): string {
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...variables },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const terminal: Terminal = {
      child,
      output: "",
      ended: new Promise((resolve) => {
        child.once("close", (exitCode, signal) => {
          terminal.exit = { exitCode, signal };
          resolve();
        });
      }),
    };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => (terminal.output += bytes.toString()));
    const terminalId = `window-${this.terminals.size + 1}`;
    this.terminals.set(terminalId, terminal);
    return terminalId;
  }

  #terminal({ terminalId }: Params): Terminal {
    const terminal = this.terminals.get(terminalId);
    if (!terminal || this.released.includes(terminalId)) throw new RpcError(-32002, "no such terminal");
    return terminal;
  }
}

/** With all that it started. */
function kill({ child, exit }: Terminal): void {
  if (!exit && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
}

async function onDisk(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new RpcError(-32002, `${path} is not there`);
  }
}
