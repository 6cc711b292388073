/** One line, cut in the middle where there is no room for it: the ends of a command matter most. */
import { Visible } from "./visible.js";

/** So many characters at the end are always shown. */
const END = 14;

export function MiddleCut({ text }: { readonly text: string }) {
  const at = cutPlace(text);
  return (
    <span class="mid-cut">
      <span class="cut">
        <Visible text={text.slice(0, at)} isOneLine />
      </span>
      <span>
        <Visible text={text.slice(at)} isOneLine />
      </span>
    </span>
  );
}

/** Not inside of a character, and not inside of one that is spelled out: ⟨U+202E⟩. */
export function cutPlace(text: string): number {
  const place = Math.max(0, text.length - END);
  const spelled = text.slice(0, place).search(/⟨[^⟩]*$/);
  if (spelled !== -1) return spelled;
  return /^[\uDC00-\uDFFF]/.test(text.slice(place)) ? place - 1 : place;
}
