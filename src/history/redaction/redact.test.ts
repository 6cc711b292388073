import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, redactJson } from "./redact.js";
import { StreamRedactor } from "./stream-redactor.js";
import { redactionPattern } from "./redaction-pattern.js";

// Put together here, so that no scanner takes this file for a leak.
const long = (length: number) => "a1B2c3D4e5F6g7H8".repeat(8).slice(0, length);
const SECRETS: readonly (readonly [string, string, string])[] = [
  ["an Anthropic key", `sk-ant-api03-${long(80)}`, "api key"],
  ["an OpenAI key", `sk-proj-${long(40)}`, "api key"],
  ["an old OpenAI key", `sk-${long(48)}`, "api key"],
  ["a Google key", `AIza${long(35)}`, "api key"],
  ["a Stripe key", `sk_live_${long(24)}`, "api key"],
  ["a SendGrid key", `SG.${long(22)}.${long(43)}`, "api key"],
  ["a GitHub token", `ghp_${long(36)}`, "token"],
  ["a fine-grained GitHub token", `github_pat_${long(22)}_${long(59)}`, "token"],
  ["a GitLab token", `glpat-${long(20)}`, "token"],
  ["a Slack token", `xoxb-1234567890-${long(24)}`, "token"],
  ["an npm token", `npm_${long(36)}`, "token"],
  ["an AWS key id", `AKIA${"ABCD2345".repeat(2)}`, "access key"],
  ["a temporary AWS key id", `ASIA${"ABCD2345".repeat(2)}`, "access key"],
  ["a Telegram bot's token", `123456789:AA${long(33)}`, "token"],
  ["a JSON web token", `eyJ${long(20)}.eyJ${long(40)}.${long(43)}`, "token"],
];

