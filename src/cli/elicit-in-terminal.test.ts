import { expect, test } from "vitest";
import { elicitInTerminal } from "./elicit-in-terminal.js";

const schema = {
  properties: {
    name: { type: "string", title: "Your name" },
    age: { type: "integer" },
    colour: { type: "string", enum: ["red", "green"], default: "red" },
    news: { type: "boolean" },
  },
  required: ["name", "age"],
};

/** A person who types these lines; undefined is Escape. */
async function answered(lines: readonly (string | undefined)[], request: { readonly schema?: object }) {
  const [written, prompts]: [string[], string[]] = [[], []];
  const left = [...lines];
  const elicit = elicitInTerminal({
    line: (prompt) => {
      prompts.push(prompt);
      return Promise.resolve(left.shift());
    },
    write: (text) => written.push(text),
    pause: () => written.push("<pause>"),
    resume: () => written.push("<resume>"),
    onAsk: (message) => written.push(`<${message}>`),
    cancelHint: "Escape cancels",
  });
  const signal = new AbortController().signal;
  const reply = await elicit({ message: "Who\nare you?", ...request }, { toolCallId: "call_1", signal });
  return { reply, text: written.join(""), prompts };
}

test("asks field by field, again where a value does not fit, and takes defaults", async () => {
  const { reply, text, prompts } = await answered(["", "Ann", "many", "7", "", ""], { schema });
  expect(reply).toEqual({ action: "accept", content: { name: "Ann", age: 7, colour: "red" } });
  expect(text).toContain("<pause><Who\nare you?>? Who\n    are you?\n");
  expect(text).toContain("That does not fit: the type integer is needed.");
  expect(text.endsWith("<resume>")).toBe(true);
  expect(prompts).toContain('colour (one of: red, green; Enter is "red"; optional):');
});

test("declines with no, and cancels when the person goes back", async () => {
  expect((await answered(["no"], { schema })).reply).toEqual({ action: "decline" });
  expect((await answered(["", undefined], { schema })).reply).toEqual({ action: "cancel" });
  expect((await answered([""], {})).reply).toEqual({ action: "accept", content: {} });
});
