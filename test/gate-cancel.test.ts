/**
 * Cancels at any moment: random calls of every kind, and a random schedule of answers, cancels, wakes and
 * undos that meets them at any step of their way. However it goes, in the end every call has ended, no
 * question is open, nothing runs, no tool ran twice, and the ledger agrees with the book.
 * TOOLGATE_RUNS sets how many schedules are tried.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Answer, Question, ToolCall, ToolCallStatus } from "../src/call/index.js";
import { IllegalEvent, LedgerError, SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { decide } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { SessionRecord } from "../src/record/index.js";
import { Gate, openGate, UndoRefused } from "../src/run/index.js";
import type { OpenGateOptions } from "../src/run/index.js";
import { builtInTools, defineTool, LocalWorkspace, Toolbox } from "../src/tools/index.js";
import type { AppTool, AskReply, Tool, ToolContext } from "../src/tools/index.js";
import { folder, never } from "./agent-kit.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 50);
const STOP_GRACE_MS = 8;
const LIFETIME = 60_000;

const tool = (name: string, run: (call: ToolContext) => unknown, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description: name,
    kind: "other",
    input: z.looseObject({}),
    run: async (_, call) => ({ output: await run(call) }),
  }),
  ...more,
});

const endless = () => new Promise<never>(() => undefined);

const statusesOf = (gate: Gate): string[] => [...gate.book.calls()].map(({ state }) => state.status);

const saying = (question: Question, optionId: string, input?: unknown): Answer => ({
  outcome: { type: "selected", optionId },
  intentHash: question.intentHash,
  by: "person",
  at: Date.now(),
  ...(input !== undefined && { input }),
});

const KINDS = [
  "instant",
  "slow",
  "deaf",
  "late",
  "broken",
  "asking",
  "asked",
  "slow_intent",
  "slow_preview",
  "moody",
  "loud",
  "terminal",
  "write_file",
  "app",
] as const;
type Kind = (typeof KINDS)[number];

type Action =
  | { readonly do: "call" | "submit" }
  | { readonly do: "proceed" | "wake" | "cancel all" | "end the turn" | "let questions expire" }
  | {
      readonly do: "cancel" | "abort" | "undo" | "finish for the app" | "reply";
      readonly which: number;
    }
  | { readonly do: "answer"; readonly which: number; readonly with: string }
  | { readonly do: "pause"; readonly ticks: number; readonly milliseconds: number };

const which = fc.nat(9);
const some = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: some("call" as const, "submit" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: some("proceed" as const, "wake" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: some("cancel all" as const, "end the turn" as const, "let questions expire" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: some(
        "cancel" as const,
        "abort" as const,
        "undo" as const,
        "finish for the app" as const,
        "reply" as const,
      ),
      which,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      which,
      with: some("allow_once", "reject_once", "allow_always", "reject_always", "edited", "nonsense"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("pause" as const),
      ticks: fc.nat(40),
      milliseconds: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 })),
    }),
  },
);

const schedule = fc.record({
  kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 6 }),
  actions: fc.array(anyAction, { minLength: 5, maxLength: 40 }),
  ending: fc.constantFrom("all is cancelled", "all is settled"),
});

test(
  "ends each call once and leaves nothing over for any schedule of answers, cancels, wakes and undos",
  async () => {
    const workspace = await LocalWorkspace.open(await folder());
    const unhandled: unknown[] = [];
    const notice = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", notice);
    onTestFinished(() => void process.off("unhandledRejection", notice));
    let session = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async ({ kinds, actions, ending }) => {
        const run = await Run.open(workspace, kinds, (session += 1));
        for (const each of actions) await run.take(each);
        await run.end(ending === "all is cancelled");
        await run.check(ending === "all is cancelled");
        expect(unhandled).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
  Math.max(60_000, RUNS * 500),
);

describe("a cancel at the moment when", () => {
  async function gateIn(options: Partial<OpenGateOptions> & { files?: Record<string, string> } = {}) {
    const root = await folder(options.files);
    const ledger = new MemoryLedger();
    const rules: Rule[] = [{ allow: "*" }];
    const gate = await openGate({ workspace: root, rules, stopGraceMs: 20, ledger, ...options });
    onTestFinished(() => gate.close());
    return { gate, ledger, root };
  }

  /** A latch: waiting callers continue once it is opened. */
  function barrier() {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  }

  test("a call's intent has changed does not ask again", async () => {
    const { open, opened } = barrier();
    let version = 0;
    const changing = tool("changing", () => "done", {
      intent: async () => ({ baseHashes: { "/a": String(version) } }),
      preview: async () => {
        if (version > 0) await opened;
        return {};
      },
    });
    const { gate, ledger } = await gateIn({ tools: [changing] });
    const { cleared } = await gate.submit([{ name: "changing", input: {} }]);
    version = 1;
    const proceeding = gate.proceed(never());
    await setTimeout(10);
    const cancelling = gate.cancelCall(cleared[0] ?? "", "no.");
    open();
    expect(await inTime("the cancel", cancelling)).toBe(true);
    await inTime("the proceed", proceeding);
    expect(statusesOf(gate)).toEqual(["cancelled"]);
    expect(await ledger.openQuestions()).toEqual([]);
  });

  test("a call is about to start ends it, and the others continue", async () => {
    const { open, opened } = barrier();
    let looks = 0;
    const slow = tool("slow", () => "done", {
      intent: async () => {
        looks += 1;
        if (looks > 1) await opened;
        return {};
      },
    });
    const { gate } = await gateIn({ tools: [slow] });
    await gate.submit([{ name: "slow", input: {} }]);
    const proceeding = gate.proceed(never());
    await vi.waitFor(() => expect(looks).toBe(2), 120_000);
    await gate.cancel("no.");
    open();
    await inTime("the proceed", proceeding);
    expect(statusesOf(gate)).toEqual(["cancelled"]);
  });

  test.each(["cancel", "abort"])("a start is recorded (%s) prevents the run", async (how) => {
    const stop = new AbortController();
    const { gate, ledger } = await gateIn({ tools: [tool("deaf", endless)] });
    const append = ledger.append.bind(ledger);
    ledger.append = async (lease, events, options) => {
      const started = events.find(({ type }) => type === "run-started");
      if (started && "toolCallId" in started) {
        if (how === "abort") stop.abort();
        else void gate.cancelCall(started.toolCallId, "no.");
      }
      return append(lease, events, options);
    };
    const call = await inTime("the call", gate.call({ name: "deaf", input: {} }, stop.signal));
    expect(call.state).toMatchObject({ status: "cancelled", reason: "it was stopped before it began." });
  });

  test("all calls are cancelled never reports a running call as not run", async () => {
    const cancels: Promise<void>[] = [];
    const late = tool("late", () => {
      cancels.push(gate.cancel("no."));
      return setTimeout(5, "done");
    });
    const { gate } = await gateIn({ tools: [late], stopGraceMs: 60_000 });
    expect((await gate.call({ name: "late", input: {} })).state.status).toBe("done");
    await Promise.all(cancels);
  });

  test("a proceed has started the call takes effect", async () => {
    const slow = tool("slow", ({ signal }) => setTimeout(20_000, "", { signal }));
    const { gate } = await gateIn({ tools: [slow] });
    const [turn, own] = [new AbortController(), new AbortController()];
    await gate.submit([{ name: "slow", input: { n: 1 } }]);
    const proceeding = gate.proceed(turn.signal);
    const call = gate.call({ name: "slow", input: { n: 2 } }, own.signal);
    const waking = globalThis.setInterval(() => gate.wake(), 1);
    await vi.waitFor(() => expect(statusesOf(gate)).toEqual(["running", "running"]), 120_000);
    clearInterval(waking);
    own.abort();
    expect((await inTime("the call", call)).state.status).toBe("cancelled");
    turn.abort();
    await proceeding;
  });

  test("a tool asks a person who does not answer ends the question", async () => {
    const asking = tool("asking", async (call) => (await call.ask({ message: "Which?" })).action);
    const { gate } = await gateIn({ tools: [asking], stopGraceMs: 60_000, elicit: endless });
    const stop = new AbortController();
    const call = gate.call({ name: "asking", input: {} }, stop.signal);
    await vi.waitFor(() => expect(statusesOf(gate)).toEqual(["running"]), 120_000);
    stop.abort();
    expect((await inTime("the call", call)).rawOutput).toBe("cancel");
  });
});