describe("redacts by a secret's shape, whatever the text around it is:", () => {
  test.each(SECRETS)("%s", (_what, secret, kind) => {
    expect(redact(secret)).toBe(`[redacted ${kind}]`);
    expect(redact(`see "${secret}", and (${secret})`)).toBe(
      `see "[redacted ${kind}]", and ([redacted ${kind}])`,
    );
    expect(redact(`x\n${secret}\ny`)).toBe(`x\n[redacted ${kind}]\ny`);
    expect(redact(`https://example.org/a?q=${secret}&b=1`)).not.toContain(secret.slice(8));
  });

  test("a private key, whole, cut off, or in a JSON text", () => {
    const body = `${long(64)}\n${long(64)}\n`;
    const key = (name: string) => `-----BEGIN ${name}-----\n${body}-----END ${name}-----`;
    expect(redact(`a\n${key("PRIVATE KEY")}\nb`)).toBe("a\n[redacted private key]\nb");
    expect(redact(key("RSA PRIVATE KEY"))).toBe("[redacted private key]");
    expect(redact(key("OPENSSH PRIVATE KEY").slice(0, 90))).toBe("[redacted private key]");
    expect(redact(JSON.stringify({ key: key("EC PRIVATE KEY") }))).toBe(`{"key":"[redacted private key]"}`);
    expect(redact(key("PUBLIC KEY"))).toBe(key("PUBLIC KEY"));
  });

  test.each([
    ["postgres://ann:hunter2@db.example/x", "postgres://ann:[redacted password]@db.example/x"],
    ["https://:hunter2@example.org", "https://:[redacted password]@example.org"],
    ["http://example.org:8080/a@b", "http://example.org:8080/a@b"],
    ["Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted credentials]"],
    [
      "curl -H 'authorization: Basic YW5uOmh1bnRlcjI='",
      "curl -H 'authorization: Basic [redacted credentials]'",
    ],
    ["sent Bearer abcdefgh12345678", "sent Bearer [redacted token]"],
    ["use Bearer authentication-please", "use Bearer authentication-please"],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

test("finds a secret behind a written escape, and inside of a name", () => {
  const token = `ghp_${long(36)}`;
  for (const before of [
    String.raw`a\n`,
    String.raw`a\t`,
    String.raw`\u003d`,
    String.raw`\x3d`,
    "token%3D",
    "x_",
    "x-",
  ])
    expect(redact(`"${before}${token}"`), before).not.toContain(long(36));
  for (const before of [String.raw`a\n`, "key%3D"])
    expect(redact(`"${before}sk-ant-api03-${long(80)}"`), before).not.toContain(long(36));
  expect(redact(`backup_${token}.txt`)).toBe("backup_[redacted token].txt");
});

describe("redacts by a secret's name:", () => {
  test.each([
    ["API_KEY=abc", "API_KEY=[redacted secret]"],
    ["export DB_PASSWORD='correct horse battery'", "export DB_PASSWORD='[redacted secret]'"],
    ["MYSQL_PWD=x\nPWD=/home/ann\nPATH=/bin", "MYSQL_PWD=[redacted secret]\nPWD=/home/ann\nPATH=/bin"],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [redacted secret]"],
    ["password: hunter2", "password: [redacted secret]"],
    ["password=correcthorse", "password=[redacted secret]"],
    [`{"clientSecret": "abc", "name": "x"}`, `{"clientSecret": "[redacted secret]", "name": "x"}`],
    [String.raw`"{\"token\":\"abc def\"}"`, String.raw`"{\"token\":\"[redacted secret]\"}"`],
    [
      "curl 'https://e.org/?access_token=abc&x=1'",
      "curl 'https://e.org/?access_token=[redacted secret]&x=1'",
    ],
    ["login --password hunter2 --user ann", "login --password [redacted secret] --user ann"],
    ["PIN_TOKEN=1234", "PIN_TOKEN=[redacted secret]"],
    ["aws_secret_access_key = /AbC+123/x", "aws_secret_access_key = [redacted secret]"],
    ["SESSION_COOKIE=abc; Path=/", "SESSION_COOKIE=[redacted secret]; Path=/"],
    [`password="it's hunter2", "x"`, `password="[redacted secret]", "x"`],
    [String.raw`password="a\"hunter2" x`, `password="[redacted secret]" x`],
    [
      JSON.stringify(JSON.stringify(JSON.stringify({ password: `hun"ter2` }))),
      JSON.stringify(JSON.stringify(JSON.stringify({ password: "[redacted secret]" }))),
    ],
    [
      `{'password': b'hunter2', "token": r"abc"}`,
      `{'password': b'[redacted secret]', "token": r"[redacted secret]"}`,
    ],
    [`'password' => 'hunter2',`, `'password' => '[redacted secret]',`],
    [
      "<server><password>hunter2</password></server>",
      "<server><password>[redacted secret]</password></server>",
    ],
    ["next=%3Faccess_token%3Dabc%26x%3D1", "next=%3Faccess_token%3D[redacted secret]%26x%3D1"],
    [String.raw`"?access_token\u003dabc\u0026x"`, String.raw`"?access_token\u003d[redacted secret]\u0026x"`],
    ["Cookie: a=b; sid=abc123; c=d\nHost: x", "Cookie: [redacted secret]\nHost: x"],
    ["AccountName=a;AccountKey=abc/+1==;x=y", "AccountName=a;AccountKey=[redacted secret];x=y"],
    ["curl -sS -u ann:hunter2 https://e.org", "curl -sS -u ann:[redacted password] https://e.org"],
  ])("%s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test.each([
    "const password = input.password;",
    "function login(password: string, token?: Token) {}",
    "type Options = { apiKey: string; token: Token };",
    "token = getToken()",
    "TOKENIZERS_PARALLELISM=false",
    "maxTokens: 4096",
    "API_KEY=$API_KEY_FROM_VAULT".replace("API_KEY=", "apiKey="),
    "const secret = process.env.SECRET",
    "The password is not stored.",
    "const token = await login(user);",
    "tokens.map((token) => token.text)",
    "docker run -u 1000:1000 image",
    "cookie: Cookie;",
    'const PATH_KEYS = ["path", "file"];',
    "const MAX_KEY = 64;",
    "tar --pass-through --list",
    "const secret = typeof input",
  ])("keeps source code or a sentence that only mentions one: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

test("redacts by the names of JSON fields at any depth and keeps the JSON's shape", () => {
  expect(
    redactJson({
      env: { GITHUB_TOKEN: "abc", HOME: "/home/ann", MAX_TOKENS: 5 },
      list: [`ghp_${long(36)}`, 1, null, true],
      ["__proto__x"]: { password: "p" },
      token: { type: "bearer" },
    }),
  ).toEqual({
    env: { GITHUB_TOKEN: "[redacted secret]", HOME: "/home/ann", MAX_TOKENS: 5 },
    list: ["[redacted token]", 1, null, true],
    ["__proto__x"]: { password: "[redacted secret]" },
    token: { type: "bearer" },
  });
  expect(
    redactJson({
      env: [
        { name: "GITHUB_TOKEN", value: "abc" },
        { name: "HOME", value: "/home/ann" },
      ],
      headers: [{ key: "Authorization", value: "abc" }],
      args: ["--password", "abc", "--user", "ann"],
    }),
  ).toEqual({
    env: [
      { name: "GITHUB_TOKEN", value: "[redacted secret]" },
      { name: "HOME", value: "/home/ann" },
    ],
    headers: [{ key: "Authorization", value: "[redacted secret]" }],
    args: ["--password", "[redacted secret]", "--user", "ann"],
  });
  const own = redactJson(JSON.parse(`{"__proto__": {"polluted": 1}}`) as unknown);
  expect(JSON.stringify(own)).toBe(`{"__proto__":{"polluted":1}}`);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("returns nothing that is nested too deep", () => {
  let deep: unknown = `ghp_${long(36)}`;
  for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
  expect(JSON.stringify(redactJson(deep))).not.toContain("ghp_");
});

const pieces = fc.oneof(
  fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
  fc.constantFrom(
    ..."Bearer ,Authorization: ,password,token=,API_KEY=,--secret ,://a:b@,\",',\\,\n, ,:,=,[redacted secret],-----BEGIN PRIVATE KEY-----,-----END PRIVATE KEY-----,eyJ,sk-,😀,\uD83D,.,;,]".split(
      ",",
    ),
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

/** Half of a surrogate pair. */
const LONE = /\p{Cs}/u;

test("changes nothing more when applied twice, and cuts no surrogate pair", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const once = redact(text);
      expect(redact(once)).toBe(once);
      if (!LONE.test(text)) expect(LONE.test(once)).toBe(false);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 150) },
  );
});

test("redacts a known secret between spaces, whatever the text around it is", () => {
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
      texts,
      (before, secret, after) => {
        expect(` ${redact(`${before} ${secret} ${after}`)} `).not.toContain(` ${secret} `);
      },
    ),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const MARK = "[redacted encoded secret]";

describe("secrets in base64", () => {
  test.each(SECRETS)("redacts in base64: %s", (_what, secret) => {
    expect(redact(`data: ${base64(secret)}\n`)).toBe(`data: ${MARK}\n`);
    expect(redact(`"auth": "${base64(`ann:${secret}`)}"`)).not.toContain(base64(`ann:${secret}`));
    expect(redact(`x ${base64(`{"name": "ü", "token": "${secret}"}\n`)}`)).toBe(`x ${MARK}`);
  });

  test("redacts base64 of a named secret, across lines and in the base64url alphabet", () => {
    const file = `# the settings\nMODE=fast\nDB_PASSWORD=s3cret-of-the-base\nHOST=db.example.org\n\n`.repeat(
      3,
    );
    const broken = base64(file).replaceAll(/.{76}(?!$)/g, "$&\n");
    expect(broken.split("\n").length).toBeGreaterThan(3);
    expect(redact(`$ base64 .env\n${broken}\n$ ls\n`)).toBe(`$ base64 .env\n${MARK}\n$ ls\n`);
    expect(redact(Buffer.from(file).toString("base64url"))).toBe(MARK);
  });

  test("redacts base64 in a stream, wherever the stream is cut", () => {
    const secret = base64(`TOKEN=ghp_${long(36)}`);
    const text = `data: ${secret}\nend\n`;
    for (let at = 1; at < text.length; at += 1) {
      const stream = new StreamRedactor([]);
      const shown = stream.push(text.slice(0, at)) + stream.push(text.slice(at)) + stream.flush();
      // Twelve characters may be out before they look like base64.
      expect(shown).not.toContain(secret.slice(12, 32));
      expect(shown).toMatch(/\[redacted encoded secret\]\nend\n$/);
    }
  });

  test("keeps other base64, paths and images", () => {
    const png = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 37) % 256)).toString("base64");
    for (const text of [base64("the quick brown fox jumps"), png, `/usr/lib/node_modules/${"a/".repeat(30)}`])
      expect(redact(text)).toBe(text);
  });
});

test("redacts the password of a .netrc line", () => {
  expect(redact("machine a.org login ann password hunter-22 \nmachine b.org")).toBe(
    "machine a.org login ann password [redacted password] \nmachine b.org",
  );
});

test("redacts a megabyte of hostile text in linear time", () => {
  const size = 1_000_000;
  const units = [
    "a",
    "QUJD",
    `${"QUJD".repeat(19)}\n`,
    `${"QUJD".repeat(15)}\n-`,
    "login a password ",
    "eyJ",
    "eyJa.",
    "eyJaaaaaaaaa.",
    "sk-",
    "token=",
    'token="',
    "token='\"",
    "token: ",
    "--token ",
    "://a:",
    "://",
    "authorization: ",
    "authorization:bearer ",
    "bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "-----",
    "\\",
    " ",
    "\n",
    "a.",
    'password\\"',
    "<token>",
    "<token>a",
    "curl ",
    "curl -u a:",
    "%3D",
    "\\n",
    'token:\\\\\\"',
    "cookie: a ",
    "_ghp_",
    "password     ",
    "SG.",
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(size / unit.length));
    const start = process.cpuUsage();
    redact(text);
    // The promise is one second.
    expect(process.cpuUsage(start).user / 1000, JSON.stringify(unit)).toBeLessThan(10_000);
  }
});

describe("a user's redaction patterns", () => {
  test("redacts what a user's pattern matches", () => {
    const patterns = [redactionPattern(String.raw`corp-\d{4}-[a-z]+`), redactionPattern("Zephyr")];
    expect(redact("corp-1234-abc, corp-12-abc, Zephyr", patterns)).toBe(
      "[redacted by pattern], corp-12-abc, [redacted by pattern]",
    );
    expect(redactJson(["Zephyr"], patterns)).toEqual(["[redacted by pattern]"]);
  });

  test.each([
    ["abc(a+)+$", /"\(" at 3 has no meaning here/],
    ["abc|def", /"\|" at 3/],
    [String.raw`abc\w+\d+x`, /what follows .* can itself be a part of it/],
    [String.raw`abc\w*x?y`, /can itself be a part/],
    ["abc.*x", /can itself be a part/],
    [String.raw`abc\1`, /has no meaning here/],
    [String.raw`\w+abc`, /must begin with 3 plain characters/],
    ["ab", /must begin with 3 plain characters/],
    ["redacted", /take the marks for secrets/],
    ["abc{5000}", /no repeat of at most/],
    ["abc[z-a]", /no class of characters/],
    [`abc${"d".repeat(300)}`, /longer than 200/],
  ])("refuses in words a pattern that could be slow or means nothing: %s", (source, message) => {
    expect(() => redactionPattern(source)).toThrow(message);
  });

  test("takes only patterns that are fast on any text", () => {
    const atoms = fc.constantFrom("a", "b", "[ab]", String.raw`\d`, String.raw`\w`, ".", "[^a]", "-");
    const repeats = fc.constantFrom("", "", "+", "*", "?", "{2}", "{1,9}");
    const sources = fc
      .array(fc.tuple(atoms, repeats), { maxLength: 6 })
      .map((parts) => `aaa${parts.map(([atom, repeat]) => atom + repeat).join("")}`);
    const hostile = ["a", "ab", "aaab", "a1", "a-"].map((unit) => unit.repeat(20_000));
    fc.assert(
      fc.property(sources, (source) => {
        const patterns = [];
        try {
          patterns.push(redactionPattern(source));
        } catch {
          return;
        }
        const start = process.cpuUsage();
        for (const text of hostile) redact(text, patterns);
        expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 30) },
    );
  });
});
