/**
 * How secrets look: the shapes that issuers give their keys, and the names that people give theirs.
 *
 * What must stay true of every pattern: it takes whole words only (a run of letters, digits, `_` and `-`),
 * so that putting a mark in their place makes nothing else begin or end a word; and it looks at a character
 * of the text a fixed number of times at most, so that no text, however made, takes more than linear time.
 */
export type SecretShape = {
  /** Named in the mark that takes its place. */
  readonly kind: string;
  readonly pattern: RegExp;
  /** The part of a match that stays, before and after the mark. Without it, nothing stays; undefined: no secret. */
  readonly around?: (match: RegExpMatchArray) => readonly [string, string] | undefined;
};

/** A word that begins so, and goes on for at least `length` characters. */
function word(kind: string, begin: string, length: number): SecretShape {
  return { kind, pattern: new RegExp(`(?<![\\w-])(?:${begin})[\\w-]{${length},}`, "gu") };
}

const KNOWN_WORDS: readonly SecretShape[] = [
  word("api key", "sk-ant-|sk-or-|sk-proj-|sk-svcacct-|sk-", 16),
  word("api key", "AIza", 30),
  word("api key", "[rs]k_(?:live|test)_|whsec_", 16),
  word("api key", "gsk_|xai-|hf_|pplx-|r8_|dop_v1_|lin_api_|tvly-", 20),
  word("token", "gh[pousr]_|github_pat_|gl(?:pat|rt|dt|soat|ft|cbt|ptt|agent|imt)-", 16),
  word("token", "npm_|pypi-|dckr_pat_|figd_|shpat_|atlasv1-|sbp_", 16),
  word("token", "xox[a-z]-|xapp-", 10),
  { kind: "access key", pattern: /(?<![\w-])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![\w-])/gu },
  { kind: "token", pattern: /(?<![\w-])ya29\.[\w-]{20,}/gu },
  { kind: "api key", pattern: /(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}/gu },
  // Two or three parts in base64url; the first is JSON, so it begins like this.
  { kind: "token", pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/gu },
];

const PRIVATE_KEY: SecretShape = {
  kind: "private key",
  // Without an end it goes as far as it can be part of one: what is cut off is secret all the same.
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

/** In this order: what has a shape of its own is named for it. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  PRIVATE_KEY,
  ...KNOWN_WORDS,
  URL_PASSWORD,
  AUTHORIZATION,
  BEARER,
];

// Words that give a secret away wherever they stand (PGPASSWORD, authToken), but not TOKENIZERS_PARALLELISM,
// and not how many tokens a model may use.
const ANYWHERE =
  /TOKEN(?!S|IZ|_?(?:COUNT|LIMIT|TYPE|URI|URL))|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?-?KEY|PRIVATE_?-?KEY|ACCESS_?-?KEY(?!_?ID)/i;
// Words that do so only as a whole one: PAT but not PATH, MYSQL_PWD but not PWD.
const WHOLE_WORD = /(?:^|[_.-])(?:PAT|PASS|AUTH|COOKIES?|BEARER|JWT)(?:[_.-]|$)|_PWD$|_KEYS?$/i;

export function isSecretName(name: string): boolean {
  if (name === "SSH_AUTH_SOCK") return false;
  return ANYWHERE.test(name) || WHOLE_WORD.test(name);
}
