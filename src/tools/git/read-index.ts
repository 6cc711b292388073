/**
 * The submodules that a git index lists: the paths of its links to other repositories. git looks into those
 * that are there, also without a `.gitmodules`.
 */
const LINK = 0o160000;
const FOLDER = 0o040000;
const MODE_AT = 24;

/** Undefined when the index has a form that is not read here; then it may list any. */
export function submodulesIn(bytes: Uint8Array): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || latin(bytes, 0, 4) !== "DIRC") return undefined;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  // Names of objects are 20 or 32 bytes long; nothing in the index says which, so what fits is taken.
  for (const nameSize of [20, 32]) {
    const paths = entries(view, bytes, { version, nameSize });
    if (paths) return paths;
  }
  return undefined;
}

type Form = { readonly version: number; readonly nameSize: number };

function entries(
  view: DataView,
  bytes: Uint8Array,
  { version, nameSize }: Form,
): readonly string[] | undefined {
  const found: string[] = [];
  let [at, before] = [12, ""];
  for (let count = view.getUint32(8); count > 0; count -= 1) {
    const fixed = MODE_AT + 16 + nameSize;
    if (at + fixed + 2 > bytes.length) return undefined;
    const mode = view.getUint32(at + MODE_AT);
    if (!isMode(mode)) return undefined;
    const isLonger = version >= 3 && (view.getUint16(at + fixed) & 0x4000) !== 0;
    let start = at + fixed + (isLonger ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const [dropped, next] = variableNumber(bytes, start);
      kept = before.length - dropped;
      start = next;
      if (kept < 0) return undefined;
    }
    const end = bytes.indexOf(0, start);
    if (end < 0) return undefined;
    // Byte for byte, as the lengths count them; made a text only where it is needed.
    before = before.slice(0, kept) + latin(bytes, start, end);
    if (mode === FOLDER) return undefined;
    if (mode === LINK) found.push(Buffer.from(before, "latin1").toString("utf8"));
    at = version === 4 ? end + 1 : at + ((start - at + (end - start) + 8) & ~7);
  }
  return hasOwnEntriesOnly(view, bytes, at, nameSize) ? found : undefined;
}

const isMode = (mode: number): boolean =>
  [0o100644, 0o100755, 0o100664, 0o120000, LINK, FOLDER].includes(mode);

const latin = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");

function variableNumber(bytes: Uint8Array, start: number): readonly [number, number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return [value, at];
}

/** What follows the entries must be extensions up to the checksum, and none of them a second list of entries. */
function hasOwnEntriesOnly(view: DataView, bytes: Uint8Array, start: number, nameSize: number): boolean {
  let at = start;
  while (at + 8 <= bytes.length - nameSize) {
    if (latin(bytes, at, at + 4) === "link") return false;
    at += 8 + view.getUint32(at + 4);
  }
  return at === bytes.length - nameSize;
}
