import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { QuestionOption } from "../../call/index.js";
import { optionTrouble, permissionAnswer } from "./permission-answer.js";

const option: fc.Arbitrary<QuestionOption> = fc.record({
  optionId: fc.constantFrom("a", "b", "c", "d"),
  name: fc.string(),
  kind: fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always"),
});
const options = fc.array(option, { maxLength: 6 });

const chosen = (given: readonly QuestionOption[], optionId: string) =>
  given.filter((one) => one.optionId === optionId).map(({ kind }) => kind);

test("answers a yes with the option that allows once, or not at all", () => {
  fc.assert(
    fc.property(options, (given) => {
      const { outcome } = permissionAnswer({ type: "allowed" }, given);
      if (outcome.outcome === "cancelled") return;
      const kinds = chosen(given, outcome.optionId);
      expect(kinds).toHaveLength(1);
      expect(["allow_once", "reject_once", "reject_always"]).toContain(kinds[0]);
      if (optionTrouble(given) === undefined) expect(kinds).toEqual(["allow_once"]);
    }),
  );
});

test("takes no option for a yes when two allow once", () => {
  const given = ["a", "b"].map((optionId) => ({ optionId, name: optionId, kind: "allow_once" }) as const);
  expect(optionTrouble(given)).toBe("the agent offers several ways to allow it once");
  expect(permissionAnswer({ type: "allowed" }, given).outcome).toEqual({ outcome: "cancelled" });
});

test("never answers a no with an option that allows, and gives the reason", () => {
  fc.assert(
    fc.property(options, fc.option(fc.string(), { nil: undefined }), (given, reason) => {
      const { outcome, _meta } = permissionAnswer({ type: "refused", reason }, given);
      if (outcome.outcome === "selected")
        expect(["reject_once", "reject_always"]).toEqual(
          expect.arrayContaining(chosen(given, outcome.optionId)),
        );
      expect(_meta?.toolgate.reason).toBe(reason);
    }),
  );
});

test("reads a cancelled outcome as cancelled", () => {
  fc.assert(
    fc.property(options, (given) => {
      expect(permissionAnswer({ type: "cancelled" }, given)).toEqual({ outcome: { outcome: "cancelled" } });
    }),
  );
});
