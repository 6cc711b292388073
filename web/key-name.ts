/** A pressed key as the tables of keys name it. */
type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** "j", "shift+y", "ctrl+enter", "escape", "?". */
export function keyName({ key, ctrlKey, metaKey, shiftKey, altKey }: Pressed): string {
  const name =
    key.length === 1
      ? key.toLowerCase()
      : key.toLowerCase().replace("esc", "escape").replace("escapeape", "escape");
  const isLetter = /^[a-z]$/.test(name) || key.length > 1;
  return [
    (ctrlKey || metaKey) && "ctrl",
    altKey && "alt",
    // "?" needs Shift on most keyboards, and is its own key.
    shiftKey && isLetter && "shift",
    name,
  ]
    .filter(Boolean)
    .join("+");
}