describe("a failure outside of the tools", () => {
  test("asks again, or fails, when a change no longer fits the approved intent", async () => {
    const root = await folder({ "a.txt": "one\n" });
    const ledger = new MemoryLedger();
    const gate = await openGate({
      workspace: root,
      tools: builtInTools,
      ledger,
      rules: [{ allow: "read" }],
    });
    onTestFinished(() => gate.close());
    await gate.submit([{ name: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }]);
    const [question] = await ledger.openQuestions();
    if (!question) throw new Error("nothing was asked");
    await ledger.answer(question.questionId, saying(question, "allow_once"));
    await writeFile(join(root, "a.txt"), "other\n");
    await inTime("the proceed", gate.proceed(never()));
    expect(statusesOf(gate)).toEqual(["failed"]);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("other\n");
  });

  test.each(["call", "proceed"])(
    "reports a full disk to every waiting caller (%s) and does not loop",
    async (how) => {
      const ledger = new MemoryLedger();
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const waits = tool("waits", () => opened);
      const gate = await openGate({
        workspace: await folder(),
        tools: [waits],
        ledger,
        rules: [{ allow: "*" }],
      });
      const requests = [1, 2].map((n) => ({ name: "waits", input: { n } }));
      const waiting =
        how === "call"
          ? requests.map((request) => gate.call(request))
          : [gate.submit(requests).then(() => gate.proceed(never()))];
      const settled = Promise.allSettled(waiting);
      await vi.waitFor(() => expect(statusesOf(gate)).toEqual(["running", "running"]), 120_000);
      let appends = 0;
      ledger.append = async () => {
        appends += 1;
        throw new Error(appends > 10 ? "it goes round" : "the disk is full");
      };
      open();
      for (const outcome of await inTime("the calls", settled))
        expect(outcome).toMatchObject({ reason: { message: "the disk is full" } });
    },
  );

  test("ends the proceed when the disk is full before anything started", async () => {
    const ledger = new MemoryLedger();
    const quick = tool("quick", () => "done");
    const gate = await openGate({
      workspace: await folder(),
      tools: [quick],
      ledger,
      rules: [{ allow: "*" }],
    });
    await gate.submit([{ name: "quick", input: {} }]);
    ledger.append = () => Promise.reject(new Error("the disk is full"));
    await expect(inTime("the proceed", gate.proceed(never()))).rejects.toThrow("the disk is full");
  });
});

