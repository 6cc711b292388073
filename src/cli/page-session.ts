/**
 * A session as the page's API of a Toolgate server has it: its files are restored, its commands ended, its mode and model
 * changed there. The server's token, which a conversation has for its turns, is what that API takes from programs.
 */
import { AapError } from "../aap/client/index.js";
import type { Block, MessageContent } from "../aap/client/index.js";
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

/** A server that has the page's API, and what it says about itself. */
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

/** Refusals that say nothing about what the server has. */
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

/** Turns of the server's own agent. `folder`: where the person is; the server finds the files of its own folder itself. */
export function pageWire({ client, me }: PageServer, sessionId: string, folder: string): SessionWire {
  return {
    events: (signal) => client.events(sessionId, { signal }),
    send: async (message) => {
      const prompt = promptBlocks(message);
      const [text] = prompt;
      await client.prompt(sessionId, { prompt: me.folder === folder && text ? [text] : [...prompt] });
    },
    cancel: async () => void (await client.cancel(sessionId)),
  };
}

function promptBlocks(message: MessageContent): readonly PromptBlock[] {
  return typeof message === "string" ? [{ type: "text", text: message }] : message.flatMap(promptBlock);
}

function promptBlock(block: Block): readonly PromptBlock[] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  const [, mimeType, data = ""] =
    (block.type === "image" && /^data:(image\/(?:png|jpeg|gif|webp));base64,(.*)$/s.exec(block.url)) || [];
  // The pattern names the types that the server takes.
  return mimeType === undefined ? [] : [{ type: "image", mimeType, data } as PromptBlock];
}
