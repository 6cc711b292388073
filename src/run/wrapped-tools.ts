/**
 * Puts foreign tools and agents behind the gate: each call is announced, checked, asked about, run and recorded, and
 * its caller gets the tool's own result, or an error that says why there is none.
 */
import { randomUUID } from "node:crypto";
import { checkOptions, having, required } from "../call/check-options.js";
import { BadOption, inferToolKind, visibleText } from "../call/index.js";
import { DuplicateTool } from "../tools/index.js";
import type { Tool, Toolbox } from "../tools/index.js";
import { CallNotDone } from "./call-not-done.js";
import { checked, parsedBy } from "./foreign-schema.js";
import type { Gate } from "./gate.js";
import { withoutUndefined } from "./without-undefined.js";

/** A plain function of one input, or a tool as the AI SDK has them. One without `execute` runs elsewhere and is left as it is. */
export type WrappableTool = ((input: never) => unknown) | { readonly description?: string | undefined };

/** The same tools behind the gate, where a function has to wait. */
export type Gated<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends (...input: infer Input) => infer Result
    ? (...input: Input) => Promise<Awaited<Result>>
    : Tools[Name];
};

const WITH_CALL_TOOL = having("an agent with a method callTool", "callTool");

/** Any agent that makes its calls through one method. */
export type CallsTools = { callTool(call: never, ...more: never[]): unknown };

/** Runs the real thing, and keeps what it returned or threw as it is: the record holds a plain copy. */
type Kept = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

type Execute = (input: unknown, options: ExecuteOptions) => unknown;
type ExecuteOptions = { readonly abortSignal?: AbortSignal | undefined; readonly toolCallId?: string };

export class WrappedTools {
  readonly #gate: Gate;
  readonly #toolbox: Toolbox;
  readonly #kept = new Map<string, Kept>();
  readonly #options = new Map<string, ExecuteOptions>();
  readonly #names = new Set<string>();

  constructor(gate: Gate, toolbox: Toolbox) {
    this.#gate = gate;
    this.#toolbox = toolbox;
  }

  tools<Tools extends { readonly [name: string]: WrappableTool }>(tools: Tools): Gated<Tools> {
    for (const [name, tool] of Object.entries(tools)) mustBeWrappable(name, tool);
    // All or none, so that a caller can try again with another name when one is taken.
    for (const [name, tool] of Object.entries(tools)) if (executeOf(tool)) this.#mustBeNew(name);
    const wrapped = Object.entries(tools).map(([name, tool]) => [name, this.#wrapped(name, tool)]);
    // Each tool has the shape that it had, with another function inside.
    return Object.fromEntries(wrapped) as Gated<Tools>;
  }

  /** The method is replaced on the object itself, so that the agent's own calls go through the gate too. */
  callTool<Agent extends CallsTools>(agent: Agent): Agent {
    checkOptions("wrapCallTool", { agent }, { agent: required(WITH_CALL_TOOL) });
    // The agent defines its arguments; they are only passed on.
    const original = agent.callTool.bind(agent) as (...args: unknown[]) => unknown;
    const names = new Set<string>();
    // How each call is made in the end, until it runs.
    const ways = new Map<string, (given: unknown) => unknown>();
    const callTool = async (...args: unknown[]): Promise<unknown> => {
      const { name, input, more, way } = readCall(args, original);
      if (!names.has(name)) {
        this.#add(
          this.#toolOf(name, "", undefined, (given, { toolCallId = "" }) => ways.get(toolCallId)?.(given)),
        );
        names.add(name);
      }
      const callerId = randomUUID();
      const abortSignal = more.map(signalIn).find((signal) => signal !== undefined);
      ways.set(callerId, way);
      try {
        return await this.#make(name, input, { abortSignal, toolCallId: callerId });
      } finally {
        ways.delete(callerId);
      }
    };
    Object.defineProperty(agent, "callTool", { value: callTool, configurable: true, writable: true });
    return agent;
  }

  /** Values that the caller passed to the tool beside its input, by the caller's own id. */
  #optionsOf(toolCallId: string): ExecuteOptions {
    return this.#options.get(this.#gate.book.call(toolCallId)?.providerCallId ?? "") ?? {};
  }

