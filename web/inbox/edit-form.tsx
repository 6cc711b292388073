/** The call's input in fields. */
import { useEffect, useRef } from "preact/hooks";
import { Note } from "../parts/controls.js";
import { editedInput, editFields, type EditField } from "./edit-input.js";

type EditFormProps = {
  readonly fields: readonly EditField[];
  readonly onChange: (fields: readonly EditField[]) => void;
  readonly input: unknown;
};

export function EditForm({ fields, onChange, input }: EditFormProps) {
  const edited = editedInput(input, fields);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const set = (at: number, text: string): void =>
    onChange(fields.map((field, index) => (index === at ? { ...field, text } : field)));
  return (
    <>
      {fields.map(({ name, text }, index) => (
        <label key={name} class="stack">
          <span class="med">{name === "" ? "Input, as JSON" : name}</span>
          <textarea
            ref={index === 0 ? first : null}
            class="text code"
            rows={Math.min(16, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={(event) => set(index, event.currentTarget.value)}
          />
        </label>
      ))}
      {!(edited.isValid && !edited.isChanged) && (
        <div>
          <button type="button" class="btn small" onClick={() => onChange(editFields(input))}>
            Back to the agent’s input
          </button>
        </div>
      )}
      {edited.isValid ? (
        <Note icon="edit">
          Your input is checked like a new one: it may ask again. The agent's own input is recorded beside
          yours.
        </Note>
      ) : (
        <Note icon="failed" tone="failed">
          {edited.why}
        </Note>
      )}
    </>
  );
}
