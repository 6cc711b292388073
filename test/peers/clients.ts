/** Foreign clients of `toolgate acp`: how each is installed and started, and how it answers. */
import { join } from "node:path";
import { crateExample, goProgram, newerNode, npmPackage, pythonPackage } from "./install.js";
import type { Place } from "./peer-home.js";

export type Reply = "allow_once" | "reject_once";

export type ClientStart = {
  readonly words: readonly string[];
  /** The text that ends each of its questions, and what to type then. */
  readonly question?: { readonly mark: string; readonly typed: (printed: string) => string };
  /** A command that cancels the turn, for a client that has one. */
  readonly cancel?: readonly string[];
  /** A command to run before. */
  readonly before?: readonly string[];
};

export type PeerClient = {
  readonly name: string;
  readonly version: string;
  /** The acts that this client can take part in. */
  readonly acts: readonly string[];
  readonly start: (
    agent: readonly string[],
    reply: Reply,
    place: Place,
    here: string,
  ) => Promise<ClientStart>;
};

const python: PeerClient = {
  name: "python-sdk",
  version: "0.12.1",
  acts: ["read, edit, command: allowed", "edit, refused", "command, cancelled"],
  start: async (agent, reply, { project }, here) => {
    const bin = await pythonPackage("agent-client-protocol", "0.12.1");
    const script = join(here, "python_client.py");
    return { words: [join(bin, "python"), script, reply, join(project, "started.txt"), ...agent] };
  },
};

const go: PeerClient = {
  name: "go-example-client",
  version: "0.13.5",
  // Its terminals are stubs, so commands are left out.
  acts: ["read, edit: allowed", "edit, refused"],
  start: async (agent, reply) => {
    const program = await goProgram("github.com/coder/acp-go-sdk", "v0.13.5", "example/client");
    return {
      words: [program, ...agent],
      question: { mark: "Choose an option:", typed: (printed) => optionNumber(printed, reply) },
    };
  },
};

/** The number of the option in the last question. */
function optionNumber(printed: string, reply: Reply): string {
  const question = printed.split("Permission requested").at(-1) ?? "";
  return new RegExp(`(\\d+)\\. [^\\n]*\\(${reply}\\)`).exec(question)?.[1] ?? "";
}

const rust: PeerClient = {
  name: "rust-one-shot-client",
  version: "5.0.0",
  acts: ["read, edit, command: allowed"],
  start: async (agent) => {
    const program = await crateExample("agent-client-protocol", "5.0.0", "yolo_one_shot_client", "process");
    return { words: [program, "--command", agent.join(" "), "Do it."] };
  },
};

const acpx: PeerClient = {
  name: "acpx",
  version: "0.19.1",
  acts: ["read, edit, command: allowed", "edit, refused", "command, cancelled"],
  start: async (agent, reply, { project }) => {
    const node = join(await newerNode(), "node");
    const program = join(await npmPackage("acpx", "0.19.1"), "dist/cli.js");
    const base = [node, program, "--cwd", project, "--ttl", "1", "--agent", agent.join(" ")];
    const mode = reply === "allow_once" ? "--approve-all" : "--deny-all";
    return {
      before: [...base, "sessions", "new"],
      words: [...base, mode, "prompt", "Do it."],
      cancel: [...base, "cancel"],
    };
  },
};

export const CLIENTS: readonly PeerClient[] = [python, go, rust, acpx];
