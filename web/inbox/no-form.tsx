/** No, with a reason that the agent reads, and whether it is for ever. */
import { useEffect, useRef } from "preact/hooks";
import type { GrantWidth } from "toolgate/serve/client";
import { Note } from "../parts/controls.js";
import { RuleText } from "./exact-rule.js";
import { WidthLines } from "./reach-choice.js";

/** `width`: of a rule that refuses it from now on. */
export type NoChoice = { readonly reason: string; readonly width: string | undefined };

type FormProps = { readonly choice: NoChoice; readonly onChange: (choice: NoChoice) => void };

export function ReasonForm({ choice, onChange, agent }: FormProps & { readonly agent: string | undefined }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <label class="stack">
        <span class="med">Why not ({agent ?? "the agent"} reads this)</span>
        <textarea
          ref={field}
          class="text"
          value={choice.reason}
          maxLength={10_000}
          onInput={(event) => onChange({ ...choice, reason: event.currentTarget.value })}
        />
      </label>
      <Note icon="refused">Nothing is run. The turn goes on: the agent may try another way.</Note>
    </>
  );
}

export function NeverChoice({
  widths,
  choice,
  onChange,
}: FormProps & { readonly widths: readonly GrantWidth[] }) {
  if (widths.length === 0) return null;
  const chosen = widths.find(({ width }) => width === choice.width);
  return (
    <div role="radiogroup" aria-label="How long the no holds">
      <label class="opt">
        <input
          type="radio"
          name="never"
          checked={choice.width === undefined}
          onChange={() => onChange({ ...choice, width: undefined })}
        />
        <span class="med">Only this time</span>
      </label>
      {widths.map(({ width, lines }) => (
        <label key={width} class="opt">
          <input
            type="radio"
            name="never"
            checked={choice.width === width}
            onChange={() => onChange({ ...choice, width })}
          />
          <WidthLines lines={lines} before="Never: " />
        </label>
      ))}
      {chosen && <RuleText width={chosen} where="in this project, without end" />}
    </div>
  );
}