/** `expect`, for the checks after each schedule. */
const must = expect;

/** One gate with its calls, and the observations of its tools and waiters. */
class Run {
  readonly #gate: Gate;
  readonly #ledger: MemoryLedger;
  readonly #root: string;
  readonly #kinds: readonly Kind[];
  readonly #session: number;
  readonly #turn = new AbortController();
  readonly #last = never();
  readonly #own: AbortController[] = [];
  readonly #replies: ((reply: AskReply) => void)[];
  readonly #ran: Map<number, unknown[]>;
  readonly #returned: Promise<ToolCall>[] = [];
  readonly #underWay: Promise<unknown>[] = [];
  readonly #clock: { ahead: number };
  #next = 0;

  private constructor(parts: {
    gate: Gate;
    ledger: MemoryLedger;
    root: string;
    kinds: readonly Kind[];
    session: number;
    replies: ((reply: AskReply) => void)[];
    ran: Map<number, unknown[]>;
    clock: { ahead: number };
  }) {
    this.#gate = parts.gate;
    this.#ledger = parts.ledger;
    this.#root = parts.root;
    this.#kinds = parts.kinds;
    this.#session = parts.session;
    this.#replies = parts.replies;
    this.#ran = parts.ran;
    this.#clock = parts.clock;
  }