  #wrapped(name: string, tool: WrappableTool): WrappableTool {
    const execute = executeOf(tool);
    if (!execute) return tool;
    if (typeof tool === "function") {
      this.#add(this.#toolOf(name, "", undefined, execute));
      return (input: unknown) => this.#make(name, input, {});
    }
    const schema = "inputSchema" in tool ? tool.inputSchema : undefined;
    this.#add(this.#toolOf(name, tool.description ?? "", schema, execute));
    const make: { readonly execute: Execute } = {
      execute: (input, options) => this.#make(name, input, options),
    };
    return { ...tool, ...make };
  }

  #add(tool: Tool): void {
    this.#mustBeNew(tool.name);
    this.#toolbox.add(tool);
    this.#names.add(tool.name);
  }

  #mustBeNew(name: string): void {
    if (this.#names.has(name)) throw new WrappedAlready(name);
  }

  async #make(name: string, given: unknown, options: ExecuteOptions = {}): Promise<unknown> {
    const input = withoutUndefined(given);
    const { toolCallId: providerCallId = randomUUID() } = options;
    this.#options.set(providerCallId, options);
    const call = await this.#gate
      .call({ name, input, providerCallId }, options.abortSignal)
      .finally(() => this.#options.delete(providerCallId));
    const kept = this.#kept.get(call.toolCallId);
    this.#kept.delete(call.toolCallId);
    if (kept && !kept.ok) throw kept.error;
    if (kept && call.state.status === "done") return kept.value;
    throw new CallNotDone(call);
  }

  #toolOf(name: string, description: string, schema: unknown, execute: Execute): Tool {
    const { kind, source } = inferToolKind(name);
    return {
      name,
      description,
      kind,
      kindSource: source,
      parameters: { type: "object" },
      parse: (input) => parsedBy(schema, name, input),
      run: async (parsed, { toolCallId, signal }) => {
        const input = await checked(name, parsed);
        signal.throwIfAborted();
        try {
          const options = { toolCallId, ...this.#optionsOf(toolCallId), abortSignal: signal };
          const value = await lastOf(await execute(input, options));
          this.#kept.set(toolCallId, { ok: true, value });
          return { output: value };
        } catch (error) {
          if (!signal.aborted) this.#kept.set(toolCallId, { ok: false, error });
          throw error;
        }
      },
    };
  }
}

/** The AI SDK lets a tool yield what it has so far; the last is its result. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  // The line above has checked this.
  for await (const value of result as AsyncIterable<unknown>) last = value;
  return last;
}

/** Undefined for one that runs elsewhere. */
function executeOf(tool: WrappableTool): Execute | undefined {
  if (typeof tool === "function") {
    // The tool's caller defines the type of the input.
    const call = tool as (input: unknown) => unknown;
    // A second argument, if it has one, is its own and not for our options.
    return (input) => call(input);
  }
  if (!("execute" in tool) || typeof tool.execute !== "function") return undefined;
  // The form of the AI SDK.
  return tool.execute.bind(tool) as Execute;
}

class WrappedAlready extends DuplicateTool {
  constructor(name: string) {
    super(name);
    this.message = `A tool named "${visibleText(name)}" is wrapped already, and calls are identified by the tool's name. The tool was not wrapped again, and nothing was run. Give it another name, or a gate of its own.`;
  }
}

function signalIn(argument: unknown): AbortSignal | undefined {
  if (argument instanceof AbortSignal) return argument;
  if (typeof argument !== "object" || argument === null || !("signal" in argument)) return undefined;
  return argument.signal instanceof AbortSignal ? argument.signal : undefined;
}

type ReadCall = {
  readonly name: string;
  readonly input: unknown;
  readonly more: readonly unknown[];
  readonly way: (given: unknown) => unknown;
};

/** `callTool(name, input, …)`, or `callTool({ name, arguments }, …)` as MCP's own client has it. */
function readCall([first, ...rest]: readonly unknown[], original: (...args: unknown[]) => unknown): ReadCall {
  if (typeof first === "string") {
    const [input, ...more] = rest;
    return { name: first, input, more, way: (given) => original(first, given, ...more) };
  }
  if (typeof first === "object" && first !== null && "name" in first && typeof first.name === "string") {
    const input = "arguments" in first ? first.arguments : {};
    const way = (given: unknown) => original({ ...first, arguments: given }, ...rest);
    return { name: first.name, input, more: rest, way };
  }
  throw new TypeError("callTool was called without the name of a tool. Nothing was run.");
}

function mustBeWrappable(name: string, tool: unknown): void {
  if (typeof tool !== "function" && (typeof tool !== "object" || tool === null))
    throw new BadOption(`Gate.wrapTools: "${name}" must be a function or a tool.`, name);
}
