/**
 * Terminal output as runs of styled text. Colours and weights are kept; other complete control sequences of the cursor are
 * dropped. Everything else that hides, overwrites or links is spelled out: a command's output must not pass for ours.
 */
import { visibleText } from "toolgate/call";

export type AnsiRun = { readonly text: string; readonly className: string };

type Style = {
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  /** 30 to 37, 40 to 47. */
  readonly colour: number | undefined;
  readonly ground: number | undefined;
};

const PLAIN: Style = {
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  colour: undefined,
  ground: undefined,
};

/** A control sequence that begins with ESC [: SGR ends in m, the others move the cursor or erase. */
const CSI = new RegExp(String.raw`\u001B\[([\d;:<=>?]*)[ -/]*([@-~])`, "g");

export function ansiRuns(text: string): readonly AnsiRun[] {
  const runs: AnsiRun[] = [];
  let style = PLAIN;
  let end = 0;
  const push = (piece: string): void => {
    if (piece === "") return;
    const className = classOf(style);
    const shown = visibleText(piece.replaceAll("\r\n", "\n"), { keepNewlines: true });
    const last = runs.at(-1);
    if (last?.className === className) runs[runs.length - 1] = { className, text: last.text + shown };
    else runs.push({ className, text: shown });
  };
  for (const match of text.matchAll(CSI)) {
    push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[2] === "m" && !/[<=>?]/.test(match[1] ?? "")) style = styled(style, match[1] ?? "");
  }
  push(text.slice(end));
  return runs;
}

function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(";").map((code) => Number.parseInt(code, 10) || 0);
  let style = before;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const { skipped, near } = extended(codes, index);
      index += skipped;
      style = code === 38 ? { ...style, colour: 30 + near } : { ...style, ground: 40 + near };
    } else style = withCode(style, code);
  }
  return style;
}

/** 256 colours and RGB become the nearest of the eight. */
function extended(
  codes: readonly number[],
  index: number,
): { readonly skipped: number; readonly near: number } {
  if (codes[index + 1] === 5) return { skipped: 2, near: nearest256(codes[index + 2] ?? 7) };
  const [red = 0, green = 0, blue = 0] = codes.slice(index + 2, index + 5);
  return { skipped: 4, near: nearestRgb(red, green, blue) };
}

function nearest256(code: number): number {
  if (code < 16) return code % 8;
  if (code >= 232) return code < 244 ? 0 : 7;
  const cube = code - 16;
  // Six levels of each colour, up to 255.
  return nearestRgb(51 * Math.floor(cube / 36), 51 * (Math.floor(cube / 6) % 6), 51 * (cube % 6));
}

/** One bit for each of red, green and blue that is nearly as strong as the strongest. */
function nearestRgb(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 48) return 0;
  const bit = (value: number): number => (value > 0.6 * most ? 1 : 0);
  return bit(red) + 2 * bit(green) + 4 * bit(blue);
}

function withCode(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, colour: code };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 60 };
  if (code >= 40 && code <= 47) return { ...style, ground: code };
  if (code >= 100 && code <= 107) return { ...style, ground: code - 60 };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, isBold: true };
    case 2:
      return { ...style, isDim: true };
    case 3:
      return { ...style, isItalic: true };
    case 4:
      return { ...style, isUnderlined: true };
    case 9:
      return { ...style, isStruck: true };
    case 22:
      return { ...style, isBold: false, isDim: false };
    case 23:
      return { ...style, isItalic: false };
    case 24:
      return { ...style, isUnderlined: false };
    case 29:
      return { ...style, isStruck: false };
    case 39:
      return { ...style, colour: undefined };
    case 49:
      return { ...style, ground: undefined };
    // Among them 8, which would conceal text: it stays visible.
    default:
      return style;
  }
}

function classOf({ isBold, isDim, isItalic, isUnderlined, isStruck, colour, ground }: Style): string {
  return [
    isBold && "t-b",
    isDim && "t-d",
    isItalic && "t-i",
    isUnderlined && "t-u",
    isStruck && "t-s",
    colour !== undefined && `t-${colour}`,
    ground !== undefined && `b-${ground}`,
  ]
    .filter(Boolean)
    .join(" ");
}
