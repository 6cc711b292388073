import { describe, expect, test } from "vitest";
import type { OfferedWidth, QuestionOption } from "../call/index.js";
import { readHunks, readReply, readWidth } from "./read-reply.js";

const option = (kind: QuestionOption["kind"]): QuestionOption => ({ optionId: kind, name: kind, kind });
const once = [option("allow_once"), option("reject_once")];
const all = [...once, option("allow_always"), option("reject_always")];

describe("the choice of hunks", () => {
  const question = { options: once, hunks: 3 };
  const [yes] = once;

  test("is offered only where the edit has several", () => {
    expect(readReply("hunks", question)).toEqual({ type: "hunks" });
    expect(readReply("hunks", { options: once })).toMatchObject({ type: "again" });
  });

  test("keeps the named ones, and is a plain yes for all of them", () => {
    expect(readHunks("3, 1", question)).toEqual({ type: "answer", option: yes, keptHunks: [1, 3] });
    expect(readHunks("1 2 3", question)).toEqual({ type: "answer", option: yes });
    expect(readHunks("b", question)).toBeUndefined();
  });

  test.each(["", "0", "4", "-1", "1 x", "1.5", "y"])("%j answers nothing", (text) => {
    expect(readHunks(text, question)).toMatchObject({ type: "again" });
  });
});

describe("a reply", () => {
  test.each(["y", "Y", "yes", " YES ", "ok", "OK"])("%j is a yes", (text) => {
    expect(readReply(text, { options: once })).toEqual({ type: "answer", option: option("allow_once") });
  });

  test.each(["", "  ", "n", "No"])("%j is a no", (text) => {
    expect(readReply(text, { options: once })).toEqual({ type: "answer", option: option("reject_once") });
  });

  test("stores a rule only where one was offered", () => {
    expect(readReply("a", { options: all })).toEqual({ type: "answer", option: option("allow_always") });
    expect(readReply("never", { options: all })).toEqual({ type: "answer", option: option("reject_always") });
    const hint = '"a" is not offered for this call. Nothing was answered; ? shows the answers.';
    expect(readReply("a", { options: once })).toEqual({ type: "again", hint });
    expect(readReply("never", { options: once })).toMatchObject({ type: "again" });
  });

  test.each([
    ["n use the other file", "use the other file"],
    ["no, not today", "not today"],
    ["n because it is late", "it is late"],
    ["use the other file", "use the other file"],
    ["näher am Text bleiben", "näher am Text bleiben"],
    ["not that one", "not that one"],
  ])("%j is a no with a reason", (text, reason) => {
    expect(readReply(text, { options: once })).toEqual({
      type: "answer",
      option: option("reject_once"),
      reason,
    });
  });

  test.each(["x", "yep", "yes please", "ok do it", "always for this", "y?", "never mind", "ja"])(
    "%j answers nothing",
    (text) => {
      expect(readReply(text, { options: all })).toMatchObject({ type: "again" });
    },
  );

  test("asks for help or for all of the call", () => {
    expect(["?", "h", "help"].map((text) => readReply(text, { options: all }).type)).toEqual([
      "help",
      "help",
      "help",
    ]);
    expect(["v", "View"].map((text) => readReply(text, { options: all }).type)).toEqual(["view", "view"]);
  });

  test("refuses without an option where a question offers none to refuse", () => {
    expect(readReply("n", { options: [option("allow_once")] })).toEqual({
      type: "answer",
      option: undefined,
    });
  });
});

describe("a reply to a question with widths", () => {
  const grant = { sentence: "x", rules: [], scope: "project", width: "subcommand" } as const;
  const always: QuestionOption = { optionId: "allow_always", name: "x", kind: "allow_always", grant };
  const session = { ...always, optionId: "allow_session", grant: { ...grant, scope: "session" as const } };
  const never: QuestionOption = { ...always, optionId: "reject_always", kind: "reject_always" };
  const offered = (effect: "allow" | "deny", width: string): OfferedWidth => ({
    effect,
    width,
    rules: [],
    subject: width,
    sentence: width,
    examples: [],
  });
  const question = {
    options: [...once, always, session, never],
    widths: [
      ...["family", "exact", "subcommand"].map((width) => offered("allow", width)),
      offered("deny", "exact"),
    ],
  };

  const usual = { width: "subcommand" };

  test("shows the widths after always, and takes Enter for the usual one", () => {
    expect(readReply("a", question)).toEqual({ type: "choose" });
    expect(readWidth("", question)).toEqual({ type: "answer", option: always, choice: usual });
    expect(readWidth("b", question)).toBeUndefined();
  });

  test.each([
    ["2", { width: "family" }],
    ["3", { width: "exact" }],
    ["1 s", { width: "subcommand", scope: "session" }],
    ["e 3 t", { width: "exact", scope: "user", expires: "today" }],
    ["session hour", { width: "subcommand", scope: "session", expires: "hour" }],
  ])("reads %j", (text, choice) => {
    expect(readWidth(text, question)).toEqual({ type: "answer", option: always, choice });
    expect(readReply(`a ${text}`, question)).toEqual({ type: "answer", option: always, choice });
  });

  test.each(["4", "0", "1 2", "s p", "x", "1 forever", "y"])("chooses nothing by %j", (text) => {
    expect(readWidth(text, question)).toMatchObject({ type: "again" });
    expect(readReply(`a ${text}`, question)).toMatchObject({ type: "again" });
  });

  test("takes a width of never, and the session alone", () => {
    expect(readReply("never 1", question)).toEqual({
      type: "answer",
      option: never,
      choice: { width: "exact" },
    });
    expect(readReply("s", question)).toEqual({ type: "answer", option: session, choice: usual });
    expect(readReply("s", { options: once })).toMatchObject({ type: "again" });
  });

  test("answers all the calls that were listed, and no others", () => {
    const all2 = { ...question, alike: 2 };
    expect(readReply("all", all2)).toEqual({ type: "answer", option: option("allow_once"), isForAll: true });
    expect(readReply("none", all2)).toEqual({
      type: "answer",
      option: option("reject_once"),
      isForAll: true,
    });
    expect(readReply("all", question)).toMatchObject({ type: "again" });
  });
});
