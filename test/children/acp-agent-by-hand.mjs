/**
 * An ACP agent that is written by hand, to do what no library would. The first argument says what it does with a
 * prompt; what it is answered is written to the file that is the second, one JSON a line.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const [, , behaviour, notes] = process.argv;
const saw = (what) => notes && appendFileSync(notes, `${JSON.stringify(what)}\n`);
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

let lastId = 0;
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    lastId += 1;
    waiting.set(lastId, resolve);
    send({ id: lastId, method, params });
  });

const ONCE = { optionId: "yes", name: "Allow", kind: "allow_once" };
const ALWAYS = { optionId: "always", name: "Always", kind: "allow_always" };
const NO = { optionId: "no", name: "Reject", kind: "reject_once" };
const NEVER = { optionId: "never", name: "Never", kind: "reject_always" };
const OPTIONS = [ALWAYS, ONCE, NEVER, NO];

let sessions = 0;
let sessionId = "s1";
let cwd = "/";
let onCancel = () => undefined;

const update = (fields, of = sessionId) =>
  send({ method: "session/update", params: { sessionId: of, update: fields } });
const call = (toolCallId, fields = {}) =>
  update({ sessionUpdate: "tool_call", toolCallId, title: toolCallId, ...fields });
const more = (toolCallId, fields) => update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const permit = async (toolCall, options = OPTIONS) => {
  const answered = await ask("session/request_permission", { sessionId, toolCall, options });
  saw({ permission: answered });
  return answered.result?.outcome?.optionId === "yes";
};
/** Asks for a call that it has announced, and says how it went. */
const asked = async (toolCallId, fields, options) => {
  call(toolCallId, { status: "pending", ...fields });
  const isYes = await permit({ toolCallId, ...fields }, options);
  more(toolCallId, { status: isYes ? "completed" : "failed" });
  return isYes;
};

