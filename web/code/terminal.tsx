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

/** Nearer to the end than this counts as the end. */
const END_PX = 8;

export function Terminal({ text, hiddenLines = 0, isCut = false, onOpen, isLive = false }: TerminalProps) {
  const runs = useMemo(() => ansiRuns(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  /** Somebody who has scrolled up reads there; the last output comes when it is no longer live. */
  const isAtEnd = useRef(isLive);
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  const onScroll = ({ currentTarget: area }: { readonly currentTarget: HTMLElement }): void => {
    isAtEnd.current = area.scrollHeight - area.scrollTop - area.clientHeight < END_PX;
  };
  const above = [
    ...(hiddenLines > 0 ? [`${counted(hiddenLines, "line")} above`] : []),
    ...(isCut ? ["output that was not stored"] : []),
  ].join(", and ");
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
    <pre
      class="term"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label="Output of the command"
      onScroll={onScroll}
    >
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
