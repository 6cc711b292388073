/** One file's change as a table: unified or split, word marks, line numbers. */
import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import type { DiffCard } from "toolgate/view";
import { useShortPaths } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { colouredPieces, languageOf, linesByNumber, sideText, type DiffSide } from "./diff-colours.js";
import { highlight, type ColouredLine } from "./highlight.js";
import {
  changedLines,
  splitRows,
  unifiedRows,
  type DiffLine,
  type SplitRow,
  type UnifiedRow,
} from "./diff-table.js";

type LineColours = Readonly<Record<DiffSide, ReadonlyMap<number, ColouredLine>>>;
const NO_COLOURS: LineColours = { old: new Map(), new: new Map() };
const Colours = createContext<LineColours>(NO_COLOURS);

/** The text is there at once; its colours come from the worker. */
function useColours({ rows, heading }: DiffCard): LineColours {
  const [colours, setColours] = useState(NO_COLOURS);
  useEffect(() => {
    let isCurrent = true;
    const language = languageOf(heading);
    const linesOf = async (side: DiffSide) =>
      linesByNumber(rows, side, (await highlight(sideText(rows, side), language)) ?? []);
    setColours(NO_COLOURS);
    void Promise.all([linesOf("old"), linesOf("new")]).then(
      ([old, now]) => isCurrent && setColours({ old, new: now }),
    );
    return () => void (isCurrent = false);
  }, [rows, heading]);
  return colours;
}

type DiffViewProps = {
  readonly diff: DiffCard;
  readonly children?: ComponentChildren;
  /** Without the choice of a view, for small cards. */
  readonly isPlain?: boolean;
};

export function DiffView({ diff, children, isPlain = false }: DiffViewProps) {
  const [isSplit, setSplit] = useState(false);
  const heading = useShortPaths()(diff.heading);
  const { added, removed } = useMemo(() => changedLines(diff.rows), [diff]);
  const colours = useColours(diff);
  return (
    <div class="diff">
      <div class="file">
        <Icon name="file" />
        <code class="grow">
          <Visible text={heading} isOneLine />
        </code>
        <span class="xs plus">+{added}</span>
        <span class="xs minus">−{removed}</span>
        {!isPlain && diff.rows.length > 0 && (
          <span class="seg tiny no-phone" role="group" aria-label="Layout of the change">
            <button type="button" aria-pressed={!isSplit} onClick={() => setSplit(false)}>
              Unified
            </button>
            <button type="button" aria-pressed={isSplit} onClick={() => setSplit(true)}>
              Split
            </button>
          </span>
        )}
        {children}
      </div>
      <Colours.Provider value={colours}>
        {diff.rows.length > 0 && (isSplit ? <SplitTable diff={diff} /> : <UnifiedTable diff={diff} />)}
      </Colours.Provider>
    </div>
  );
}

function UnifiedTable({ diff }: { readonly diff: DiffCard }) {
  const rows = useMemo(() => unifiedRows(diff.rows), [diff]);
  return (
    <table aria-label="Changed lines">
      <colgroup>
        <col class="ln" />
        <col class="ln" />
        <col class="sg" />
        <col />
      </colgroup>
      <tbody>
        {rows.map((row, index) => (
          <UnifiedLine key={index} row={row} />
        ))}
      </tbody>
    </table>
  );
}

const CLASSES = { same: "c", removed: "d", added: "a", patch: "c" } as const;
const SIGNS = { same: " ", removed: "−", added: "+", patch: " " } as const;
const SCREEN_READER_WORDS = { same: "", removed: "removed", added: "added", patch: "" } as const;

const toneOf = ({ type, isUndone }: DiffLine): string => `${CLASSES[type]}${isUndone ? " put-back" : ""}`;

function UnifiedLine({ row }: { readonly row: UnifiedRow }) {
  if (row.type === "note")
    return (
      <tr class="fold">
        <td colSpan={4}>{row.text.replace(/^… | …$/g, "")}</td>
      </tr>
    );
  return (
    <tr class={toneOf(row)}>
      <td class="ln">{row.oldLine}</td>
      <td class="ln">{row.newLine}</td>
      <td class="sg">
        <span aria-hidden="true">{SIGNS[row.type]}</span>
        <span class="sr">
          {row.isUndone ? "put back: " : ""}
          {SCREEN_READER_WORDS[row.type]}
        </span>
      </td>
      <td class="tx">
        <Pieces line={row} />
      </td>
    </tr>
  );
}

function Pieces({ line }: { readonly line: DiffLine }) {
  const colours = useContext(Colours);
  const { oldLine, newLine, pieces } = line;
  const coloured = newLine === undefined ? colours.old.get(oldLine ?? 0) : colours.new.get(newLine);
  return (
    <>
      {colouredPieces(pieces, coloured).map(({ text, isMarked, className }, index) =>
        isMarked ? (
          <mark key={index}>
            <Visible text={text} />
          </mark>
        ) : className === "" ? (
          <Visible key={index} text={text} />
        ) : (
          <span key={index} class={className}>
            <Visible text={text} />
          </span>
        ),
      )}
    </>
  );
}

function SplitTable({ diff }: { readonly diff: DiffCard }) {
  const rows = useMemo(() => splitRows(diff.rows), [diff]);
  return (
    <table class="split" aria-label="Changed lines, before and after">
      <colgroup>
        <col class="ln" />
        <col />
        <col class="ln" />
        <col />
      </colgroup>
      <tbody>
        {rows.map((row, index) => (
          <SplitLine key={index} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function SplitLine({ row }: { readonly row: SplitRow }) {
  if (row.type === "note")
    return (
      <tr class="fold">
        <td colSpan={4}>{row.text.replace(/^… | …$/g, "")}</td>
      </tr>
    );
  return (
    <tr>
      <Side line={row.left} number={row.left?.oldLine} />
      <Side line={row.right} number={row.right?.newLine} />
    </tr>
  );
}

function Side({
  line,
  number,
}: {
  readonly line: DiffLine | undefined;
  readonly number: number | undefined;
}) {
  const tone = line ? toneOf(line) : "none";
  return (
    <>
      <td class={`ln mid ${tone}`}>{number}</td>
      <td class={`tx ${tone}`}>{line && <Pieces line={line} />}</td>
    </>
  );
}
