/** The choices for the word before the cursor, and which of them is marked. */
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.js";
import type { PromptCommand } from "./prompt-commands.js";
import { fileChoice, wantedAt, type Choice } from "./prompt-completion.js";

const MAX_SHOWN = 8;

type Source = {
  readonly text: string;
  readonly cursor: number;
  readonly commands: readonly PromptCommand[];
  readonly sessionId: string | undefined;
};

export function useCompletion({ text, cursor, commands, sessionId }: Source) {
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [marked, setMarked] = useState(0);
  /** The text in which the person closed the list. */
  const [closedIn, setClosedIn] = useState<string>();
  if (closedIn !== undefined && closedIn !== text) setClosedIn(undefined);
  const wanted = wantedAt(text, cursor);
  const { type, word, command } = wanted ?? {};
  useEffect(() => {
    setMarked(0);
    if (type !== "file") {
      setChoices(type === undefined ? [] : commandChoices(commands, type, command ?? "", word ?? ""));
      return undefined;
    }
    let isCurrent = true;
    const query = { text: word, ...(sessionId !== undefined && { session: sessionId }) };
    api.files(query).then(
      ({ files }) => isCurrent && setChoices(files.slice(0, MAX_SHOWN).map(fileChoice)),
      // Without a list nothing is completed.
      () => isCurrent && setChoices([]),
    );
    return () => {
      isCurrent = false;
    };
  }, [type, word, command, sessionId]);
  const isShown = wanted && choices.length > 0 && closedIn !== text;
  return {
    completion: isShown ? { wanted, choices, marked: Math.min(marked, choices.length - 1) } : undefined,
    mark: (by: number) => setMarked((before) => (before + by + choices.length) % choices.length),
    close: () => setClosedIn(text),
  };
}

function commandChoices(
  commands: readonly PromptCommand[],
  type: "command" | "value",
  command: string,
  word: string,
): readonly Choice[] {
  if (type === "command")
    return commands
      .filter(({ name }) => name.startsWith(word))
      .map(({ name, description }) => ({ text: `/${name} `, name: `/${name}`, note: description }));
  const values = commands.find(({ name }) => name === command)?.values ?? [];
  return values
    .filter(([value]) => value.includes(word) && value !== word)
    .map(([value, note]) => ({ text: value, name: value, note }));
}
