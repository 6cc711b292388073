/** Small controls that every view uses. */
import type { ComponentChildren } from "preact";
import { visibleText } from "toolgate/call";
import { Icon, type IconName } from "./icon.js";

type PickProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onPick: (value: string) => void;
  readonly isSet?: boolean;
};

/** A native select: its menu works with any keyboard, screen reader and phone. */
export function Pick({ label, value, options, onPick, isSet = false }: PickProps) {
  return (
    <span class={isSet ? "pick on" : "pick"}>
      <select aria-label={label} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {visibleText(name)}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

type NoteProps = { readonly icon: IconName; readonly tone?: string; readonly children: ComponentChildren };

export function Note({ icon, tone, children }: NoteProps) {
  return (
    <div class={tone === undefined ? "note" : `note st-${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </div>
  );
}

type EmptyProps = { readonly icon: IconName; readonly title: string; readonly children?: ComponentChildren };

export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export const Loading = ({ what }: { readonly what: string }) => (
  <div class="empty" role="status">
    <Icon name="running" turns />
    <p>Reading {what} …</p>
  </div>
);
