/** The blocks of a card: diffs, the last lines of output, text. Long ones open on request. */
import { useState } from "preact/hooks";
import type { CallCard, CardBlock } from "toolgate/view";
import { DiffView } from "../code/diff-view.js";
import { Terminal } from "../code/terminal.js";
import { Visible } from "../parts/visible.js";
import { counted } from "../words.js";

const TERMINAL_LINES = 8;

type BlocksProps = { readonly card: CallCard; readonly onOpen: () => void };

type CardProps = BlocksProps & {
  /** The card says in words of its own what the recorded text said at the end of the call. */
  readonly hasOwnWords?: boolean;
};

export function CardBlocks({ card, hasOwnWords = false, onOpen }: CardProps) {
  return (
    <>
      {card.blocks.map(
        (block, index) =>
          !(hasOwnWords && block.type === "text") && (
            <BlockView key={index} block={block} card={card} onOpen={onOpen} />
          ),
      )}
      {card.hiddenBlocks > 0 && <p class="faint xs">… {counted(card.hiddenBlocks, "more block")}</p>}
    </>
  );
}

type BlockProps = BlocksProps & { readonly block: CardBlock };

function BlockView({ block, card, onOpen }: BlockProps) {
  switch (block.type) {
    case "diff":
      return <DiffView diff={block} />;
    case "terminal": {
      if (block.output === "none" || block.output === "none-yet" || block.output === "elsewhere")
        return <p class="faint xs">{OUTPUTS[block.output]}</p>;
      const isLive = card.status === "running";
      const shown = block.lines.slice(-TERMINAL_LINES);
      const hidden = block.hiddenLinesAbove + block.lines.length - shown.length;
      return (
        <Terminal
          text={shown.join("\n")}
          hiddenLines={hidden}
          isCut={block.isCut}
          onOpen={onOpen}
          isLive={isLive}
        />
      );
    }
    case "text":
      return (
        <TextView
          lines={block.lines}
          hiddenLines={block.hiddenLines}
          isOpen={card.status === "failed"}
          onOpen={onOpen}
        />
      );
    case "note":
      return (
        <div class="row faint xs">
          <Visible text={block.text} />
          {block.text.startsWith("image ") && (
            <button type="button" class="btn small" onClick={onOpen}>
              Show image
            </button>
          )}
        </div>
      );
    default:
      return block satisfies never;
  }
}

const OUTPUTS = {
  none: "The command printed nothing.",
  "none-yet": "No output yet.",
  elsewhere: "The output is shown by the editor that runs it.",
} as const;

type TextProps = {
  readonly lines: readonly string[];
  readonly hiddenLines: number;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
};

/** One short line is shown, more of them open. */
function TextView({ lines, hiddenLines, isOpen, onOpen }: TextProps) {
  const [isShown, setShown] = useState(isOpen);
  const [first = ""] = lines;
  if (lines.length === 1 && hiddenLines === 0 && first.length < 200)
    return (
      <p class="say">
        <Visible text={first} />
      </p>
    );
  if (!isShown)
    return (
      <div>
        <button type="button" class="btn small" onClick={() => setShown(true)}>
          Show {counted(lines.length + hiddenLines, "line")}
        </button>
      </div>
    );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
    <pre class="term" tabIndex={0} role="group" aria-label="Text of the call">
      <Visible text={lines.join("\n")} />
      {hiddenLines > 0 && (
        <>
          {"\n"}
          <button type="button" class="term-more" onClick={onOpen}>
            … {counted(hiddenLines, "line")} below
          </button>
        </>
      )}
    </pre>
  );
}