  static async open(workspace: LocalWorkspace, kinds: readonly Kind[], session: number): Promise<Run> {
    const clock = { ahead: 0 };
    const now = () => Date.now() + clock.ahead;
    const ledger = new MemoryLedger({ now });
    const ran = new Map<number, unknown[]>();
    const replies: ((reply: AskReply) => void)[] = [];
    const stored: Rule[] = [];
    const rules: Rule[] = [{ allow: "*", anyFlags: true }, { allow: "edit" }];
    const record = await SessionRecord.open(ledger, `s${session}`, { owner: "test" });
    const gate = new Gate({
      record,
      toolbox: new Toolbox(toolsOf(ran)),
      workspace,
      judge: (intent, also = []) =>
        decide(intent, {
          // No rule covers it: so it is asked about, and "always" can be offered.
          rules: [...(intent.tool === "asked" ? [] : rules), ...stored, ...also],
          roots: workspace.roots,
          home: "/home/nobody",
          now: now(),
        }),
      remember: (grant) => Promise.resolve(void stored.push(...grant.rules)),
      elicit: () => new Promise((resolve) => void replies.push(resolve)),
      ask: endless,
      questionLifetime: LIFETIME,
      stopGraceMs: STOP_GRACE_MS,
      loopLimit: 1_000,
      now,
    });
    return new Run({ gate, ledger, root: workspace.root, kinds, session, replies, ran, clock });
  }

