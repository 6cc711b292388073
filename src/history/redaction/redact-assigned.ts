/**
 * Values that are secret by their name: `NAME=value`, `"name": "value"`, `name: value`, `--name value`.
 *
 * Names are found first, and a value is read only after a secret's name, each at most once: so a harmless
 * value cannot hide a secret after it, and the time is linear.
 */
import { isSecretName } from "./secret-shapes.js";

const NAME =
  /(?<![\w.-])([\w.-]{2,64})(\\?["'`]?\s{0,4}(?::=|[:=](?!=))\s{0,4}|\s(?<=(?<![\w.-])--[\w.-]{1,62}\s))(\\?["'`])?/gu;
const MARK = /^\[redacted [a-z ]+\]$/;
const QUOTED = /(?:(?!\\?["'`])[^\n])+/uy;
const BARE = /(?:\[redacted [a-z ]{1,20}\]|[^\s"'`\\,;)}\]&<>|])+/uy;

export function redactAssigned(text: string): string {
  let redacted = "";
  let done = 0;
  NAME.lastIndex = 0;
  for (let found = NAME.exec(text); found; found = NAME.exec(text)) {
    const [all, name = "", equals = "", quote] = found;
    if (!isSecretName(name.replace(/^-+/, ""))) continue;
    const start = found.index + all.length;
    const value = read(quote === undefined ? BARE : QUOTED, text, start);
    const end = start + value.length;
    if (value === "" || MARK.test(value)) continue;
    if (quote === undefined && isCode(name, equals, value, text.slice(end, end + 2))) continue;
    redacted += `${text.slice(done, start)}[redacted secret]`;
    done = end;
    NAME.lastIndex = end;
  }
  return redacted + text.slice(done);
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
