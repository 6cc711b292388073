// The built client in a world like a browser's: only what browsers have is there, and only its own files can be
// imported. Runs one whole turn in each mode and prints what came of it. Needs --experimental-vm-modules.
import { readFileSync } from "node:fs";
import { createContext, runInContext, SourceTextModule } from "node:vm";

const { ENTRY, SERVER, TOKEN } = process.env;

const timers = new Map();
let lastTimer = 0;
// Browsers give a number, which can do nothing.
const setTimer = (run, milliseconds) => {
  const number = (lastTimer += 1);
  timers.set(
    number,
    setTimeout(() => run(), milliseconds),
  );
  return number;
};
const clearTimer = (number) => {
  clearTimeout(timers.get(number));
  timers.delete(number);
};

const world = createContext(
  {
    // As browsers do: called on anything else than its window it is no function of it.
    fetch(...args) {
      if (this !== undefined && this !== world && this !== runInContext("globalThis", world))
        throw new TypeError("Illegal invocation");
      return fetch(...args);
    },
    AbortController,
    AbortSignal,
    DOMException,
    Event,
    EventTarget,
    Headers,
    Request,
    Response,
    ReadableStream,
    TransformStream,
    WritableStream,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    crypto,
    queueMicrotask,
    structuredClone,
    btoa,
    atob,
    setTimeout: setTimer,
    clearTimeout: clearTimer,
  },
  { codeGeneration: { strings: false, wasm: false } },
);

const modules = new Map();

function load(url) {
  const known = modules.get(url);
  if (known) return known;
  const module = new SourceTextModule(readFileSync(new URL(url), "utf8"), {
    context: world,
    identifier: url,
    importModuleDynamically: (specifier) => {
      throw new Error(`the client imports ${specifier} late`);
    },
  });
  modules.set(url, module);
  return module;
}

const entry = load(ENTRY);
await entry.link((specifier, { identifier }) => {
  if (!/^\.{1,2}\//.test(specifier))
    throw new Error(`a browser cannot load "${specifier}", which ${identifier} imports`);
  return load(new URL(specifier, identifier).href);
});
await entry.evaluate();

const { connect, runTurn } = entry.namespace;
const client = connect(SERVER, TOKEN);
const show = { name: "show", description: "Shows a picture.", parameters: { type: "object" } };
const locate = { name: "locate", description: "Says where we are.", parameters: { type: "object" } };
const turns = {};
for (const stream of ["delta", "message", "none"]) {
  const { sessionId } = await client.createSession({
    agent: { name: "clerk", tools: [{ name: "look_up", trust: true }, { name: "send" }] },
    tools: [show, locate],
  });
  const events = [];
  const result = await runTurn(
    client,
    sessionId,
    { stream, messages: [{ role: "user", content: "Go" }] },
    {
      tools: { show: () => "shown", locate: () => "here" },
      permit: () => ({ granted: true }),
      onEvent: ({ event }) => void events.push(event),
    },
  );
  turns[stream] = {
    result,
    history: await client.history(sessionId),
    stops: events.filter((one) => one === "turn_stop"),
  };
}
const globals = runInContext("[typeof process, typeof Buffer, typeof require, typeof setImmediate]", world);
process.stdout.write(JSON.stringify({ turns, globals, files: modules.size }));
