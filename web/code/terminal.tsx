/** A command's output: the last lines, with a button for those above. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Visible } from "../parts/visible.js";
import { counted } from "../words.js";
import { ansiRuns } from "./ansi-runs.js";

type TerminalProps = {
  readonly text: string;
  readonly hiddenLines?: number;
  readonly isCut?: boolean;
  readonly onOpen?: (() => void) | undefined;
  /** Stays at the end while output comes. */
  readonly isLive?: boolean;
};

export function Terminal({ text, hiddenLines = 0, isCut = false, onOpen, isLive = false }: TerminalProps) {
  const runs = useMemo(() => ansiRuns(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (isLive && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, isLive]);
  const above = [
    ...(hiddenLines > 0 ? [`${counted(hiddenLines, "line")} above`] : []),
    ...(isCut ? ["output that was not stored"] : []),
  ].join(", and ");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
    <pre class="term" ref={box} tabIndex={0} role="region" aria-label="Output of the command">
      {(hiddenLines > 0 || isCut) &&
        (onOpen ? (
          <button type="button" class="term-more" onClick={onOpen}>
            … {above}
          </button>
        ) : (
          <span class="faint">
            … {above}
            {"\n"}
          </span>
        ))}
      {(hiddenLines > 0 || isCut) && onOpen && "\n"}
      {runs.map(({ text: piece, className }, index) =>
        className === "" ? (
          <Visible key={index} text={piece} />
        ) : (
          <span key={index} class={className}>
            <Visible text={piece} />
          </span>
        ),
      )}
    </pre>
  );
}
