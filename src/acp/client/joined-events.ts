/**
 * Events in order, those that say more of the same joined to the one before. Agents send all of a growing output
 * again and again, and words in the smallest pieces: what comes together is stored once.
 */
import type { CallFields, SessionEvent } from "../../call/index.js";

type Chunk = SessionEvent & { type: "message-chunk" };
type Revision = SessionEvent & { type: "call-revised" };

export class JoinedEvents {
  readonly #all: SessionEvent[] = [];
  /** Where a call's last event stands, while that is a revision and more of it may come. */
  readonly #revisions = new Map<string, number>();
  #chunk: { readonly first: Chunk; readonly at: number; readonly texts: string[] } | undefined;

  add(event: SessionEvent): void {
    if (event.type === "message-chunk") return this.#addChunk(event);
    this.#endChunk();
    if (event.type === "call-revised") return this.#addRevision(event);
    if ("toolCallId" in event) this.#revisions.delete(event.toolCallId);
    this.#all.push(event);
  }

  done(): readonly SessionEvent[] {
    this.#endChunk();
    return this.#all;
  }

  #addRevision(event: Revision): void {
    const { toolCallId } = event;
    const at = this.#revisions.get(toolCallId);
    const before = at === undefined ? undefined : this.#all[at];
    if (at === undefined || before?.type !== "call-revised") {
      this.#revisions.set(toolCallId, this.#all.length);
      this.#all.push(event);
    } else this.#all[at] = { ...event, fields: joined(before.fields, event.fields) };
  }

  #addChunk(event: Chunk): void {
    const { block, messageId, role } = event;
    const last = this.#chunk;
    if (isPlainText(event) && last && last.first.messageId === messageId && last.first.role === role) {
      if (block.type === "text") last.texts.push(block.text);
      return;
    }
    this.#endChunk();
    if (isPlainText(event) && block.type === "text")
      this.#chunk = { first: event, at: this.#all.length, texts: [block.text] };
    this.#all.push(event);
  }

  #endChunk(): void {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (!chunk || chunk.texts.length < 2) return;
    this.#all[chunk.at] = { ...chunk.first, block: { type: "text", text: chunk.texts.join("") } };
  }
}

const joined = (before: CallFields, after: CallFields): CallFields => ({ ...before, ...after });

const isPlainText = ({ block }: Chunk): boolean =>
  block.type === "text" && !block.annotations && !block._meta;
