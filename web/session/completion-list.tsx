/** The choices above a prompt. The text field keeps the focus. */
import { Visible } from "../parts/visible.js";
import type { Choice } from "./prompt-completion.js";

export const COMPLETION_ID = "completion";

export const optionId = (index: number): string => `completion-${index}`;

type ListProps = {
  readonly choices: readonly Choice[];
  readonly marked: number;
  readonly onTake: (choice: Choice) => void;
};

export function CompletionList({ choices, marked, onTake }: ListProps) {
  return (
    <ul class="complete" id={COMPLETION_ID} role="listbox" aria-label="Completion">
      {choices.map((choice, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the text field takes the keys.
        <li
          key={choice.name}
          id={optionId(index)}
          role="option"
          aria-selected={index === marked}
          tabIndex={-1}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(choice)}
        >
          <code class="anywhere">
            <Visible text={choice.name} isOneLine />
          </code>
          {choice.note !== undefined && (
            <span class="faint xs">
              <Visible text={choice.note} isOneLine />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
