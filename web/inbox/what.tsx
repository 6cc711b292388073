/** The section "What will happen", all of it: the command with its parts, the exact change, real paths, hidden characters. */
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import type { CommandPart, CommandReading, QuestionDetail } from "toolgate/serve/client";
import { DiffView } from "../code/diff-view.js";
import { changedLines } from "../code/diff-table.js";
import { useShortPaths } from "../parts/folder.js";
import { Note } from "../parts/controls.js";
import { Verdict } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { useIsPhone } from "../use-media.js";
import { counted, inFolder, sentence } from "../words.js";
import { commandPieces } from "./command-marks.js";

/** `asked` gets the element of the last part that asks. */
type Asked = { readonly asked?: RefObject<HTMLLIElement | null> | undefined };

export function What({ question, asked }: Asked & { readonly question: QuestionDetail }) {
  const { what, folder } = question;
  const { command, diffs, lines } = what;
  const id = useId();
  return (
    <section class="sec" aria-labelledby={id}>
      <h2 id={id}>
        What will happen <span class="end">{countLine(question)}</span>
      </h2>
      {what.warning !== undefined && (
        <Note icon="exit" tone="waiting">
          <b>Look closely.</b> <Visible text={sentence(what.warning)} />
        </Note>
      )}
      {what.mixedWords.length > 0 && (
        <Note icon="exit" tone="waiting">
          <b>Look closely.</b> <Visible text={what.mixedWords.map(sentence).join(" ")} />
        </Note>
      )}
      {command && <Command reading={command} asked={asked} />}
      {!command && lines.length > 0 && <Lines lines={lines} folder={folder} />}
      {diffs.map((diff, index) => (
        <DiffView key={index} diff={diff} />
      ))}
      {!command && diffs.length === 0 && lines.length === 0 && <Input question={question} isOpen />}
      {what.rawInput !== undefined && <Input question={question} />}
    </section>
  );
}

/** "Whole command, 101 characters, none hidden". */
function countLine({ what }: QuestionDetail): string {
  const { command, diffs } = what;
  const rows = diffs.flatMap((diff) => diff.rows);
  // The server counts those of the input, which may have more than the change that it makes.
  const inRows = rows.reduce((sum, { text }) => sum + hiddenIn(text), 0);
  const inWhole = command?.hiddenCharacters ?? what.hiddenCharacters;
  const hiddenCharacters = !command && diffs.length > 0 ? inRows : inWhole;
  const hidden = hiddenCharacters === 0 ? "none hidden" : `${hiddenCharacters} hidden, marked`;
  if (command) return `Whole command, ${counted(command.characters, "character")}, ${hidden}`;
  if (diffs.length === 0) return hiddenCharacters === 0 ? "" : hidden;
  const { added, removed } = changedLines(rows);
  return `Exact change, ${counted(added, "line")} added, ${removed} removed, ${hidden}`;
}

/** A card spells hidden characters out: ⟨U+202E⟩. */
const hiddenIn = (text: string): number => text.match(/⟨U\+[0-9A-F]{4,6}⟩/g)?.length ?? 0;

export function WholeCommand({ reading }: { readonly reading: CommandReading }) {
  return (
    <pre class="cmd">
      {commandPieces(reading.text, reading.parts).map(({ text, type }, index) => {
        if (type === "asked")
          return (
            <b key={index}>
              <Visible text={text} />
            </b>
          );
        if (type === "between")
          return (
            <i key={index}>
              <Visible text={text} />
            </i>
          );
        return <Visible key={index} text={text} />;
      })}
    </pre>
  );
}

function Command({ reading, asked }: Asked & { readonly reading: CommandReading }) {
  return (
    <>
      <WholeCommand reading={reading} />
      <Parts parts={reading.parts} asked={asked} />
      {reading.doubts.length > 0 && <p class="soft">{reading.doubts.map(sentence).join(" ")}</p>}
    </>
  );
}

/** On a phone the part that asks comes first. */
export function Parts({ parts, asked }: Asked & { readonly parts: readonly CommandPart[] }) {
  const isPhone = useIsPhone();
  const last = parts.findLast(({ verdict }) => verdict === "asks");
  if (parts.length === 0) return null;
  const numbered = parts.map((part, index) => ({ part, number: index + 1 }));
  const shown = isPhone ? numbered.toSorted((one, other) => rank(one.part) - rank(other.part)) : numbered;
  return (
    <ol class="parts">
      {shown.map(({ part, number }) => (
        <Part key={number} part={part} number={number} place={part === last ? asked : undefined} />
      ))}
    </ol>
  );
}

const rank = ({ verdict }: CommandPart): number => (verdict === "allowed" ? 1 : 0);

const PART_CLASSES = { allowed: "part", asks: "part asks", denied: "part denied" } as const;

type PartProps = {
  readonly part: CommandPart;
  readonly number: number;
  readonly place: RefObject<HTMLLIElement | null> | undefined;
};

function Part({ part, number, place }: PartProps) {
  const { text, verdict, effects, rules, doubts } = part;
  const inProject = useShortPaths();
  return (
    <li class={PART_CLASSES[verdict]} {...(place && { ref: place })}>
      <span class="n">{number}</span>
      <div>
        <div class="head">
          <code>
            <Visible text={text} />
          </code>
          <Verdict verdict={verdict} />
        </div>
        {effects.length > 0 && (
          <p class="soft">
            <Visible text={inProject(effects.map(sentence).join(" "))} />
          </p>
        )}
        {verdict !== "allowed" && doubts.length > 0 && (
          <p class="soft">
            <Visible text={inProject(doubts.map(sentence).join(" "))} />
          </p>
        )}
        {verdict === "allowed" && rules.length > 0 && (
          <p class="faint xs">
            By rule{" "}
            {rules.map((rule, index) => (
              <>
                {index > 0 && ", "}
                <code>
                  <Visible text={rule} isOneLine />
                </code>
              </>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

/** The words of the intent, as a heading says them. */
const VERBS: Readonly<Record<string, string>> = {
  write: "Writes",
  read: "Reads",
  delete: "Deletes",
  list: "Lists",
  fetch: "Fetches",
  run: "Runs",
};

/** "edits /home/ann/shop/a.ts": the first word is a heading where it is one of ours. */
function Lines({
  lines,
  folder,
}: {
  readonly lines: readonly string[];
  readonly folder: string | undefined;
}) {
  return (
    <dl class="kv">
      {lines.map((line, index) => {
        const [, label, rest] =
          /^([\p{L} ]{2,24}): ([\s\S]*)$/u.exec(line) ?? /^(\p{Ll}{3,12}) (\/[\s\S]*)$/u.exec(line) ?? [];
        return (
          <>
            <dt key={index}>{label === undefined ? "" : (VERBS[label] ?? sentence(label).slice(0, -1))}</dt>
            <dd>
              <code class="anywhere">
                <Visible text={label === undefined ? line : inFolder(rest ?? "", folder)} />
              </code>
            </dd>
          </>
        );
      })}
    </dl>
  );
}

function Input({
  question,
  isOpen = false,
}: {
  readonly question: QuestionDetail;
  readonly isOpen?: boolean;
}) {
  const text = JSON.stringify(question.what.rawInput ?? {}, null, 2);
  return (
    <details open={isOpen}>
      <summary class="faint xs">The input as the agent wrote it, {counted(text.length, "character")}</summary>
      <pre class="json">
        <Visible text={text} />
      </pre>
    </details>
  );
}
