import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ModelError } from "./model-error.js";
import { readModelName } from "./model-name.js";
import { openModel } from "./open-model.js";
import type { OpenModelOptions } from "./open-model.js";

const SECRET = "sk-secret-0123456789";

/** The sentence with which opening a model is turned away; it never holds the key. */
async function turnedAway(name: string, options: OpenModelOptions = {}): Promise<string> {
  const error: unknown = await openModel(name, { env: {}, ...options }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelError)) throw new Error("It was opened.", { cause: error });
  expect(`${error.message}${error.stack}`).not.toContain(SECRET);
  expect(error.message).toContain("No model was opened");
  return error.message;
}

async function keyFile(content: string, mode = 0o600): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-keys-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "keys.json");
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
}

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];

describe("model names", () => {
  test("opens a model by its name, with what is known of it", async () => {
    const opened = await openModel("anthropic/claude-sonnet-4-5-20250929", { apiKey: SECRET });
    expect(opened).toMatchObject({
      name: "anthropic/claude-sonnet-4-5-20250929",
      provider: "anthropic",
      modelId: "claude-sonnet-4-5-20250929",
      contextWindow: 200_000,
      price: { input: 3, output: 15 },
    });
    expect(opened.model).toMatchObject({
      specificationVersion: "v3",
      modelId: "claude-sonnet-4-5-20250929",
    });
  });

  test("assumes a careful context window and no price for an unknown model", async () => {
    const opened = await openModel("openai/gpt-5-pro", { apiKey: SECRET });
    expect(opened.contextWindow).toBe(128_000);
    expect(opened).not.toHaveProperty("price");
  });

  test("gives no price for a model at an address of one's own", async () => {
    const opened = await openModel("openai/gpt-5", { apiKey: SECRET, baseUrl: "http://localhost:1/v1" });
    expect(opened).not.toHaveProperty("price");
  });

  test.each(["mistral/large", "claude", "", "__proto__/x", "constructor/x", "Anthropic/claude"])(
    "refuses a model of an unknown provider and lists the known ones: %j",
    async (name) => {
      expect(await turnedAway(name, { apiKey: SECRET })).toContain(
        "anthropic, openai, google, openai-compatible",
      );
    },
  );

  test.each([
    "google/",
    "google/../x",
    "google/a/../b",
    "google/a b",
    "google/a?b",
    "google/a#b",
    "google//a",
  ])("refuses %j, which names no model", async (name) => {
    expect(await turnedAway(name, { apiKey: SECRET })).toContain("no model of that provider");
  });

  test("reads a model's name with slashes and colons of its own", () => {
    expect(readModelName("openai-compatible/meta-llama/Llama-3.3:70b")).toEqual({
      provider: "openai-compatible",
      modelId: "meta-llama/Llama-3.3:70b",
    });
  });

  test("reads or refuses any model name in words, on one line", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `google/${rest}`),
        ),
        (name) => {
          try {
            const { provider, modelId } = readModelName(name);
            expect(`${provider}/${modelId}`).toBe(name);
            expect(new URL(`http://h/v1/models/${modelId}`).pathname).toBe(`/v1/models/${modelId}`);
          } catch (error) {
            expect(error).toBeInstanceOf(ModelError);
            expect(String(error)).not.toMatch(/\n/);
          }
        },
      ),
    );
  });
});

