/**
 * Values that are secret by their name: `NAME=value`, `"name": "value"`, `name: value`, `--name value`.
 *
 * Names are found first, and a value is read only after a secret's name, each at most once: so a harmless
 * value cannot hide a secret after it, and the time is linear.
 */
import { isSecretName } from "./secret-shapes.js";

/** `%3D` and `\u003d` are `=`, written for an address or for JSON. A quote may have the prefix of a Python string. */
const NAME =
  /(?<![\w.-])([\w.-]{2,64})(\\{0,7}["'`]?\s{0,4}(?::=|=>|[:=](?!=)|%3[ADad]|\\u003[Dd])\s{0,4}|\s(?<=(?<![\w.-])--[\w.-]{1,62}\s))(?:[bfru]{1,2}(?=["']))?(\\{0,7}["'`])?/giu;
const MARK = /^\[redacted [a-z ]+\]$/;
const BARE = /(?:\[redacted [a-z ]{1,20}\]|[^\s"'`\\,;)}\]&<>|])+/uy;
/** In a value that is part of an address, `%26` and `%3B` separate as `&` and `;` do. */
const ENCODED = /(?:\[redacted [a-z ]{1,20}\]|(?!%(?:0[AD]|2[0236]|3B))[^\s"'`\\,;)}\]&<>|])+/iuy;
/** The header of a request has all cookies in one line. */
const COOKIES = /[^\n\r"'`\\]+/uy;
/** The rest of a quoted text. Only the same quote with as many backslashes ends it. */
const QUOTED: ReadonlyMap<string, RegExp> = new Map(
  ['"', "'", "`"].flatMap((quote) =>
    Array.from({ length: 8 }, (_, depth) => [
      "\\".repeat(depth) + quote,
      depth === 0
        ? new RegExp(String.raw`(?:\\[^\n]|[^\n\\${quote}])+`, "uy")
        : new RegExp(String.raw`(?:(?!(?<!\\)\\{${depth}}${quote})[^\n])+`, "uy"),
    ]),
  ),
);

export function redactAssigned(text: string): string {
  let redacted = "";
  let done = 0;
  NAME.lastIndex = 0;
  for (let found = NAME.exec(text); found; found = NAME.exec(text)) {
    const [all, name = "", equals = "", quote] = found;
    if (!isSecretName(name.replace(/^-+/, ""))) continue;
    const start = found.index + all.length;
    const value = readValue(text, start, { name, equals, quote });
    const end = start + value.length;
    if (value === "" || MARK.test(value)) continue;
    redacted += `${text.slice(done, start)}[redacted secret]`;
    done = end;
    NAME.lastIndex = end;
  }
  return redacted + text.slice(done);
}

type Assigned = { readonly name: string; readonly equals: string; readonly quote: string | undefined };

/** Empty when this is not a secret. */
function readValue(text: string, start: number, { name, equals, quote }: Assigned): string {
  const quoted = quote === undefined ? undefined : QUOTED.get(quote);
  if (quoted) return read(quoted, text, start);
  // An arrow function, unless a text follows.
  if (equals.includes("=>")) return "";
  const value = read(/%3/.test(equals) ? ENCODED : BARE, text, start);
  const end = start + value.length;
  if (isCode(name, equals, value, text.slice(end, end + 2))) return "";
  return /^cookie$/i.test(name) && equals.includes(":") ? read(COOKIES, text, start) : value;
}

function read(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const CODE_WORDS =
  /^(?:string|number|boolean|bool|str|int|any|unknown|never|undefined|null|none|nil|true|false|required|optional|await|async|new|class|typeof|function|yield|void|import|require|lambda)$/i;

/**
 * Source code that mentions a password contains none: a type, a variable, a call. A line of an environment
 * (NAME=value) never counts as code.
 */
function isCode(name: string, equals: string, value: string, next: string): boolean {
  if (CODE_WORDS.test(value)) return true;
  if (equals === "=" && name === name.toUpperCase()) return false;
  // The word after an option's name may be the next option.
  if (!/[:=]/.test(equals)) return value.startsWith("-");
  if (/^[$%{[(]/.test(value) || /^\d{1,5}$/.test(value)) return true;
  if (/^[A-Za-z_$][\w$.?!]*[([]/.test(value)) return true;
  if (!/^[A-Za-z_$][\w$]*(?:[.?!]+[A-Za-z_$][\w$]*)*$/.test(value) || /\d/.test(value)) return false;
  // One name, or names joined by dots, followed by a character that only source code has there.
  return value.includes(".") || /^ ?[;,)|}=]/.test(next);
}
