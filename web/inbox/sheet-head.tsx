/** The head of the answer where it is a screen of its own: what it answers, and the way back. */
import { Icon } from "../parts/icon.js";
import { MiddleCut } from "../parts/middle-cut.js";

type SheetProps = { readonly title: string; readonly onClose: () => void };

export function SheetHead({ title, onClose }: SheetProps) {
  return (
    <div class="sheet-head">
      <button type="button" class="btn small" onClick={onClose}>
        <Icon name="back" />
        Back
      </button>
      <span class="soft cut grow">
        <MiddleCut text={title} />
      </span>
    </div>
  );
}
