/** Why a file cannot be read as text, and which command helps. */
import { ToolFailure } from "../tool.js";
import { textOfBytes } from "./text-of-bytes.js";

export function mustBeText(
  path: string,
  bytes: Uint8Array,
  options: { readonly mayEndEarly?: boolean } = {},
): string {
  const decoded = textOfBytes(bytes, options);
  if ("text" in decoded) return decoded.text;
  throw new ToolFailure(`read_file: ${path} ${WORDS[decoded.problem]}`);
}

const WORDS = {
  nul: 'is not text: it has NUL bytes. Nothing was read. A command such as "file" says what it is, and "xxd" shows its bytes.',
  "utf-16":
    'is text in UTF-16, not in UTF-8. Nothing was read. Convert it with a command such as "iconv -f utf-16 -t utf-8".',
  "not-utf-8":
    'is not text in UTF-8. Nothing was read. If it is in another encoding, convert it with a command such as "iconv -f latin1 -t utf-8"; "file" says what it is.',
} as const;
