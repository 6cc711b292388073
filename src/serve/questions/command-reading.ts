/** How a command is read: each part with its meaning, its effects and its own verdict. */
import { visibleText } from "../../call/index.js";
import type { ExplainedPart, Explanation } from "../../policy/explain.js";
import type { CommandPart, CommandReading, PartVerdict } from "../api/question-bodies.js";

/** `isShown`: the hidden characters of the text are spelled out in it already. */
export type CommandText = { readonly text: string; readonly isShown?: boolean };

export function commandReading(
  { text: command, isShown = false }: CommandText,
  explanation: Explanation | undefined,
): CommandReading {
  const returns = command.match(/\r/g)?.length ?? 0;
  return {
    // A shell takes a carriage return for a letter of a word, and "\r" may be two characters of the command.
    text: visibleText(command.replaceAll("\r", "⟨U+000D⟩"), { keepNewlines: true }),
    characters: command.length,
    hiddenCharacters: isShown ? (command.match(SPELLED)?.length ?? 0) : countHidden(command) + returns,
    ...(explanation ? explained(explanation) : { parts: [], isTooLong: true, doubts: [] }),
  };
}

/** Taking a longer command apart would hold the server up for seconds, and nobody reads so many parts. */
export const MAX_EXPLAINED = 50_000;

const explained = ({
  verdict,
  parts,
  doubts,
}: Explanation): Pick<CommandReading, "parts" | "leftOut" | "doubts"> => ({
  ...listedParts(parts.map((part) => partOf(part, verdict.effect))),
  doubts: doubts.map((doubt) => visibleText(doubt)),
});

/** More parts than a person reads; the whole command is shown in any case. */
const MAX_PARTS = 200;

/** Where there are too many, parts that are not allowed are listed before the others, all in the order of the command. */
function listedParts(parts: readonly CommandPart[]): Pick<CommandReading, "parts" | "leftOut"> {
  if (parts.length <= MAX_PARTS) return { parts: [...parts] };
  const [asking, allowed] = [parts.filter(isAsking), parts.filter((part) => !isAsking(part))];
  const listed = new Set([...asking, ...allowed].slice(0, MAX_PARTS));
  return {
    parts: parts.filter((part) => listed.has(part)),
    leftOut: { parts: parts.length - MAX_PARTS, asking: Math.max(0, asking.length - MAX_PARTS) },
  };
}

const isAsking = ({ verdict }: CommandPart): boolean => verdict !== "allowed";

const shown = (texts: readonly string[]): string[] => texts.map((text) => visibleText(text));

function partOf(part: ExplainedPart, effect: Explanation["verdict"]["effect"]): CommandPart {
  return {
    text: visibleText(part.words.map(({ word }) => word).join(" ")),
    verdict: verdictOf(part, effect),
    effects: shown(part.effects),
    ...(part.redirects.length > 0 && { redirects: shown(part.redirects) }),
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
