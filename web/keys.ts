/**
 * Keys. Views add tables of keys while they are shown; the newest table that knows a key takes it. Keys rest in fields,
 * except those with Ctrl and Escape, and while a dialog is open.
 */
import { useEffect, useRef } from "preact/hooks";
import { keyName } from "./key-name.js";

export type KeyTable = Readonly<Record<string, (event: KeyboardEvent) => void>>;

export function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:textarea|select)$/i.test(target.tagName) || isTextInput(target))
  );
}

const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit|file)$/.test(target.type);

const tables: { current: { readonly table: KeyTable; readonly isActive: () => boolean } }[] = [];
/** Keys that go on while they are held down. A held key must not answer one question after the other. */
const REPEATED: ReadonlySet<string> = new Set(["j", "k"]);
/** The first key of "G then I", and when it counts no longer. */
let prefix: { readonly key: string; readonly until: number } | undefined;
const PREFIX_MS = 1_500;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  // A dialog has the keys: a letter that is pressed in it must not answer the question below it.
  if (document.querySelector("dialog[open]")) return;
  const name = keyName(event);
  if (event.repeat && !REPEATED.has(name)) return holdButton(event);
  if (isInField(event.target) && !name.startsWith("ctrl+") && name !== "escape") return;
  const isSecond = prefix !== undefined && prefix.until > Date.now();
  const wanted = isSecond && prefix ? `${prefix.key} ${name}` : name;
  prefix = undefined;
  for (const { current } of tables.toReversed()) {
    const take = Object.hasOwn(current.table, wanted) ? current.table[wanted] : undefined;
    if (!take || !current.isActive()) continue;
    event.preventDefault();
    take(event);
    return;
  }
  if (name === "g") prefix = { key: "g", until: Date.now() + PREFIX_MS };
}

/** A browser presses a button again and again while Enter is held on it. */
function holdButton(event: KeyboardEvent): void {
  if (event.target instanceof HTMLButtonElement) event.preventDefault();
}

export function startKeys(): void {
  addEventListener("keydown", onKey);
}

const always = (): boolean => true;

/** `isActive`: whether the table counts at the moment, for views that are shown several times. */
export function useKeys(table: KeyTable, isActive: () => boolean = always): void {
  const entry = useRef({ table, isActive });
  entry.current = { table, isActive };
  useEffect(() => {
    tables.push(entry);
    return () => void tables.splice(tables.indexOf(entry), 1);
  }, []);
}
