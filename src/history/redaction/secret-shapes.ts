/**
 * The shapes that issuers give their keys, and the names that people give their secrets.
 *
 * Invariants of every pattern: it matches to the end of a word (a run of letters, digits, `_` and `-`), so that
 * a mark in its place leaves no part of it; and it reads a character a bounded number of times,
 * so that no text takes more than linear time.
 */
import { WRAPPED_SECRETS } from "./wrapped-secrets.js";

export type SecretShape = {
  /** The name in the mark that replaces the secret. */
  readonly kind: string;
  readonly pattern: RegExp;
  /** The parts of a match that stay before and after the mark. Left out: nothing stays. Returns undefined for no secret. */
  readonly around?: (match: RegExpMatchArray) => readonly [string, string] | undefined;
};

/** A word may follow an escape that is written out: `\n`, `\u003d`, `%3D`. */
const AFTER_ESCAPE = String.raw`\\[abefnrtv]|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|%[\dA-Fa-f]{2}`;
const WORD_START = String.raw`(?<![\w-])|(?<=${AFTER_ESCAPE})`;
/** For beginnings that no honest name has inside: `backup_ghp_…`. */
const PART_START = String.raw`(?<![A-Za-z\d])|(?<=${AFTER_ESCAPE})`;

/** Looks back only from a beginning that was found: to look back everywhere takes seven times as long. */
const startingWith = (begin: string, rest: string, start = WORD_START): RegExp =>
  new RegExp(`(?:${begin})(?<=(?:${start})(?:${begin}))${rest}`, "gu");

/** A word with this beginning, followed by at least `length` characters. */
function word(kind: string, begin: string, length: number, start?: string): SecretShape {
  return { kind, pattern: startingWith(begin, String.raw`[\w-]{${length},}`, start) };
}

const KNOWN_WORDS: readonly SecretShape[] = [
  word("api key", "sk-ant-|sk-or-|sk-proj-|sk-svcacct-|sk-", 16),
  word("api key", "AIza", 30),
  word("api key", "[rs]k_(?:live|test)_|whsec_", 16),
  word("api key", "gsk_|xai-|hf_|pplx-|r8_|dop_v1_|lin_api_|tvly-", 20),
  word("token", "gh[pousr]_|github_pat_|glpat-", 16, PART_START),
  word("token", "gl(?:rt|dt|soat|ft|cbt|ptt|agent|imt)-", 16),
  word("private key", "AGE-SECRET-KEY-1", 40),
  word("token", "npm_|pypi-|dckr_pat_|figd_|shpat_|atlasv1-|sbp_", 16),
  word("token", "xox[a-z]-|xapp-", 10),
  {
    kind: "access key",
    pattern: startingWith("AKIA|ASIA|ABIA|ACCA", String.raw`[A-Z0-9]{16}(?![A-Za-z\d])`, PART_START),
  },
  { kind: "token", pattern: startingWith(String.raw`ya29\.`, String.raw`[\w-]{20,}`) },
  { kind: "api key", pattern: startingWith(String.raw`SG\.`, String.raw`[\w-]{16,}\.[\w-]{16,}`) },
  // Telegram: the number of a bot, then its key.
  { kind: "token", pattern: startingWith(String.raw`\d{8,10}:AA`, String.raw`[\w-]{33}(?![\w-])`) },
  // Two or three parts in base64url; the first is JSON, so it begins like this.
  { kind: "token", pattern: startingWith("eyJ", String.raw`[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`) },
];

const PRIVATE_KEY: SecretShape = {
  kind: "private key",
  // Without an end line the match goes as far as a key can: a key that was cut off is a secret too.
  pattern:
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\w+/=\s\\:,.-])*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/gu,
};

const URL_PASSWORD: SecretShape = {
  kind: "password",
  pattern: /(?<=:\/\/)([^\s/@:"'`]{0,256}:)(?!\[redacted )([^\s/@"'`]{1,1024})@/gu,
  around: ([, user = ""]) => [user, "@"],
};

const AUTHORIZATION: SecretShape = {
  kind: "credentials",
  pattern:
    /(?<![\w-])((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|bearer|token|digest|negotiate|apikey)\s{1,4})?)(?!\[redacted |(?:basic|bearer|token|digest|negotiate|apikey)\s)[^\s"'`,;]{4,}/giu,
  around: ([, name = ""]) => [name, ""],
};

const BEARER: SecretShape = {
  kind: "token",
  pattern: /(?<![\w-])(bearer\s{1,4})(?!\[redacted )([\w.~+/-]{16,}=*)/giu,
  // "Bearer authentication" is prose.
  around: ([, name = "", value = ""]) => (/\d/.test(value) ? [name, ""] : undefined),
};

const ELEMENT: SecretShape = {
  kind: "secret",
  pattern: /<([\w:.-]{2,64})>(?!\[redacted )[^<>\n]{1,1024}<\//gu,
  around: ([, name = ""]) => (isSecretName(name) ? [`<${name}>`, "</"] : undefined),
};

const CURL_PASSWORD: SecretShape = {
  kind: "password",
  pattern:
    /(?<![\w-])(curl\s(?:[^\n]{0,200}?\s)?(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:"']{0,128}:)(?!\[redacted )[^\s"']{1,256}/gu,
  around: ([, before = ""]) => [before, ""],
};

/** A line of .netrc. */
const LOGIN: SecretShape = {
  kind: "password",
  pattern: /(?<![\w-])(login\s{1,8}[^\s"']{1,128}\s{1,8}password\s{1,8})(?!\[redacted )[^\s"']{1,256}/gu,
  around: ([, before = ""]) => [before, ""],
};

/** The order matters: a secret with its own shape gets that name. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  PRIVATE_KEY,
  ...WRAPPED_SECRETS,
  ...KNOWN_WORDS,
  URL_PASSWORD,
  AUTHORIZATION,
  BEARER,
  ELEMENT,
  CURL_PASSWORD,
  LOGIN,
];

// Words that mark a secret anywhere in a name (PGPASSWORD, authToken), but not TOKENIZERS_PARALLELISM, and not
// the number of tokens that a model may use.
const ANYWHERE =
  /TOKEN(?!S|IZ|_?(?:COUNT|LIMIT|TYPE|URI|URL))|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?-?KEY|PRIVATE_?-?KEY|ACCESS_?-?KEY(?!_?ID)|ACCOUNT_?-?KEY/i;
// Words that mark a secret only as a whole word: PAT but not PATH, MYSQL_PWD but not PWD.
const WHOLE_WORD = /(?:^|[_.-])(?:PAT|PASS|AUTH|COOKIES?|BEARER|JWT)(?:[_.-]|$)|_PWD$|_KEYS?$/i;

export function isSecretName(name: string): boolean {
  if (name === "SSH_AUTH_SOCK") return false;
  return ANYWHERE.test(name) || WHOLE_WORD.test(name);
}
