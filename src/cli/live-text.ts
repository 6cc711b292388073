/**
 * Shows a session as text while it happens: words as they come, and each call from its announcement to its end.
 *
 * On a terminal, calls under way are a few rows at the end of the screen that change in place; what has ended
 * stays above them. Elsewhere, and on a terminal that can only go forward, a line is written when a call starts
 * and another when it has ended. While somebody reads a question, nothing is drawn and nothing is written.
 */
import type { HeldSession } from "../agent/index.js";
import { isOver, shownText, visibleText } from "../call/index.js";
import type { BoundedText, SessionEvent, TerminalContent, ToolCall, ToolCallContent } from "../call/index.js";
import { callText, liveCallLines } from "../view/index.js";
import type { LiveBlock } from "./live-block.js";
import { withRedraw } from "./stderr.js";

/** Milliseconds between two drawings: fast enough to look alive, slow enough to cost nothing. */
const TICK = 100;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** What a call may show of its output while it runs. */
const LINES_OF_A_CALL = 3;

export type LiveTextOptions = {
  readonly write: (text: string) => void;
  /** Where calls under way are drawn; without it, only what stays is written. */
  readonly block?: LiveBlock | undefined;
  /** What is told meanwhile goes to the same place: it begins a line of its own there. */
  readonly isSharedWithErrors?: boolean;
};

/** What is shown of a session, wherever it runs. */
export type ShownSession = Pick<HeldSession, "book" | "onRecorded" | "now">;

