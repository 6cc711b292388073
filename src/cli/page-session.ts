/**
 * A session as the page's API of a Toolgate server has it: its files are restored, its commands ended, its mode and model
 * changed there. The server's token, which a conversation has for its turns, is what that API takes from programs.
 */
import { AapError } from "../aap/client/index.js";
import type { ContentBlock } from "../call/index.js";
import { ServeClient } from "../serve/client/index.js";
import type {
  Commands,
  Me,
  PromptBlock,
  SessionSummary,
  Undone,
  UndoRequest,
} from "../serve/client/index.js";
import type { SessionWire } from "./mirrored-session.js";

/** A server that has the page's API, and its description of itself. */
export type PageServer = { readonly client: ServeClient; readonly me: Me };

/**
 * Undefined where the server has no such API, or does not open it to this token. A server that is away or busy throws:
 * commands would otherwise say that it does not offer them.
 */
export async function findPage(url: string, token: string | undefined): Promise<PageServer | undefined> {
  const client = new ServeClient({
    baseUrl: url,
    ...(token !== undefined && { apiKey: token }),
    keys: NO_KEYS,
  });
  try {
    const me = await client.me();
    return Array.isArray(me.modes) && Array.isArray(me.agents) ? { client, me } : undefined;
  } catch (error) {
    if (!(error instanceof AapError) || isForNow(error)) throw error;
    return undefined;
  }
}

/** Refusals that disclose nothing about the server's content. */
const FOR_NOW = new Set([429, 502, 503, 504]);

const isForNow = ({ code, status = 0 }: AapError): boolean => code === "UNREACHABLE" || FOR_NOW.has(status);

/** A program is no device. */
const NO_KEYS = { get: () => undefined, set: () => undefined };

const MAX_LISTED = 100;

export class PageSession {
  readonly #server: PageServer;

  constructor(
    server: PageServer,
    readonly sessionId: string,
  ) {
    this.#server = server;
  }

  get modes(): Me["modes"] {
    return this.#server.me.modes;
  }

  /** The models that the server's own agent can use now. */
  async models(): Promise<Me["models"]> {
    return (await this.#server.client.me()).models;
  }

  async setMode(modeId: string): Promise<void> {
    await this.#server.client.changeSession(this.sessionId, { modeId });
  }

  async setModel(model: string): Promise<void> {
    await this.#server.client.changeSession(this.sessionId, { model });
  }

  async compact(): Promise<boolean> {
    return (await this.#server.client.compact(this.sessionId)).isDone;
  }

  undo(request: UndoRequest): Promise<Undone> {
    return this.#server.client.undo(this.sessionId, request);
  }

  async commands(): Promise<Commands["commands"]> {
    return (await this.#server.client.commands({ session: this.sessionId })).commands;
  }

  async stop(toolCallId: string) {
    return (await this.#server.client.stopCommand(this.sessionId, { toolCallId })).processes;
  }

  /** The other conversations that this server can continue, the newest first. */
  async others(): Promise<readonly SessionSummary[]> {
    return (await conversationsOf(this.#server)).filter(({ sessionId }) => sessionId !== this.sessionId);
  }
}

/** Sessions of editors and terminals belong to those who have them open. */
export async function conversationsOf({ client }: PageServer): Promise<readonly SessionSummary[]> {
  const { sessions } = await client.sessions({ limit: MAX_LISTED });
  return sessions.filter(({ door, messages }) => (door === "page" || door === "app") && messages > 0);
}

/** Turns of the server's own agent. The server must look for no files: those of its folder are not the person's. */
export function pageWire({ client }: PageServer, sessionId: string): SessionWire {
  return {
    events: (signal, onModelRetry) => client.events(sessionId, { signal, onModelRetry }),
    send: async (message) => {
      await client.prompt(sessionId, { prompt: message.flatMap(promptBlock), attachesFiles: false });
    },
    cancel: async () => void (await client.cancel(sessionId)),
  };
}

function promptBlock(block: ContentBlock): readonly PromptBlock[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image":
      return [{ type: "image", mimeType: block.mimeType, data: block.data } as PromptBlock];
    case "resource":
      return "text" in block.resource
        ? [{ type: "resource", resource: { uri: block.resource.uri, text: block.resource.text } }]
        : [];
    case "resource_link":
      return [{ type: "text", text: `\n${block.uri}` }];
    default:
      return [];
  }
}
