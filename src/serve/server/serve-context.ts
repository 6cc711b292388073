/** The stores, agents and functions that all parts of the page's server use. */
import type { OpenedServer } from "../../aap/server/create-aap-server.js";
import type { Agent } from "../../agent/index.js";
import type { Archive, ContentBlock, Ledger, Meta, SessionInfo, Usage } from "../../call/index.js";
import type { RedactionPattern } from "../../history/index.js";
import type { Explanation } from "../../policy/explain.js";
import type { RuleSuggestion } from "../../policy/suggest-rules.js";
import type { RuleSource } from "../../settings/index.js";
import type { Workspace } from "../../tools/index.js";
import type { Devices } from "../access/devices.js";
import type { AgentChoice } from "../api/access-bodies.js";
import type { NotifySettings } from "../notify/open-notices.js";
import type { RuleTest } from "../api/rule-bodies.js";

export type ServeContext = {
  readonly ledger: Ledger;
  readonly archive: Archive;
  readonly rules: RuleSource;
  readonly devices: Devices;
  readonly notify: NotifySettings;
  readonly redactPatterns: readonly RedactionPattern[];
  /** The folder that the server's own agents work in. */
  readonly folder: string;
  readonly version: string;
  /** The conditions that sessions of the own agent are started with, recorded so that only their like continues them. */
  readonly startedWith: Meta;
  readonly agents: readonly AgentChoice[];
  readonly modes: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  /** The mode of a folder, where a session has chosen none. */
  readonly modeIn: (folder: string) => string | undefined;
  /** The models that the own agent can use, with a note on each. */
  readonly models: () => Promise<readonly { readonly name: string; readonly note: string }[]>;
  /** Why commands are not contained, and whether somebody switched it off; undefined where the sandbox holds. */
  readonly notContained: () => { readonly why: string; readonly isOff: boolean } | undefined;
  /** The agent that continues a session, with its workspace; undefined where this server has none for it. */
  readonly agentFor: (info: SessionInfo) => Promise<RunsSession | undefined>;
  /** A workspace to restore files in. */
  readonly openWorkspace: (folder: string) => Promise<Workspace>;
  /** Sessions of apps, and of agents that run outside. */
  readonly apps: AppSessions;
  readonly demo: (() => Promise<NewDemo>) | undefined;
  /** US dollars, where the price of the model is known. */
  readonly costOf: (model: string, usage: Usage) => number | undefined;
  /** Decides on an action in a folder, and says why. */
  readonly explain: (test: RuleTest & { readonly folder: string }, modeId?: string) => Promise<Explanation>;
  readonly suggest: (
    folder: string,
    days: number,
  ) => Promise<{ readonly commands: number; readonly suggestions: readonly RuleSuggestion[] }>;
  /** How long a question can be answered with yes, where its agent does not say. */
  readonly questionLifetimeMs: number | undefined;
  /** The address that the server listens at. */
  readonly ownUrl: () => string;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
};

export type RunsSession = { readonly agent: Agent; readonly workspace: Workspace };

/** A demo starts as a session of its own agent in a new folder. */
export type NewDemo = RunsSession & { readonly info: SessionInfo; readonly prompt: readonly ContentBlock[] };

export type AppSessions = {
  /** Whether the session is one of an app that this server can continue. */
  readonly serves: (info: SessionInfo) => boolean;
  readonly create: (agent: string) => Promise<string>;
  /** Returns when the turn has started; throws a problem where it cannot. */
  readonly prompt: (sessionId: string, blocks: readonly ContentBlock[]) => Promise<void>;
  readonly cancel: (
    sessionId: string,
    wanted: { readonly toolCallId?: string; readonly reason?: string },
  ) => Promise<boolean>;
  /** Continues a turn whose questions are answered. */
  readonly resume: (sessionId: string) => Promise<void>;
  /** Who continues a turn after an answer to its question. */
  readonly outlookOf: OpenedServer["outlookOf"];
  /** Adds the page's own turns to those of apps. */
  readonly addPart: OpenedServer["addPart"];
  /** Ends what is open of the session. */
  readonly end: (sessionId: string) => Promise<void>;
};
