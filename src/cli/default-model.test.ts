import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withDefaultModel } from "./default-model.js";

const baseUrl = "http://localhost:11434/v1";

/** The environment of a person with this config.json. */
function envWith(config: object): NodeJS.ProcessEnv {
  const home = mkdtempSync(join(tmpdir(), "toolgate-config-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "toolgate"));
  writeFileSync(join(home, "toolgate", "config.json"), JSON.stringify(config));
  return { XDG_CONFIG_HOME: home };
}

test("takes the address of config.json for a local model that the flags name", () => {
  const model = "openai-compatible/small";
  for (const config of [{ baseUrl }, { model: "openai-compatible/large", baseUrl }])
    expect(withDefaultModel({ model }, "/", envWith(config))).toEqual({ model, baseUrl });
  const own = { model, baseUrl: "http://localhost:1/v1" };
  expect(withDefaultModel(own, "/", envWith({ baseUrl }))).toEqual(own);
});

test("takes the address of config.json for a local model that the environment names", () => {
  const env = envWith({ model: "openai-compatible/large", baseUrl });
  const model = "openai-compatible/small";
  expect(withDefaultModel({}, "/", { ...env, TOOLGATE_MODEL: model })).toEqual({ model, baseUrl });
  const own = { TOOLGATE_MODEL: model, TOOLGATE_BASE_URL: "http://localhost:1/v1" };
  expect(withDefaultModel({}, "/", { ...env, ...own })).toEqual({ model, baseUrl: "http://localhost:1/v1" });
  const other = { ...env, TOOLGATE_MODEL: "openai/gpt" };
  expect(withDefaultModel({}, "/", other)).not.toHaveProperty("baseUrl");
});

test("keeps the address of one provider from the models of another", () => {
  const proxied = envWith({ model: "anthropic/claude", baseUrl });
  expect(withDefaultModel({ model: "openai-compatible/small" }, "/", proxied)).not.toHaveProperty("baseUrl");
  expect(withDefaultModel({ model: "openai/gpt" }, "/", envWith({ baseUrl }))).not.toHaveProperty("baseUrl");
});