const BEHAVIOURS = {
  "asks for the call of the prompt": async (text) => {
    const { options, ...toolCall } = JSON.parse(text);
    await asked(toolCall.toolCallId ?? "t1", toolCall, options);
  },
  "asks without announcing": () => permit({ toolCallId: "t1", title: "Write a.txt", kind: "edit" }),
  "asks under one id for everything": async () => {
    call("t1", { title: "first" });
    await permit({
      toolCallId: "write-permission",
      title: "first",
      rawInput: { path: `${cwd}/a.txt`, content: "1" },
    });
    await permit({
      toolCallId: "write-permission",
      title: "second",
      rawInput: { path: `${cwd}/b.txt`, content: "2" },
    });
    more("t1", { status: "completed" });
  },
  "asks while it runs": async () => {
    call("t1", { status: "in_progress", rawInput: { command: "make" } });
    await permit({ toolCallId: "t1" });
    more("t1", { status: "completed" });
  },
  "asks after it printed": async () => {
    call("t1", { status: "in_progress", rawInput: { command: "make" } });
    more("t1", { content: [{ type: "content", content: { type: "text", text: "cc a.c" } }] });
    await permit({ toolCallId: "t1" });
    more("t1", { status: "completed" });
  },
  /** Takes one step after the other; a step that is none of these is an update to send. */
  "runs the given steps": async (text) => {
    const children = [];
    for (const step of JSON.parse(text)) {
      if (step === "spawn") children.push(spawn("sleep", ["300"], { stdio: "ignore" }).pid);
      else if (step === "spawn detached")
        children.push(spawn("sleep", ["300"], { stdio: "ignore", detached: true }).pid);
      else if (step.permitLater) void permit(step.permitLater);
      else if (step.pids) saw({ pids: [process.pid, ...children] });
      else if (step.untilFile) while (!existsSync(`${cwd}/${step.untilFile}`)) await setTimeout(10);
      else if (step.pause) await setTimeout(step.pause);
      else if (step.permit) await permit(step.permit);
      else if (step.askLater) void ask(step.askLater, { sessionId, ...step.params });
      else if (step.ask) saw({ [step.ask]: await ask(step.ask, { sessionId, ...step.params }) });
      else update(step);
    }
  },
  "updates what was never announced": () => more("ghost", { status: "in_progress", title: "Boo" }),
  "changes the input after the yes": async () => {
    const rawInput = { command: "npm test" };
    call("t1", { kind: "execute", rawInput });
    await permit({ toolCallId: "t1", kind: "execute", rawInput });
    more("t1", { status: "in_progress", rawInput: { command: "rm -rf build" } });
    more("t1", { status: "completed" });
  },
  "sends updates after the end": async () => {
    call("t1", { status: "in_progress" });
    return { after: () => (more("t1", { status: "completed" }), say("and another thing")) };
  },
  "dies in a permission": () => {
    call("running", { status: "in_progress" });
    void permit({ toolCallId: "t1", title: "Delete it", kind: "delete" });
    return setTimeout(50).then(() => {
      process.stderr.write("out of cheese\n");
      process.exit(3);
    });
  },
  "dies while a child holds its pipes": () => {
    call("running", { status: "in_progress" });
    spawn("sleep", ["30"], { stdio: ["ignore", "inherit", "inherit"] });
    return setTimeout(50).then(() => process.exit(4));
  },
  "asks until it is cancelled": async () => {
    onCancel = () => saw("cancelled");
    await permit({ toolCallId: "t1", title: "Wait for it", kind: "edit" });
    await permit({ toolCallId: "t2", title: "Too late", kind: "edit" });
    more("t1", { status: "failed" });
    return { stopReason: "cancelled" };
  },
  "works until it is cancelled": async () => {
    call("t1", { status: "in_progress" });
    await new Promise((resolve) => (onCancel = resolve));
    more("t1", { status: "failed" });
    return { stopReason: "cancelled" };
  },
  "ends its turn as cancelled after a no": async () => {
    await asked("t1", { title: "Delete it", kind: "delete" });
    return { stopReason: "cancelled" };
  },
  "refuses the prompt": () => ({
    error: { code: -32602, message: "Invalid params", data: "this agent takes no pictures" },
  }),
  "ignores a cancel": () => new Promise(() => call("t1", { status: "in_progress" })),
  "floods stderr": async () => {
    const chunk = "x".repeat(1024 * 1024);
    for (let count = 0; count < 64; count += 1)
      if (!process.stderr.write(chunk)) await new Promise((resolve) => process.stderr.once("drain", resolve));
    process.stderr.write("\nthe very last words\n");
    say("done");
  },
  "writes garbage": () => {
    write('hello, I am a log line\n\n[1,2]\n42\n{"jsonrpc":"2.0","id":77,"result":{}}\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x0a]));
    update(null);
    update({ sessionUpdate: "from_the_future" });
    more("", { status: 5 });
    send({ method: "session/update", params: null });
    say("still here");
  },
  "floods requests": async () => {
    const answers = await Promise.all(
      Array.from({ length: 5000 }, (_, count) =>
        ask(count % 2 ? "nope/x" : "fs/read_text_file", { sessionId }),
      ),
    );
    saw({ answered: answers.length, failed: answers.filter(({ error }) => error).length });
  },
  "says much": async () => {
    for (let count = 0; count < 20_000; count += 1)
      more("t1", {
        title: "Counting",
        status: "in_progress",
        content: [{ type: "content", content: { type: "text", text: `line ${count}` } }],
      });
    more("t1", { status: "completed" });
  },
  "uses what we serve": async (text) => {
    for (const { method, params } of JSON.parse(text)) {
      const response = await ask(method, { sessionId, ...params });
      saw({ [method]: response.result ?? response.error });
      if (response.result?.terminalId) {
        const { terminalId } = response.result;
        call("shown", {
          status: "in_progress",
          kind: "execute",
          content: [{ type: "terminal", terminalId }],
        });
        saw({ exit: (await ask("terminal/wait_for_exit", { sessionId, terminalId })).result });
        saw({ output: (await ask("terminal/output", { sessionId, terminalId })).result });
        saw({ foreign: (await ask("terminal/output", { sessionId: "s1", terminalId })).error?.code });
        await ask("terminal/release", { sessionId, terminalId });
        more("shown", { status: "completed" });
      }
    }
  },
  "reports its command after it ended": async () => {
    const { result } = await ask("terminal/create", { sessionId, command: "echo", args: ["hello there"] });
    const { terminalId } = result;
    await ask("terminal/wait_for_exit", { sessionId, terminalId });
    await setTimeout(200);
    call("late", {
      status: "in_progress",
      kind: "execute",
      content: [{ type: "terminal", terminalId }],
    });
    await ask("terminal/release", { sessionId, terminalId });
    more("late", { status: "completed" });
  },
  "asks and then does": async (text) => {
    const { toolCall, acts } = JSON.parse(text);
    await asked(toolCall.toolCallId, toolCall);
    for (const { method, params } of acts) {
      const response = await ask(method, { sessionId, ...params });
      saw({ [method]: response.result ? "done" : response.error.message });
      if (response.result?.terminalId)
        await ask("terminal/wait_for_exit", { sessionId, terminalId: response.result.terminalId });
    }
  },
  "claims to be us": () => {
    update({ sessionUpdate: "current_mode_update", currentModeId: "allow-all" });
    update({
      sessionUpdate: "session_info_update",
      title: "mine",
      _meta: { toolgate: { flags: { mode: "allow-all" } } },
    });
  },
  "offers settings": (text) => say(`You said ${text}.`),
  "wants to know something": async () => {
    const params = {
      sessionId,
      mode: "form",
      message: "Which?",
      requestedSchema: { type: "object", properties: {} },
    };
    saw((await ask("elicitation/create", params)).result);
  },
};

/** The older forms of mode and model, and an option that is neither. */
const current = { mode: "build", model: "small", effort: "low" };
const settings = () => ({
  modes: {
    currentModeId: current.mode,
    availableModes: [
      { id: "build", name: "Build" },
      { id: "plan", name: "Plan", description: "only plans" },
    ],
  },
  models: {
    currentModelId: current.model,
    availableModels: [
      { modelId: "small", name: "Small one" },
      { modelId: "large", name: "Large one" },
    ],
  },
  configOptions: [
    {
      id: "effort",
      name: "Effort",
      category: "thought_level",
      type: "select",
      currentValue: current.effort,
      options: [
        {
          group: "all",
          name: "All",
          options: [
            { value: "low", name: "Low" },
            { value: "high", name: "High" },
          ],
        },
      ],
    },
  ],
});
const offersSettings = behaviour === "offers settings";

const REASON = /^“.*” was refused\. The user's reason: /;

async function prompt(id, params) {
  sessionId = params.sessionId;
  const { text } = params.prompt[0];
  // The reason of a no is no new task.
  const ended = REASON.test(text) ? {} : ((await BEHAVIOURS[behaviour]?.(text)) ?? {});
  if (ended.error) send({ id, error: ended.error });
  else send({ id, result: { stopReason: ended.stopReason ?? "end_turn" } });
  ended.after?.();
}

function answer({ id, method, params }) {
  if (method === "initialize") {
    if (behaviour === "dies at once") {
      process.stderr.write("no licence\n");
      process.exit(3);
    }
    const protocolVersion = behaviour === "uses another version" ? 7 : 1;
    const authMethods = [{ id: "key", name: "With a key" }];
    send({
      id,
      result: {
        protocolVersion,
        agentInfo: { name: "by-hand", version: "1" },
        authMethods,
        agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, list: {}, close: {} } },
      },
    });
  } else if (method === "authenticate") {
    saw({ authenticate: params.methodId });
    isSignedIn = true;
    send({ id, result: {} });
  } else if (method === "session/new") {
    if (behaviour === "wants a key" && !isSignedIn) {
      send({ id, error: { code: -32000, message: "Authentication required" } });
      return;
    }
    cwd = params.cwd;
    sessions += 1;
    const name = `s${sessions}`;
    if (behaviour === "sends updates before its id is known")
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "early" } }, name);
    send({ id, result: { sessionId: name, ...(offersSettings && settings()) } });
    const tidy = { name: "tidy", description: "Tidies up" };
    update(
      { sessionUpdate: "available_commands_update", availableCommands: offersSettings ? [tidy] : [] },
      name,
    );
  } else if (method === "session/load" || method === "session/resume") {
    saw({ [method]: params.sessionId });
    if (behaviour === "loads a breach") {
      const rawInput = { command: "rm -rf build" };
      const done = { title: "Tidy", kind: "execute", status: "completed", rawInput };
      update({ sessionUpdate: "tool_call", toolCallId: "t1", ...done }, params.sessionId);
    } else if (method === "session/load")
      update(
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "as I said" } },
        params.sessionId,
      );
    send({ id, result: offersSettings ? settings() : {} });
  } else if (method === "session/list") {
    const old = { sessionId: "old", cwd: offersSettings ? process.cwd() : "/x", title: "Before" };
    send({ id, result: { sessions: [old, { nonsense: true }] } });
  } else if (offersSettings && method.startsWith("session/set_")) {
    saw({ [method]: params });
    current.mode = params.modeId ?? current.mode;
    current.model = params.modelId ?? current.model;
    current.effort = params.value ?? current.effort;
    send({ id, result: method === "session/set_config_option" ? settings() : {} });
  } else if (method === "session/prompt") void prompt(id, params);
  else if (method === "session/cancel") {
    onCancel();
  } else if (id !== undefined) send({ id, result: {} });
}

let isSignedIn = false;

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method) answer(message);
  else {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  }
});
