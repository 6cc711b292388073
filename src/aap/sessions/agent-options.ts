/**
 * The options that an app may set for an agent: texts, secrets, and one of a list. Values are strings. A secret is never
 * sent: the app reads `***`, and when it sends that back, the secret stays as it was.
 */
import { AapProblem } from "../api/aap-problem.js";

type Described = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** The value when the app sets none. */
  readonly default: string;
};

export type AgentOption = Described &
  (
    | { readonly type: "text" }
    | { readonly type: "secret" }
    | { readonly type: "select"; readonly options: readonly string[] }
  );

export type OptionValues = { readonly [name: string]: string };

/** The values that an app has set, as they are recorded: secrets are sealed. */
export type ChosenOptions = {
  readonly options: OptionValues;
  readonly sealed: readonly (readonly [name: string, sealed: string])[];
};

const HIDDEN = "***";

/** Throws when the app names an unknown option, or a value that is not offered. */
export function changedOptions(
  agent: string,
  known: readonly AgentOption[],
  before: ChosenOptions,
  changes: OptionValues,
  seal: (name: string, secret: string) => string,
): ChosenOptions {
  const options = new Map(Object.entries(before.options));
  const sealed = new Map(before.sealed);
  for (const [name, value] of Object.entries(changes)) {
    const option = known.find((one) => one.name === name);
    if (!option) {
      const names = known.map((one) => one.name).join(", ");
      throw bad(`Agent ${agent} has no option "${name}"${names === "" ? "" : `, only ${names}`}`);
    }
    if (option.type === "select" && !option.options.includes(value))
      throw bad(`Option "${name}" must be one of ${option.options.join(", ")}`);
    if (option.type !== "secret") options.set(name, value);
    else if (value !== HIDDEN) sealed.set(name, seal(name, value));
  }
  return { options: Object.fromEntries(options), sealed: [...sealed] };
}

/** The values of all options, with the defaults of those that the app has not set. */
export function optionsInForce(
  known: readonly AgentOption[],
  { options, sealed }: ChosenOptions,
  unseal: (name: string, sealed: string) => string | undefined,
): OptionValues {
  const plain = new Map(Object.entries(options));
  const secrets = new Map(sealed);
  return Object.fromEntries(
    known.map(({ name, default: usual }) => {
      const secret = secrets.get(name);
      if (secret === undefined) return [name, plain.get(name) ?? usual];
      const opened = unseal(name, secret);
      if (opened !== undefined) return [name, opened];
      throw new AapProblem(
        "CONFLICT",
        `The secret "${name}" was given to a server with another key and cannot be read here. Nothing was done; send it again in "agent.options".`,
      );
    }),
  );
}

/** The options that an app may read. An option that the agent no longer declares may have been a secret. */
export function shownOptions(known: readonly AgentOption[], chosen: ChosenOptions): OptionValues {
  const open = new Set(known.flatMap(({ name, type }) => (type === "secret" ? [] : [name])));
  return Object.fromEntries([
    ...Object.entries(chosen.options).map(([name, value]) => [name, open.has(name) ? value : HIDDEN]),
    ...chosen.sealed.map(([name]) => [name, HIDDEN]),
  ]);
}

const bad = (what: string): AapProblem => new AapProblem("BAD_REQUEST", `${what}. Nothing was done.`);
