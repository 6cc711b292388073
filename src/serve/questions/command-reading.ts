/** How a command is read: each part with its meaning, its effects and its own verdict. */
import { visibleText } from "../../call/index.js";
import type { ExplainedPart, Explanation } from "../../policy/explain.js";
import type { CommandPart, CommandReading, PartVerdict } from "../api/question-bodies.js";

export function commandReading(command: string, { verdict, parts, doubts }: Explanation): CommandReading {
  const text = visibleText(command, { keepNewlines: true });
  return {
    text,
    characters: command.length,
    hiddenCharacters: countHidden(command),
    parts: parts.map((part) => partOf(part, verdict.effect)),
    doubts: doubts.map((doubt) => visibleText(doubt)),
  };
}

const shown = (texts: readonly string[]): string[] => texts.map((text) => visibleText(text));

function partOf(part: ExplainedPart, effect: Explanation["verdict"]["effect"]): CommandPart {
  return {
    text: visibleText(part.words.map(({ word }) => word).join(" ")),
    verdict: verdictOf(part, effect),
    effects: shown(part.effects),
    rules: shown(part.rules),
    needsNoRule: part.needsNoRule,
    doubts: shown(part.doubts),
    words: part.words.map(({ word, meaning }) => ({
      word: visibleText(word),
      meaning: visibleText(meaning),
    })),
  };
}

function verdictOf({ rules, needsNoRule, doubts }: ExplainedPart, effect: string): PartVerdict {
  if (effect === "allow" || needsNoRule || (rules.length > 0 && doubts.length === 0)) return "allowed";
  if (rules.length > 0 && effect !== "deny") return "allowed";
  return effect === "deny" ? "denied" : "asks";
}

export const partVerdictOf = (effect: "allow" | "ask" | "deny"): PartVerdict =>
  effect === "allow" ? "allowed" : effect === "deny" ? "denied" : "asks";

const SPELLED = /⟨U\+[0-9A-F]{4,6}⟩/g;

/** How many characters of the text are invisible or change the direction of others. Line ends and tabs are not. */
export function countHidden(text: string): number {
  const spelled = visibleText(text, { keepNewlines: true }).match(SPELLED)?.length ?? 0;
  return spelled - (text.match(SPELLED)?.length ?? 0);
}
