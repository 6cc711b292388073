/** The section "What will happen", all of it: the command with its parts, the exact change, real paths, hidden characters. */
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import { visibleText } from "toolgate/call";
import type { CommandPart, CommandReading, QuestionDetail } from "toolgate/serve/client";
import type { DiffCard } from "toolgate/view";
import { DiffView } from "../code/diff-view.js";
import { changedLines } from "../code/diff-table.js";
import { useShortPaths } from "../parts/folder.js";
import { Note } from "../parts/controls.js";
import { Verdict } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { useIsPhone } from "../use-media.js";
import { counted, grouped, inFolder, sentence } from "../words.js";
import { isPartial, type HunkChoice } from "./choice.js";
import { commandPieces, partTexts } from "./command-pieces.js";

/** `asked` gets the element of the last part that asks. */
type Asked = { readonly asked?: RefObject<HTMLLIElement | null> | undefined };

type WhatProps = Asked & {
  readonly question: QuestionDetail;
  readonly hunks?: HunkChoice | undefined;
};

export function What({ question, hunks, asked }: WhatProps) {
  const { what, folder } = question;
  const { command, diffs } = what;
  const lines = command ? [] : linesBeside(question);
  const isUnread = !command && diffs.length === 0 && lines.every((line) => line.startsWith("tool: "));
  const id = useId();
  return (
    <section class="sec" aria-labelledby={id}>
      <h2 id={id}>
        What will happen <span class="end">{countLine(question, hunks)}</span>
      </h2>
      <Warnings what={what} />
      {command && <Command reading={command} reason={question.why.reason} asked={asked} />}
      {lines.length > 0 && <Lines lines={lines} folder={folder} />}
      {hunks && what.hunks ? (
        <Hunks diffs={what.hunks} choice={hunks} />
      ) : (
        diffs.map((diff, index) => <DiffView key={index} diff={diff} />)
      )}
      {what.rawInput !== undefined && <Input question={question} isOpen={isUnread} />}
    </section>
  );
}

/** Why the call needs a closer look. */
export function Warnings({ what: { warning, mixedWords, command } }: Pick<QuestionDetail, "what">) {
  return (
    <>
      {warning !== undefined && (
        <Note icon="exit" tone="waiting">
          <b>Look closely.</b> <Visible text={sentence(warning, command?.text)} />
        </Note>
      )}
      {mixedWords.length > 0 && (
        <Note icon="exit" tone="waiting">
          <b>Look closely.</b> <Visible text={mixedWords.map((words) => sentence(words)).join(" ")} />
        </Note>
      )}
    </>
  );
}

type HunksProps = { readonly diffs: readonly DiffCard[]; readonly choice: HunkChoice };

/** The change hunk by hunk, each with a box that keeps or rejects it. */
function Hunks({ diffs, choice: { kept, count, keep } }: HunksProps) {
  return (
    <ul class="hunks" aria-label="Changes to keep">
      {diffs.map((diff, index) => (
        <li key={index} class={kept.has(index + 1) ? "" : "was rejected"}>
          <label class="opt">
            <input
              type="checkbox"
              checked={kept.has(index + 1)}
              onChange={(event) => keep(index + 1, event.currentTarget.checked)}
            />
            <span>
              Keep change {index + 1} of {count}
            </span>
            <span class="faint xs">{kept.has(index + 1) ? "" : "Rejected: the file keeps its lines"}</span>
          </label>
          <DiffView diff={diff} />
        </li>
      ))}
    </ul>
  );
}

/** The input of the call stands below, whole; other inputs that the agent sent before it are lines. */
function linesBeside({ what: { lines, rawInput, warning = "" }, why }: QuestionDetail): readonly string[] {
  const input = `input: ${visibleText(JSON.stringify(rawInput ?? null), { keepNewlines: true })}`;
  // The warning stands above, the reason below.
  return lines.filter((line) => line !== input && !warning.includes(line) && !why.reason.includes(line));
}

