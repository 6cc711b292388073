/** A conversation: a session of our own agent, of an ACP agent, or of an agent on a server, whose turns this runs. */
import type { AgentSession, SessionHandle, TurnEnd } from "../../agent/index.js";
import { waitForEnd } from "../../agent/wait-for-turn.js";
import type { ContentBlock, Ledger } from "../../call/index.js";
import type { Ask, Elicit, Gate } from "../../run/index.js";
import type { ForeignSession, KnownAgent, ListedSession } from "../../acp/index.js";
import type { ToolSource } from "../../tools/index.js";
import type { RunFlags } from "../commands/run.js";
import type { ShownSession } from "../live-text.js";
import { messageContentOf } from "../message-content-of.js";
import type { MirroredSession } from "../mirrored-session.js";
import type { OpenedAgent } from "../open-agent.js";
import type { PageSession } from "../page-session.js";

export type Conversation = {
  readonly session: ShownSession & { readonly sessionId: string };
  /** The name of the model or the agent that responds. */
  readonly with: string;
  /** Our own agent, whose model, mode and calls can be acted on. */
  readonly own?: { readonly session: AgentSession; readonly opened: OpenedAgent; readonly flags: RunFlags };
  /** Another agent, which has settings, commands and sessions of its own. */
  readonly foreign?: {
    readonly session: ForeignSession;
    readonly agent: KnownAgent;
    readonly sessions: () => Promise<readonly ListedSession[]>;
  };
  readonly opened?: OpenedAgent;
  readonly ledger?: Ledger;
  /** Undoes calls; missing where a server does that. */
  readonly gate?: Gate;
  /** The session at a Toolgate server, which undoes calls, lists commands and changes its mode and model. */
  readonly page?: PageSession;
  /** A person may change the input of a call that is asked about. */
  readonly canEditInput?: boolean;
  /** A sentence below the greeting. */
  readonly note?: string;
  /** Runs a turn; without blocks, the turn that stopped. */
  readonly turn: (blocks: readonly ContentBlock[], ask: Ask, signal: AbortSignal) => Promise<TurnEnd>;
  readonly close: () => Promise<void>;
};

export type ConversationOptions = {
  readonly toolSources: readonly ToolSource[];
  readonly elicit: Elicit;
  /** Writes a line between the agent's messages. */
  readonly showLine: (text: string) => void;
};

export async function openConversation(flags: RunFlags, options: ConversationOptions): Promise<Conversation> {
  const { url, agent } = flags;
  if (url !== undefined) return openRemoteConversation({ ...flags, url }, options);
  return agent === undefined
    ? openOwnConversation(flags, options)
    : openForeignConversation({ ...flags, agent });
}

async function openOwnConversation(
  given: RunFlags,
  { toolSources, elicit }: ConversationOptions,
): Promise<Conversation> {
  const { openOwn } = await import("../run.js");
  const { openLedger } = await import("../open-agent.js");
  const ledger = await openLedger(given);
  try {
    const { session, opened, flags } = await openOwn(ledger, given, { toolSources, elicit });
    return {
      session,
      with: flags.model ?? "the scripted sample",
      own: { session, opened, flags },
      canEditInput: true,
      opened,
      ledger,
      gate: session.gate,
      turn: turnsOf(session),
      close: async () => {
        await session.close();
        await ledger.close();
      },
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function openForeignConversation(flags: RunFlags & { readonly agent: string }): Promise<Conversation> {
  const { openForeign } = await import("../run-agent.js");
  const { session, opened, ledger, agent, sessions, close } = await openForeign(flags);
  return {
    session,
    with: session.book.info.agent ?? flags.agent,
    foreign: { session, agent, sessions },
    opened,
    ledger,
    gate: session.gate,
    turn: turnsOf(session),
    close,
  };
}

const turnsOf =
  (session: SessionHandle): Conversation["turn"] =>
  (blocks, ask, signal) =>
    waitForEnd(session, ask, signal, () =>
      blocks.length === 0 ? session.advance(signal) : session.prompt(blocks, signal),
    );

async function openRemoteConversation(
  flags: RunFlags & { readonly url: string },
  { showLine }: ConversationOptions,
): Promise<Conversation> {
  const { openUrl, untilStopped } = await import("../run-url.js");
  const opened = await openUrl(flags, { mirrors: true, asksPage: true });
  const { client, mirrored, page, session, agent, take } = opened;
  const name = agent?.title ?? agent?.name ?? flags.url;
  if (mirrored) return { ...mirroredConversation(mirrored, name, showLine), ...(page && { page }) };
  return {
    session,
    with: name,
    note: PLAIN_SERVER,
    turn: (blocks, ask, signal) => {
      const prompt = messageContentOf(blocks);
      const interrupts = (onInterrupt: (name: NodeJS.Signals) => void) => {
        const onAbort = (): void => onInterrupt("SIGINT");
        signal.addEventListener("abort", onAbort, { once: true });
        return () => signal.removeEventListener("abort", onAbort);
      };
      return untilStopped(
        session,
        client,
        (stop) => take(prompt)(ask, showLine, stop),
        undefined,
        interrupts,
      );
    },
    close: () => Promise.resolve(),
  };
}

const PLAIN_SERVER =
  "This server takes a yes or a no to each call, or lets a tool run for this session; no rule is stored.";

/** A session of a Toolgate server: it asks by its own rules, and stores what is answered there. */
function mirroredConversation(
  session: MirroredSession,
  agent: string,
  showLine: ConversationOptions["showLine"],
): Conversation {
  return {
    session,
    with: agent,
    canEditInput: true,
    turn: (blocks, ask, signal) =>
      session.turn(blocks.length === 0 ? undefined : blocks, { ask, signal, onRetry: showLine }),
    close: () => session.close(),
  };
}
