import { expect, test } from "vitest";
import { chatCommands, commandsIn, readModelWords } from "./chat-commands.js";
import type { Conversation } from "./conversation.js";

const names = (conversation: Parameters<typeof commandsIn>[0]): readonly string[] =>
  commandsIn(conversation).map(({ name }) => name);

// Only their presence counts.
const [own, foreign, gate, ledger, page] = [{}, {}, {}, {}, {}] as [
  NonNullable<Conversation["own"]>,
  NonNullable<Conversation["foreign"]>,
  NonNullable<Conversation["gate"]>,
  NonNullable<Conversation["ledger"]>,
  NonNullable<Conversation["page"]>,
];

test("lists all commands with our own agent", () => {
  const ours = chatCommands.map(({ name }) => name).filter((name) => name !== "options");
  expect(names({ own, gate, ledger })).toEqual(ours);
});

test("leaves out what another agent decides itself, and on a server what needs our history", () => {
  expect(names({ foreign, gate, ledger })).toEqual([
    "help",
    "model",
    "mode",
    "options",
    "sessions",
    "new",
    "questions",
    "undo",
    "back",
    "ps",
    "stop",
    "rules",
    "history",
    "stats",
    "agents",
    "quit",
  ]);
  expect(names({})).toEqual(["help", "new", "history", "agents", "quit"]);
});

test("acts on mode, model, calls, commands and conversations at a Toolgate server", () => {
  const atServer = ["model", "mode", "sessions", "undo", "back", "ps", "stop", "compact"];
  expect(names({ page })).toEqual(expect.arrayContaining(atServer));
});

test("reads a model with and without an address", () => {
  const [model, baseUrl] = ["openai-compatible/small", "http://localhost:11434/v1"];
  expect(readModelWords(model)).toEqual({ model });
  expect(readModelWords(`${model} --base-url ${baseUrl}`)).toEqual({ model, baseUrl });
  expect(readModelWords(`${model} --base-url=${baseUrl}`)).toEqual({ model, baseUrl });
  expect(readModelWords(`${model} ${baseUrl}`)).toEqual({ model, baseUrl });
  expect(readModelWords(`${model} --base-url`)).toBeUndefined();
});