export class LiveText {
  readonly #session: ShownSession;
  readonly #block: LiveBlock | undefined;
  readonly #write: (text: string) => void;
  readonly #ends: (() => void)[];
  readonly #told = new Set<string>();
  readonly #breached = new Set<string>();
  /** Calls that someone was shown in full when they were asked: how they ended is one line then. */
  readonly #asked = new Set<string>();
  /** What terminals printed that stands there with the call that ran the command: another one may come to show it later. */
  readonly #terminals = new Map<string, string>();
  /** The message whose line is still open. */
  #speaking: string | undefined;
  /** What waits until the question on the screen is answered. */
  #held: (() => void)[] | undefined;
  #note: string | undefined;
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: ShownSession, { write, block, isSharedWithErrors = false }: LiveTextOptions) {
    this.#session = session;
    this.#block = block;
    const print = block ? (text: string) => block.print(text) : write;
    this.#write = (text) => this.#unlessHeld(() => print(text));
    this.#ends = [
      session.onRecorded((events) => {
        for (const event of events) this.#show(event);
        this.#follow();
      }),
      ...(block || isSharedWithErrors ? [withRedraw((others) => this.#letWrite(others))] : []),
    ];
  }

  /** Shows a call as it stands, for whoever is about to be asked. */
  showCall(toolCallId: string): void {
    const call = this.#session.book.call(toolCallId);
    if (!call) return;
    this.endLine();
    const calls = this.#session.book.openCalls();
    const text = callText(withoutTerminals(call, this.#terminals), {
      question: "asked",
      width: process.stdout.columns ?? 80,
      calls,
      headlineOnly: this.#asked.has(toolCallId) && call.state.status === "done" && call.kind === "edit",
      // Whoever is asked sees all of it.
      ...(!isOver(call.state) && { maxLines: 2_000 }),
    });
    this.#write(`${text}\n`);
    if (!isOver(call.state)) this.#asked.add(toolCallId);
    else this.#remember(call, calls);
  }

  /** Whoever shows it too and is still under way shows it then; the terminals of our own tools are named after their one call. */
  #remember(call: ToolCall, underWay: readonly ToolCall[]): void {
    for (const item of call.content.filter(isShown)) {
      const { terminalId, output } = item;
      const isToCome = underWay.some(({ content }) =>
        content.some((one) => isShown(one) && one.terminalId === terminalId),
      );
      if (!isToCome && !terminalId.startsWith(call.toolCallId))
        this.#terminals.set(terminalId, shownText(output));
    }
  }

  /** Keeps what happens from breaking into a question that somebody is reading. */
  pause(): void {
    this.#held ??= [];
    this.#block?.draw([]);
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const write of held) write();
    this.#follow();
  }

  /** A line of ours for as long as calls are under way. */
  note(text: string): void {
    this.#note = text;
    this.#draw();
  }

  /** A line of ours among what the agent says. */
  line(text: string): void {
    this.endLine();
    this.#write(`${text}\n\n`);
  }

  endLine(): void {
    if (this.#speaking !== undefined) this.#write("\n\n");
    this.#speaking = undefined;
  }

  /** Nothing more is shown; what was drawn in place is taken away. */
  close(): void {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.endLine();
    this.#block?.draw([]);
  }

  #letWrite(others: () => void): void {
    const block = this.#block;
    if (!block || block.isEmpty) this.endLine();
    this.#unlessHeld(() => (block ? block.around(others) : others()));
  }

  #unlessHeld(write: () => void): void {
    if (this.#held) this.#held.push(write);
    else write();
  }

  #show(event: SessionEvent): void {
    if (event.type === "message-chunk") {
      if (event.role === "user" || event.block.type !== "text") return;
      if (this.#speaking !== event.messageId) this.endLine();
      this.#speaking = event.messageId;
      this.#write(visibleText(event.block.text, { keepNewlines: true }));
    } else if ("toolCallId" in event) {
      const { toolCallId } = event;
      const call = this.#session.book.call(toolCallId);
      // That a call broke the rules is shown as soon as it is known, also of a call whose end stands there already.
      const isNews = event.type === "call-breached" && !this.#breached.has(toolCallId);
      if (!call || (this.#told.has(toolCallId) && !isNews)) return;
      if (call.breach) this.#breached.add(toolCallId);
      if (isNews && !isOver(call.state)) this.#tellStart(call);
      else if (isOver(call.state)) {
        this.#told.add(toolCallId);
        this.showCall(toolCallId);
        this.#write("\n");
      } else if (event.type === "run-started" && !this.#block) this.#tellStart(call);
    }
  }

  #tellStart(call: ToolCall): void {
    this.endLine();
    const calls = this.#session.book.openCalls();
    this.#write(`${callText(call, { calls, headlineOnly: true })}\n`);
  }

  /** Draws what is under way, and goes on drawing until nothing is. */
  #follow(): void {
    if (!this.#block) return;
    const isUnderWay = this.#session.book.openCalls().length > 0;
    if (isUnderWay && !this.#timer) this.#timer = setInterval(() => this.#tick(), TICK).unref();
    if (!isUnderWay) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#note = undefined;
      this.#draw();
    }
  }

  #tick(): void {
    this.#ticks += 1;
    this.#draw();
  }

  #draw(): void {
    if (!this.#block || this.#held) return;
    const calls = this.#session.book.openCalls();
    // The words before the rows stay as they are; those that come later stand above them.
    if (calls.length > 0 && this.#block.isEmpty) this.endLine();
    this.#block.draw(this.#rows(this.#block, calls));
  }

  #rows({ width, height }: LiveBlock, calls: readonly ToolCall[]): readonly string[] {
    const note = this.#note === undefined ? [] : [this.#note];
    const room = height - note.length;
    const shown = calls.length <= room ? calls : mostActive(calls).slice(0, Math.max(1, room - 1));
    const more = calls.length - shown.length;
    const maxLines = Math.min(LINES_OF_A_CALL, Math.floor((room - shown.length) / Math.max(1, shown.length)));
    const mark = SPINNER[this.#ticks % SPINNER.length];
    const rows = shown.flatMap((call) =>
      liveCallLines(call, {
        now: this.#session.now(),
        width,
        maxLines,
        calls,
        ...(call.state.status === "running" && mark !== undefined && { mark }),
      }),
    );
    return [...rows, ...(more > 0 ? [`… and ${more} more`] : []), ...note];
  }
}

type Shown = TerminalContent & { readonly output: BoundedText };

const isShown = (item: ToolCallContent): item is Shown =>
  item.type === "terminal" && item.output !== undefined;

/** The call, without the output that stands there already: the very same, since agents choose the names of terminals. */
function withoutTerminals(call: ToolCall, shown: ReadonlyMap<string, string>): ToolCall {
  const stands = (item: Shown) => shown.get(item.terminalId) === shownText(item.output);
  if (shown.size === 0 || !call.content.some((item) => isShown(item) && stands(item))) return call;
  const content = call.content.map((item) => {
    if (!isShown(item) || !stands(item)) return item;
    const { output: _, ...rest } = item;
    return rest;
  });
  return { ...call, content };
}

/** Those that run first. */
const mostActive = (calls: readonly ToolCall[]): readonly ToolCall[] => [
  ...calls.filter(({ state }) => state.status === "running"),
  ...calls.filter(({ state }) => state.status !== "running"),
];
