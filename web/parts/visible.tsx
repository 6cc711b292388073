/** Text that an agent wrote. Nothing in it hides: each invisible character is spelled out and marked. */
import { visibleText } from "toolgate/call";

const SPELLED = /(⟨U\+[0-9A-F]{4,6}⟩)/;

export function Visible({
  text,
  isOneLine = false,
}: {
  readonly text: string;
  readonly isOneLine?: boolean;
}) {
  const shown = visibleText(text, { keepNewlines: !isOneLine });
  if (!shown.includes("⟨U+")) return <>{shown}</>;
  return (
    <>
      {shown.split(SPELLED).map((piece, index) =>
        index % 2 === 1 ? (
          <span key={index} class="hid">
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </>
  );
}
