/** QR codes of short texts, as rows of 0 and 1 and as text for a terminal. */
import { encode, renderUnicodeCompact } from "uqr";

const OPTIONS = { ecc: "M" } as const;

/** Without the quiet zone of four modules that a reader needs around it. */
export const qrCode = (text: string): string[] =>
  encode(text, { ...OPTIONS, border: 0 }).data.map((row) =>
    row.map((isDark) => (isDark ? "1" : "0")).join(""),
  );

/** Two rows of modules a line; light modules are drawn, since most terminals are dark. */
export const qrText = (text: string): string => renderUnicodeCompact(text, { ...OPTIONS, border: 2 });