  async take(action: Action): Promise<void> {
    switch (action.do) {
      case "call":
      case "submit":
        return this.#make(action.do);
      case "proceed":
        return this.#watch(this.#gate.proceed(this.#turn.signal));
      case "wake":
        return this.#gate.wake();
      case "cancel all":
        return this.#watch(this.#gate.cancel("enough."));
      case "end the turn":
        return this.#turn.abort();
      case "let questions expire":
        this.#clock.ahead += LIFETIME;
        return this.#gate.wake();
      case "pause":
        for (let tick = 0; tick < action.ticks; tick += 1) await Promise.resolve();
        if (action.milliseconds > 0) await setTimeout(action.milliseconds);
        return;
      case "abort":
        return this.#own[action.which]?.abort();
      case "reply":
        return this.#replies[action.which]?.({ action: "accept", content: {} });
      case "cancel":
        return this.#watch(this.#gate.cancelCall(this.#idOf(action.which), "no longer wanted."));
      case "undo":
        return this.#watch(
          this.#gate.undo(this.#idOf(action.which)),
          (error) => error instanceof UndoRefused,
        );
      case "finish for the app": {
        const isLate = (error: unknown) => error instanceof IllegalEvent;
        const { toolCallId, name } = this.#callOf(action.which) ?? {};
        if (toolCallId === undefined || name !== "app") return;
        return this.#watch(this.#gate.finishForApp(toolCallId, "from the app"), isLate);
      }
      case "answer":
        return this.#watch(
          this.#answer(action.which, action.with),
          (error) => error instanceof LedgerError || error instanceof IllegalEvent,
        );
      default:
        return action satisfies never;
    }
  }

  /** Stops everything; or answers everything, and stops only the calls that would run for ever. */
  async end(isCancelled: boolean): Promise<void> {
    if (isCancelled) {
      this.#turn.abort();
      for (const own of this.#own) own.abort();
      await inTime("cancelling", this.#gate.cancel("it is over."));
    } else {
      const waited = { isOver: false };
      void Promise.allSettled([...this.#returned, ...this.#underWay]).then(() => (waited.isOver = true));
      for (let tries = 0; !waited.isOver || this.#stillOpen().length > 0; tries += 1) {
        if (tries > 500) throw new Error(`These never end: ${this.#stillOpen().join(", ")}`);
        for (const question of await this.#ledger.openQuestions())
          await this.#ledger.answer(question.questionId, this.#saying(question, "reject_once")).catch(ifLate);
        for (const reply of this.#replies) reply({ action: "decline" });
        await inTime(
          "stopping",
          Promise.all(this.#endless().map((id) => this.#gate.cancelCall(id, "stop."))),
        );
        this.#watch(this.#gate.proceed(this.#last));
        await setTimeout(1);
      }
    }
    await inTime("what was under way", Promise.all(this.#underWay));
    // A running submit may have come after the cancel.
    if (isCancelled) await inTime("cancelling again", this.#gate.cancel("it is over."));
    await inTime("what was called", Promise.all(this.#returned));
  }

  async check(isCancelled: boolean): Promise<void> {
    const events = (await this.#ledger.read(this.#gate.sessionId)).map(({ event }) => event);
    const replayed = new SessionBook(this.#gate.sessionId);
    const statuses = new Map<string, ToolCallStatus>();
    for (const event of events) {
      replayed.apply(event);
      if (!("toolCallId" in event)) continue;
      const { toolCallId } = event;
      const status = replayed.call(toolCallId)?.state.status ?? "drafting";
      const before = statuses.get(toolCallId) ?? "drafting";
      if (status !== before) must(WAY[before], `${toolCallId} after ${before}`).toContain(status);
      statuses.set(toolCallId, status);
    }
    must(this.#gate.book.snapshot()).toEqual(replayed.snapshot());
    must(await this.#ledger.openQuestions()).toEqual([]);
    for (const call of replayed.calls()) await this.#checkCall(call, isCancelled);
    for (const call of await Promise.all(this.#returned))
      if (call.times.undone === undefined && call.name !== "app")
        must({ ...call, times: {} }).toEqual({ ...replayed.call(call.toolCallId), times: {} });
    // Nothing is running that would write more.
    await setTimeout(1);
    must(await this.#ledger.read(this.#gate.sessionId)).toHaveLength(events.length);
    await this.#gate.close();
  }

  async #checkCall(call: ToolCall, isCancelled: boolean): Promise<void> {
    const { toolCallId, name, times, state, rawInput } = call;
    const where = `${toolCallId} (${name}) is ${state.status}`;
    if (name === "app" && !isCancelled) must(["waiting", "done", "cancelled"], where).toContain(state.status);
    else must(times.ended, where).toBeDefined();
    const { n } = rawInput as { n: number };
    const ran = this.#ran.get(n) ?? [];
    if (name === "terminal" || name === "write_file" || name === "app") {
      if (name === "terminal") await this.#checkGone(n);
      return;
    }
    const isInTime = state.status === "cancelled" && state.reason === "it was stopped before it began.";
    must(ran, where).toHaveLength(times.started === undefined || isInTime ? 0 : 1);
    if (ran.length === 1) must(ran[0], where).toEqual(rawInput);
    if (state.status === "done") must(ran, where).toHaveLength(1);
  }

  async #checkGone(n: number): Promise<void> {
    const pid = Number(await readFile(join(this.#root, `${this.#session}-${n}.pid`), "utf8").catch(() => ""));
    // The grace period is short here: the command may have been killed just now.
    if (pid > 0) await vi.waitFor(() => must(() => process.kill(pid, 0)).toThrow("ESRCH"), 120_000);
  }

  #make(how: "call" | "submit"): void {
    const n = this.#next;
    const kind = this.#kinds[n];
    if (kind === undefined) return;
    this.#next += 1;
    const request = { name: kind, input: this.#inputOf(kind, n) };
    const own = new AbortController();
    this.#own.push(own);
    if (how === "submit") return this.#watch(this.#gate.submit([request]));
    const returned = this.#gate.call(request, own.signal);
    returned.catch(() => undefined);
    this.#returned.push(returned);
  }

  #inputOf(kind: Kind, n: number): object {
    const pid = `${this.#session}-${n}.pid`;
    if (kind === "terminal") return { n, command: `echo $$ > ${pid}; exec sleep 60` };
    if (kind === "write_file") return { n, path: `${this.#session}-${n}.txt`, content: "written" };
    return { n };
  }

  async #answer(index: number, optionId: string): Promise<void> {
    const open = await this.#ledger.openQuestions();
    const question = open[index % Math.max(1, open.length)];
    if (!question) return;
    const { rawInput } = this.#gate.book.call(question.toolCallId) ?? {};
    // Every input here is an object.
    const changed = { ...(rawInput as object), changed: true };
    const answer =
      optionId === "edited"
        ? this.#saying(question, "allow_once", changed)
        : this.#saying(question, optionId);
    await this.#ledger.answer(question.questionId, answer);
    this.#gate.wake();
  }

  #saying(question: Question, optionId: string, input?: unknown): Answer {
    return { ...saying(question, optionId, input), at: Date.now() + this.#clock.ahead };
  }

  #watch(promise: Promise<unknown>, isExpected: (error: unknown) => boolean = () => false): void {
    const settled = promise.catch((error: unknown) => {
      if (!isExpected(error)) throw error;
    });
    settled.catch(() => undefined);
    this.#underWay.push(settled);
  }

  #callOf(index: number): ToolCall | undefined {
    return [...this.#gate.book.calls()][index];
  }

  #idOf(index: number): string {
    return this.#callOf(index)?.toolCallId ?? "none";
  }

  #stillOpen(): string[] {
    return this.#gate.book
      .openCalls()
      .filter(({ name }) => name !== "app")
      .map(({ toolCallId, name, state }) => `${toolCallId} (${name}) ${state.status}`);
  }

  #endless(): string[] {
    return this.#gate.book
      .openCalls()
      .filter(({ name, state }) => state.status === "running" && ["deaf", "terminal"].includes(name))
      .map(({ toolCallId }) => toolCallId);
  }
}

/** The legal transitions. A call returns to waiting only from cleared: its intent has changed since the yes. */
const ENDS = ["done", "failed", "refused", "cancelled", "unknown"] as const;
const WAY: { readonly [status in ToolCallStatus]: readonly ToolCallStatus[] } = {
  drafting: ["ready", "failed", "cancelled"],
  ready: ["waiting", "cleared", "refused", "failed", "cancelled"],
  waiting: ["cleared", "refused", "failed", "cancelled", "done"],
  cleared: ["waiting", "running", "refused", "failed", "cancelled"],
  running: ENDS,
  done: [],
  failed: [],
  refused: [],
  cancelled: [],
  unknown: [],
};

function toolsOf(ran: Map<number, unknown[]>): readonly (Tool | AppTool)[] {
  const counted = (name: Kind, run: (call: ToolContext) => unknown, more: Partial<Tool> = {}): Tool => {
    const made = tool(name, run, more);
    return {
      ...made,
      run: (input, call) => {
        const { n } = input as { n: number };
        ran.set(n, [...(ran.get(n) ?? []), input]);
        return made.run(input, call);
      },
    };
  };
  let mood = 0;
  return [
    counted("instant", () => "done"),
    counted("slow", ({ signal }) => setTimeout(5, "done", { signal })),
    counted("deaf", endless),
    counted("late", () => setTimeout(3, "done all the same")),
    counted("broken", () => Promise.reject(new Error("it broke"))),
    counted("asking", (call) => call.ask({ message: "Which?" })),
    counted("asked", () => "done"),
    counted("slow_intent", () => "done", { intent: () => setTimeout(2, {}) }),
    counted("slow_preview", () => "done", {
      preview: () => setTimeout(2, { locations: [{ path: "/a" }] }),
    }),
    // Its intent changes each time it is resolved, for a while.
    counted("moody", () => "done", {
      intent: async () => ({ baseHashes: { "/a": String((mood += 1) % 7 > 3) } }),
      preview: () => setTimeout(1, {}),
    }),
    counted("loud", async (call) => {
      const terminal = call.terminal();
      for (let line = 0; line < 5; line += 1) {
        terminal.print(`line ${line}\n`);
        call.progress(line, 5);
        await setTimeout(1);
      }
      terminal.exit({ exitCode: 0 });
      return "said";
    }),
    {
      name: "app",
      description: "",
      kind: "other",
      parameters: { type: "object" },
      runsInApp: true,
    },
    ...builtInTools.filter(({ name }) => name === "terminal" || name === "write_file").map(withAnyInput),
  ];
}

/** The built-in tools' inputs come with a number here. */
const withAnyInput = (built: Tool): Tool => ({
  ...built,
  parse: (input) => {
    const { n: _, changed: __, ...own } = input as { n: number; changed?: boolean };
    return built.parse(own);
  },
});

const ifLate = (error: unknown): void => {
  if (!(error instanceof LedgerError)) throw error;
};

async function inTime<Result>(what: string, promise: Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const late = setTimeout(2_000, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} takes for ever`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
