/** A page server in this process, with a scripted agent that asks before its command. */
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { AgentSession } from "../src/agent/index.js";
import type { Archive, SessionInfo } from "../src/call/index.js";
import { MemoryArchive, MemoryLedger } from "../src/history/index.js";
import type { RedactionPattern } from "../src/history/index.js";
import type { ScriptStep } from "../src/model/index.js";
import type { RememberedGrant } from "../src/run/settle-answers.js";
import { Devices, servePage } from "../src/serve/index.js";
import { grantIdOf } from "../src/settings/grant-store.js";
import { RuleSource } from "../src/settings/index.js";
import type { NotifyConfig } from "../src/settings/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, scripted } from "./agent-kit.js";
import { command } from "./cli-kit.js";
import { browser } from "./page-kit.js";

export const TOKEN = "the-token-of-the-test-page";

const BUILT_PAGE = fileURLToPath(new URL("../dist/web", import.meta.url));

const TOUCH: readonly ScriptStep[] = [{ calls: [command("touch made")] }, { say: "Done." }];

export type ServingOptions = {
  /** The files of the page. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps?: readonly ScriptStep[];
  readonly notify?: NotifyConfig;
  readonly models?: readonly string[];
  /** The built page, with an agent that takes images. */
  readonly isWhole?: boolean;
  /** Rules of answers go into the settings folder. */
  readonly remembers?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The server's clock. */
  readonly now?: () => number;
  /** In place of the archive's own answer. */
  readonly calls?: Archive["calls"];
  /** The user's own patterns of secrets. */
  readonly redactPatterns?: readonly RedactionPattern[];
};

export async function serving({
  files = {},
  steps = TOUCH,
  notify = {},
  models = [],
  isWhole = false,
  remembers = false,
  tls,
  now,
  calls,
  redactPatterns = [],
}: ServingOptions = {}) {
  const settings = await folder();
  const pageFolder = await folder();
  mkdirSync(join(pageFolder, "assets"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(pageFolder, name), text);
  const ledger = new MemoryLedger();
  const workspace = await LocalWorkspace.open(await folder());
  const rules = new RuleSource({ folder: settings });
  const remember = async ({ grantId, ...grant }: RememberedGrant): Promise<void> => {
    await rules.grants.add(grant, { type: "user" }, { grantId: grantIdOf(grantId) });
  };
  const agent = scripted(steps, remembers ? { remember } : {});
  const devices = new Devices(settings);
  const served = await servePage(
    agent,
    { port: 0, token: TOKEN, ledger, workspace, ...(tls && { tls }) },
    {
      ledger,
      archive: calls ? Object.assign(new MemoryArchive(ledger), { calls }) : new MemoryArchive(ledger),
      rules,
      devices,
      notify: { folder: settings, ...notify },
      redactPatterns,
      folder: workspace.root,
      version: "0.0.0",
      startedWith: {},
      agents: [{ name: "tester", type: "own", takesImages: isWhole }],
      modes: [],
      modeIn: () => undefined,
      models: async () => models.map((name) => ({ name, note: "" })),
      notContained: () => ({ why: "switched off", isOff: true }),
      agentFor: async (info) => (info.agent === "tester" ? { agent, workspace } : undefined),
      openWorkspace: async () => workspace,
      demo: undefined,
      costOf: () => undefined,
      explain: () => Promise.reject(new Error("not here")),
      suggest: async () => ({ commands: 0, suggestions: [] }),
      pageFolder: isWhole ? BUILT_PAGE : pageFolder,
      ...(now && { now }),
    },
  );
  onTestFinished(async () => {
    await served.close();
    rules.close();
  });
  const login = async (role: "all" | "answer" | "watch") => {
    const { code } = await devices.createCode({ role, lifetimeMs: 60_000 });
    const page = browser(served.url);
    await page.login({ code, name: role });
    return page;
  };
  /** Leaves a session with an open question, as a process does that ends. */
  const park = async (info: SessionInfo): Promise<string> => {
    const sessionId = `parked_${randomUUID()}`;
    const session = await AgentSession.open({ agent, ledger, workspace, sessionId, info });
    await session.begin([{ type: "text", text: "go" }]);
    await session.advance(new AbortController().signal);
    await session.close();
    return (await ledger.openQuestions({ sessionId }))[0]?.questionId ?? "";
  };
  return { ...served, devices, login, park, ledger, settings, root: workspace.root };
}