/** "Whole command, 101 characters, none hidden". */
function countLine({ what }: QuestionDetail, hunks: HunkChoice | undefined): string {
  const { command } = what;
  const isPart = isPartial(hunks);
  const diffs = isPart ? (what.hunks ?? []).filter((_, index) => hunks.kept.has(index + 1)) : what.diffs;
  const rows = diffs.flatMap((diff) => diff.rows);
  // The server counts those of the input, which may have more than the change that it makes.
  const inRows = rows.reduce((sum, { text }) => sum + hiddenIn(text), 0);
  const inWhole = command?.hiddenCharacters ?? what.hiddenCharacters;
  const hiddenCharacters = !command && diffs.length > 0 ? inRows : inWhole;
  const hidden = hiddenCharacters === 0 ? "none hidden" : `${hiddenCharacters} hidden, marked`;
  if (command) return `Whole command, ${counted(command.characters, "character")}, ${hidden}`;
  if (isPart && diffs.length === 0) return "No change is kept";
  if (diffs.length === 0) return hiddenCharacters === 0 ? "" : hidden;
  const { added, removed } = changedLines(rows);
  return `${isPart ? "Kept: " : "Exact change, "}${counted(added, "line")} added, ${removed} removed, ${hidden}`;
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

type CommandProps = Asked & { readonly reading: CommandReading; readonly reason: string };

function Command({ reading, reason, asked }: CommandProps) {
  // The reason stands below.
  const doubts = [...new Set(reading.doubts)].filter((doubt) => !reason.includes(doubt));
  return (
    <>
      <WholeCommand reading={reading} />
      <Parts reading={reading} asked={asked} />
      {reading.isTooLong === true && (
        <p class="soft">The command is too long to be taken apart. All of it stands above.</p>
      )}
      {doubts.length > 0 && (
        <p class="soft">
          <Visible text={doubts.map((doubt) => sentence(doubt, reading.text)).join(" ")} />
        </p>
      )}
    </>
  );
}

/** On a phone the part that asks comes first. */
export function Parts({ reading, asked }: Asked & { readonly reading: CommandReading }) {
  const { parts, leftOut, text } = reading;
  const isPhone = useIsPhone();
  const last = parts.findLast(({ verdict }) => verdict === "asks");
  if (parts.length === 0) return null;
  const written = partTexts(text, parts);
  const numbered = parts.map((part, index) => ({ part, number: index + 1 }));
  const shown = isPhone ? numbered.toSorted((one, other) => rank(one.part) - rank(other.part)) : numbered;
  return (
    <>
      <ol class="parts">
        {shown.map(({ part, number }) => (
          <Part
            key={number}
            part={part}
            number={number}
            written={written[number - 1] ?? part.text}
            names={text}
            place={part === last ? asked : undefined}
          />
        ))}
      </ol>
      {leftOut && (
        <p class="soft">
          {counted(leftOut.parts, "further part")} not listed, {grouped(leftOut.asking)} of them ask. The
          whole command stands above.
        </p>
      )}
    </>
  );
}

const rank = ({ verdict }: CommandPart): number => (verdict === "allowed" ? 1 : 0);

const PART_CLASSES = { allowed: "part", asks: "part asks", denied: "part denied" } as const;

type PartProps = {
  readonly part: CommandPart;
  readonly number: number;
  /** With its redirects. */
  readonly written: string;
  /** The command, whose programs and paths keep their letters. */
  readonly names: string;
  readonly place: RefObject<HTMLLIElement | null> | undefined;
};

function Part({ part, number, written, names, place }: PartProps) {
  const { verdict, effects, rules, doubts } = part;
  const inProject = useShortPaths();
  const said = verdict === "asks" && doubts.length === 0 ? [...effects, "no rule allows it"] : effects;
  return (
    <li class={PART_CLASSES[verdict]} {...(place && { ref: place })}>
      <span class="n">{number}</span>
      <div>
        <div class="head">
          <code>
            <Visible text={written} />
          </code>
          <Verdict verdict={verdict} />
        </div>
        {said.length > 0 && (
          <p class="soft">
            <Visible text={inProject(said.map((effect) => sentence(effect)).join(" "))} />
          </p>
        )}
        {verdict !== "allowed" && doubts.length > 0 && (
          <p class="soft">
            <Visible text={inProject(doubts.map((doubt) => sentence(doubt, names)).join(" "))} />
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

/** The words with which Toolgate begins a line, as a heading says them. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["write", "Writes"],
  ["read", "Reads"],
  ["delete", "Deletes"],
  ["list", "Lists"],
  ["fetch", "Fetches"],
  ["host", "Host"],
  ["tool", "Tool"],
  ["input", "Input"],
]);

type LinesProps = { readonly lines: readonly string[]; readonly folder: string | undefined };

/** "write: /home/ann/shop/a.ts" gets its first word as a heading; other lines are sentences. */
function Lines({ lines, folder }: LinesProps) {
  return (
    <dl class="kv">
      {lines.map((line, index) => {
        const [, word = "", rest = ""] = /^(\p{Ll}+): ([\s\S]*)$/u.exec(line) ?? [];
        const label = LABELS.get(word);
        if (label === undefined)
          return (
            <>
              <dt key={index} />
              <dd class="anywhere">
                <Visible text={sentence(line)} />
              </dd>
            </>
          );
        const host = word === "host" ? hostOf(rest) : undefined;
        return (
          <>
            <dt key={index}>{label}</dt>
            <dd>
              {host !== undefined && <b class="anywhere">{host}</b>}{" "}
              <code class="anywhere">
                <Visible text={inFolder(rest, folder)} />
              </code>
            </dd>
          </>
        );
      })}
    </dl>
  );
}

/** The host to which an address leads, which is not always the first name in it: "https://good.example@evil.example". */
function hostOf(address: string): string | undefined {
  try {
    return new URL(address.split(" ")[0] ?? "").host;
  } catch {
    return undefined;
  }
}

type InputProps = { readonly question: QuestionDetail; readonly isOpen: boolean };

function Input({ question, isOpen }: InputProps) {
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
