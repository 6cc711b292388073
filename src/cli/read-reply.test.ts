import { describe, expect, test } from "vitest";
import type { QuestionOption } from "../call/index.js";
import { readReply } from "./read-reply.js";

const option = (kind: QuestionOption["kind"]): QuestionOption => ({ optionId: kind, name: kind, kind });
const once = [option("allow_once"), option("reject_once")];
const all = [...once, option("allow_always"), option("reject_always")];

describe("a reply", () => {
  test.each(["y", "Y", "yes", " YES ", "ok", "OK"])("%j is a yes", (text) => {
    expect(readReply(text, once)).toEqual({ type: "answer", option: option("allow_once") });
  });

  test.each(["", "  ", "n", "No"])("%j is a no", (text) => {
    expect(readReply(text, once)).toEqual({ type: "answer", option: option("reject_once") });
  });

  test("stores a rule only where one was offered", () => {
    expect(readReply("a", all)).toEqual({ type: "answer", option: option("allow_always") });
    expect(readReply("never", all)).toEqual({ type: "answer", option: option("reject_always") });
    const hint = '"a" is not offered for this call. Nothing was answered; ? shows the answers.';
    expect(readReply("a", once)).toEqual({ type: "again", hint });
    expect(readReply("never", once)).toMatchObject({ type: "again" });
  });

  test.each([
    ["n use the other file", "use the other file"],
    ["no, not today", "not today"],
    ["n because it is late", "it is late"],
    ["use the other file", "use the other file"],
    ["näher am Text bleiben", "näher am Text bleiben"],
    ["not that one", "not that one"],
  ])("%j is a no with a reason", (text, reason) => {
    expect(readReply(text, once)).toEqual({ type: "answer", option: option("reject_once"), reason });
  });

  test.each(["x", "yep", "yes please", "ok do it", "always for this", "y?", "never mind", "ja"])(
    "%j answers nothing",
    (text) => {
      expect(readReply(text, all)).toMatchObject({ type: "again" });
    },
  );

  test("asks for help or for all of the call", () => {
    expect(["?", "h", "help"].map((text) => readReply(text, all).type)).toEqual(["help", "help", "help"]);
    expect(["v", "View"].map((text) => readReply(text, all).type)).toEqual(["view", "view"]);
  });

  test("refuses without an option where a question offers none to refuse", () => {
    expect(readReply("n", [option("allow_once")])).toEqual({ type: "answer", option: undefined });
  });
});
