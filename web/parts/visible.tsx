/**
 * Text that an agent wrote. Nothing in it hides: each invisible character is spelled out and marked, and words stand in
 * the order in which they are written. `isProse`: sentences, which may run from right to left as a whole.
 */
import { visibleText } from "toolgate/call";
import { withBreakPoints } from "./with-break-points.js";
import { visiblePieces } from "./visible-pieces.js";

type VisibleProps = {
  readonly text: string;
  readonly isOneLine?: boolean;
  readonly isProse?: boolean;
};

export function Visible({ text, isOneLine = false, isProse = false }: VisibleProps) {
  const pieces = visiblePieces(visibleText(text, { keepNewlines: !isOneLine }));
  return (
    <>
      {pieces.map((piece, index) => {
        if (piece.type === "spelled")
          return (
            <span key={index} class="hid">
              {withBreakPoints(piece.text)}
            </span>
          );
        const shown = withBreakPoints(piece.text);
        return piece.type === "leftward" && !isProse ? <bdi key={index}>{shown}</bdi> : shown;
      })}
    </>
  );
}
