/** The exact rule that a wide answer stores, in words and as it is stored; a person may write another one. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { GrantWidth } from "toolgate/serve/client";
import { Note } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import type { Choice } from "./choice.js";
import { rulesText, writtenRules } from "./written-rules.js";

/** `rule` gets the element that ends with the rule. */
type RuleEnd = { readonly rule?: RefObject<HTMLDivElement | null> | undefined };

type TextProps = RuleEnd & { readonly width: GrantWidth; readonly where: string };

export function RuleText({ width, where, rule }: TextProps) {
  return (
    <div class="stack">
      <div {...(rule && { ref: rule })}>
        <pre class="rule" aria-label="The exact rule">
          <Visible text={[...width.ruleNames, where].join("\n")} />
        </pre>
      </div>
      <details>
        <summary class="faint xs">As it is stored</summary>
        <pre class="json">
          <Visible text={width.ruleTexts.join("\n")} />
        </pre>
      </details>
    </div>
  );
}

type RuleProps = TextProps & {
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
};

/** The rule as it will be stored stands in sight of every wide yes. */
export function ExactRule({ width, where, rule, choice, onChoose }: RuleProps) {
  const { ownRules } = choice;
  if (ownRules !== undefined)
    return (
      <OwnRules
        text={ownRules}
        where={where}
        rule={rule}
        onChange={(text) => onChoose({ ...choice, ownRules: text })}
      />
    );
  return (
    <>
      <RuleText width={width} where={where} rule={rule} />
      <div>
        <button
          type="button"
          class="btn small"
          onClick={() => onChoose({ ...choice, ownRules: rulesText(width.rules) })}
        >
          <Icon name="edit" /> Edit rule
        </button>
      </div>
    </>
  );
}

type OwnProps = RuleEnd & {
  readonly text: string;
  readonly where: string;
  readonly onChange: (text: string | undefined) => void;
};

function OwnRules({ text, where, rule, onChange }: OwnProps) {
  const read = writtenRules(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="stack">
      <div {...(rule && { ref: rule })}>
        <label class="stack">
          <span class="med">The rule, as you want it stored</span>
          <textarea
            ref={field}
            class="text code"
            rows={Math.min(14, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
      </div>
      {read.isValid ? (
        <Note icon="rule">This call is allowed now. Your rule holds {where}.</Note>
      ) : (
        <Note icon="failed" tone="failed">
          {read.why}
        </Note>
      )}
      <div>
        <button type="button" class="btn small" onClick={() => onChange(undefined)}>
          Back to the offered rule
        </button>
      </div>
    </div>
  );
}