test("a provider's package is loaded with the first model of it and not before", async () => {
  const folder = new URL(".", import.meta.url);
  const files = (await readdir(folder)).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")));
  const loads = /\b(?:from|import) "@ai-sdk\/(?!provider")/;
  expect(sources.join().match(/await import\("@ai-sdk\//g)).toHaveLength(4);
  expect(sources.filter((source) => loads.test(source))).toEqual([]);
});

describe("API keys", () => {
  test.each([
    ["anthropic/claude-x", "ANTHROPIC_API_KEY"],
    ["openai/gpt-x", "OPENAI_API_KEY"],
    ["google/gemini-x", "GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY"],
  ])("names the variable to set when the key for %s is missing", async (name, variable) => {
    expect(await turnedAway(name)).toContain(`set ${variable}.`);
    expect(await turnedAway(name, { env: { [variable]: "  " } })).toContain("There is no key");
  });

  test("ignores a key of the process when another environment is given", async () => {
    vi.stubEnv("OPENAI_API_KEY", SECRET);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await turnedAway("openai/gpt-x")).toContain("OPENAI_API_KEY");
    expect(await openModel("openai/gpt-x")).toMatchObject({ provider: "openai" });
  });

  test("does not take the key of another provider", async () => {
    expect(await turnedAway("openai/gpt-x", { env: { ANTHROPIC_API_KEY: SECRET } })).toContain(
      "OPENAI_API_KEY",
    );
  });

  test.each([`${SECRET}\nx-evil: 1`, `${SECRET} x`, `${SECRET}é`])(
    "refuses a key that fits into no header before anyone quotes it",
    async (bad) => {
      expect(await turnedAway("openai/gpt-x", { env: { OPENAI_API_KEY: bad } })).toContain(
        "The key in OPENAI_API_KEY",
      );
      const path = await keyFile(JSON.stringify({ openai: bad }));
      expect(await turnedAway("openai/gpt-x", { keyFile: path })).toContain(`The key for openai in ${path}`);
    },
  );

  test("takes a key from a file that is the user's alone", async () => {
    const path = await keyFile(JSON.stringify({ anthropic: SECRET }));
    expect(await openModel("anthropic/claude-x", { env: {}, keyFile: path })).toHaveProperty("model");
    expect(await turnedAway("openai/gpt-x", { keyFile: path })).toContain(`put {"openai": "…"} into ${path}`);
    expect(await turnedAway("openai/gpt-x", { keyFile: `${path}.none` })).toContain("OPENAI_API_KEY");
  });

  test.each([0o644, 0o640, 0o606, 0o660])("does not read a key from a file of mode %o", async (mode) => {
    const path = await keyFile(JSON.stringify({ anthropic: SECRET }), mode);
    expect(await turnedAway("anthropic/claude-x", { keyFile: path })).toContain("chmod 600");
  });

  test.each([`{"anthropic": "${SECRET}"`, `["${SECRET}"]`, `"${SECRET}"`, `{"anthropic": ["${SECRET}"]}`])(
    "neither guesses nor shows a key of a malformed file",
    async (content) => {
      const path = await keyFile(content);
      expect(await turnedAway("anthropic/claude-x", { keyFile: path })).toContain("not a JSON object");
    },
  );

  test("does not read a key from a folder, or from someone else's file", async () => {
    const folder = join(await keyFile("{}"), "..", "keys");
    await mkdir(folder, { mode: 0o700 });
    expect(await turnedAway("anthropic/claude-x", { keyFile: folder })).toContain("it is not a file");
    const path = await keyFile(JSON.stringify({ anthropic: SECRET }));
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(4_242_424);
    onTestFinished(() => getuid.mockRestore());
    expect(await turnedAway("anthropic/claude-x", { keyFile: path })).toContain("belongs to someone else");
  });

  test("needs no key for a server of one's own, and sends one that is set", async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(400).end();
    });
    const ask = async (env: NodeJS.ProcessEnv) => {
      const { model } = await openModel("openai-compatible/deepseek-chat", { baseUrl: `${url}/v1`, env });
      await expect(model.doStream({ prompt })).rejects.toThrow("rejected the request");
    };
    await ask({ OPENAI_API_KEY: SECRET });
    await ask({ DEEPSEEK_CHAT_API_KEY: "own" });
    await ask({ DEEPSEEK_CHAT_API_KEY: "own", TOOLGATE_MODEL_KEY: "first" });
    expect(seen).toEqual([undefined, "Bearer own", "Bearer first"]);
  });

  test("hides a key that a server writes into its answer from errors and retries", async () => {
    const url = await serve((request, response) => {
      const { authorization } = request.headers;
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `no luck with ${authorization}\u202E` } }));
    });
    const reasons: string[] = [];
    const { model } = await openModel("openai-compatible/x", {
      baseUrl: `${url}/v1`,
      apiKey: SECRET,
      retry: {
        attempts: 2,
        sleep: () => Promise.resolve(),
        onRetry: ({ reason }) => void reasons.push(reason),
      },
    });
    const error: unknown = await Promise.resolve(model.doStream({ prompt })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      message: "openai-compatible/x failed (500: no luck with Bearer [key]⟨U+202E⟩). Try again later.",
      statusCode: 500,
    });
    expect(reasons).toEqual(["500: no luck with Bearer [key]⟨U+202E⟩"]);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET);
    expect(error).not.toHaveProperty("cause");
  });
});

describe("base URLs", () => {
  test("asks for a base URL when the model is openai-compatible", async () => {
    expect(await turnedAway("openai-compatible/llama3.2")).toContain("--base-url");
  });

  test.each([
    "localhost:11434",
    "file:///etc/passwd",
    `http://me:${SECRET}@host/v1`,
    "http://h/v1?x=1",
    "",
    "//h",
  ])("refuses %j as a base URL", async (baseUrl) => {
    expect(await turnedAway("openai-compatible/x", { baseUrl })).toContain("base URL");
    expect(await turnedAway("openai/gpt-x", { baseUrl, apiKey: SECRET })).toContain("base URL");
  });

  test("does not take a base URL from the variables of other programs", async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    for (const variable of ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"]) vi.stubEnv(variable, url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const signal = AbortSignal.abort();
    for (const name of ["openai/gpt-x", "anthropic/claude-x"]) {
      const { model } = await openModel(name, { apiKey: SECRET, retry: { attempts: 1 } });
      await expect(model.doStream({ prompt, abortSignal: signal })).rejects.toThrow("aborted");
    }
    expect(asked).toEqual([]);
  });

  test("follows no redirect of a base URL, so that the key stays here", async () => {
    const leaked: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      leaked.push(request.headers);
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end());
    for (const name of ["anthropic/claude-x", "openai/gpt-x", "google/gemini-x", "openai-compatible/x"]) {
      const { model } = await openModel(name, { baseUrl: `${url}/v1`, apiKey: SECRET });
      await expect(model.doStream({ prompt })).rejects.toThrow("Redirects are not followed");
    }
    expect(leaked).toEqual([]);
  });

  test("names the base URL in the error when nobody listens there", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const { model } = await openModel("openai-compatible/x", {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      retry: { attempts: 2, sleep: () => Promise.resolve() },
    });
    await expect(model.doStream({ prompt })).rejects.toThrow(
      /openai-compatible\/x could not be reached at http:\/\/127\.0\.0\.1:\d+\/v1: .*ECONNREFUSED.* No response came; check the base URL/,
    );
  });

  test("names the base URL in the error when the model is not known there", async () => {
    const server = createServer((_, response) => void response.writeHead(404).end("{}"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}`;
    const { model } = await openModel("openai-compatible/x", { baseUrl });
    await expect(model.doStream({ prompt })).rejects.toThrow(
      `openai-compatible/x is not known at ${baseUrl} (404: Not Found). No response came; check the model's name and the base URL`,
    );
  });
});
