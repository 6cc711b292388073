/**
 * Shows a session as text while it runs: message text as it arrives, and each call from its announcement to its end.
 *
 * On a terminal, the end of a message, the plan and the open calls are a few rows at the end of the screen that change in
 * place, and below them is how long the turn has taken; messages and calls that have ended stay above them. Elsewhere,
 * and on a terminal that cannot redraw, one line is written when a call starts and its card when it ends.
 * While somebody reads a question, nothing is drawn and nothing is written.
 */
import type { SessionHandle } from "../agent/index.js";
import { isOver, oneLine } from "../call/index.js";
import type { EventOf, ToolCall, ToolCallEvent } from "../call/index.js";
import { clockJump, clockOffset } from "../record/clock-jumps.js";
import { callText, Gutter, liveCallLines, MAX_QUESTION_LINES } from "../view/index.js";
import { MarkdownStream } from "../view/markdown-stream.js";
import { planLines } from "../view/plan-lines.js";
import { styled, withoutStyles } from "../view/styled-text.js";
import { rows as rowsOf } from "../view/visible-line.js";
import type { LiveBlock } from "./live-block.js";
import { isOneLine } from "./is-one-line.js";
import { screenTerminal } from "./screen-terminal.js";
import { showEvent } from "./show-event.js";
import type { LiveParts } from "./show-event.js";
import { ShownTerminals } from "./shown-terminals.js";
import { withRedraw } from "./stderr.js";
import { untilEnded } from "./until-ended.js";

/** The redraw interval: fast enough to look alive, slow enough to cost nothing. */
const TICK_MS = 100;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Output lines shown for a running call. */
const MAX_OUTPUT_LINES = 3;
/** Text that streams in is drawn no more often than this. */
const FRAME_MS = 33;
const MAX_PLAN_ROWS = 8;
const MAX_PROMPT_CHARS = 300;

export type LiveTextOptions = {
  readonly write: (text: string) => void;
  /** Draws open calls; without it, only permanent text is written. */
  readonly block?: LiveBlock | undefined;
  /** Stderr goes to the same place, so notes there must start on a new line. */
  readonly isSharedWithErrors?: boolean;
  /** Messages are rendered as Markdown with styles; needs a block. */
  readonly isStyled?: boolean;
  /** Further facts for the row of the running turn: its usage, and how to stop it. */
  readonly turnFacts?: () => readonly string[];
};

/** The part of a session that is shown, local or remote. */
export type ShownSession = Pick<SessionHandle, "book" | "onRecorded" | "now">;

export class LiveText {
  readonly #session: ShownSession;
  readonly #block: LiveBlock | undefined;
  readonly #write: (text: string) => void;
  readonly #ends: (() => void)[];
  /** Marks each row of the agent's text, so that none passes for ours. */
  readonly #gutter: Gutter;
  readonly #markdown: MarkdownStream | undefined;
  readonly #turnFacts: () => readonly string[];
  /** Whether the message that is open is a thought of the model. */
  #isThought = false;
  /** Whether the last thing written was a call in one line, after which no blank line stands. */
  #isAfterLine = false;
  #hasNewPlan = false;
  #frame: NodeJS.Timeout | undefined;
  /** Rows of the open message that are final and not yet shown. */
  #ended = "";
  readonly #shown = new Set<string>();
  readonly #breached = new Set<string>();
  /** Calls that were shown in full with their question: their end is one line. */
  readonly #asked = new Set<string>();
  readonly #terminals = new ShownTerminals();
  /** Listed only when somebody reads them: a step may have thousands, and each of them is shown. */
  readonly #openCalls: Iterable<ToolCall> = {
    [Symbol.iterator]: () => this.#session.book.openCalls()[Symbol.iterator](),
  };
  /** How far the wall clock was ahead when each call started to run. */
  readonly #offsets = new Map<string, number>();
  /** The prompt that began the turn. */
  #promptId: string | undefined;
  /** The message whose last line is unfinished. */
  #openMessageId: string | undefined;
  /** Writes that wait until the question on the screen is answered. */
  #queued: (() => void)[] | undefined;
  #note: string | undefined;
  readonly #parts: LiveParts = {
    text: (event) => this.#text(event),
    line: (text) => this.line(text),
    call: (event) => this.#call(event),
    breach: (event) => this.#breach(event),
    plan: () => void (this.#hasNewPlan = true),
    turnEnd: () => this.#turnEnd(),
  };
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: ShownSession, options: LiveTextOptions) {
    const { write, block, isSharedWithErrors = false, isStyled = false, turnFacts = () => [] } = options;
    this.#session = session;
    this.#block = block;
    this.#turnFacts = turnFacts;
    this.#markdown = isStyled && block ? new MarkdownStream(() => block.width) : undefined;
    this.#gutter = new Gutter(() => block?.width ?? screenColumns());
    const print = block ? (text: string) => block.print(text) : write;
    this.#write = (text) => {
      this.#showFrame();
      this.#unlessPaused(() => print(text));
    };
    this.#ends = [
      session.onRecorded((events) => {
        for (const event of events) showEvent(event, this.#parts);
        this.#follow();
      }),
      ...(block || isSharedWithErrors ? [withRedraw((others) => this.#letWrite(others))] : []),
    ];
  }

  /** Shows the current state of a call, for a person who is about to be asked or has just changed its input. */
  showCall(toolCallId: string): void {
    const call = this.#session.book.call(toolCallId);
    if (!call) return;
    this.endLine();
    const isLine = this.#block !== undefined && isOneLine(call);
    if (!isLine) this.#writeGap();
    const { status } = call.state;
    const isBelowQuestion = this.#asked.has(toolCallId);
    const text = callText(this.#terminals.without(call), {
      question: "asked",
      width: screenTerminal.columns,
      calls: this.#openCalls,
      headlineOnly: isLine || (isBelowQuestion && status === "done" && call.kind === "edit"),
      endOnly: isBelowQuestion && (status === "refused" || status === "cancelled"),
      // Shows the whole call, because a person is asked about it.
      ...(!isOver(call.state) && { maxLines: MAX_QUESTION_LINES }),
    });
    this.#write(`${text}\n`);
    if (!isOver(call.state)) this.#asked.add(toolCallId);
    else this.#terminals.add(call, this.#openCalls);
    if (isOver(call.state) && !isLine) this.#write("\n");
    this.#isAfterLine = isLine;
  }

  #writeGap(): void {
    if (this.#isAfterLine) this.#write("\n");
    this.#isAfterLine = false;
  }

  /** Queues all output while somebody reads a question. */
  pause(): void {
    this.#showFrame();
    this.#queued ??= [];
    this.#block?.draw([]);
  }

  resume(): void {
    const queued = this.#queued ?? [];
    this.#queued = undefined;
    for (const write of queued) write();
    this.#follow();
  }

  /** Waits a moment for the end of a call that was just answered. */
  untilEnded(toolCallId: string): Promise<void> {
    return untilEnded(this.#session, toolCallId);
  }

  /** Shows a line below the open calls, as long as there are any. */
  note(text: string): void {
    this.#note = text;
    this.#draw();
  }

  /** Writes a line between the agent's messages. */
  line(text: string): void {
    this.endLine();
    this.#writeGap();
    const width = this.#block?.width ?? screenColumns();
    this.#write(`${rowsOf(text, { first: "", next: "   " }, width).join("\n")}\n\n`);
  }

  endLine(): void {
    if (this.#openMessageId === undefined) return;
    this.#openMessageId = undefined;
    if (!this.#markdown) return this.#write(`${this.#gutter.end()}\n`);
    const text = `${this.#ended}${this.#asText(this.#markdown.end())}\n`;
    this.#ended = "";
    clearTimeout(this.#frame);
    this.#frame = undefined;
    // Writes once, so that the open rows do not stand below their final form.
    this.#unlessPaused(() => this.#block?.print(text, this.#rowsNow()));
  }

  #asText(rows: readonly string[]): string {
    return this.#styledRows(rows)
      .map((row) => `${row}\n`)
      .join("");
  }

  #styledRows(rows: readonly string[]): readonly string[] {
    return this.#isThought ? rows.map((row) => styled(withoutStyles(row), "dim")) : rows;
  }

  /** Stops showing the session and clears the drawn rows. */
  close(): void {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.endLine();
    this.#writeGap();
    this.#block?.draw([]);
  }

  #letWrite(others: () => void): void {
    const block = this.#block;
    if (!block || block.isEmpty) this.endLine();
    this.#unlessPaused(() => (block ? block.around(others) : others()));
  }

  #unlessPaused(write: () => void): void {
    if (this.#queued) this.#queued.push(write);
    else write();
  }

  #text({ role, block, messageId }: EventOf<"message-chunk">): void {
    if (block.type !== "text") return;
    if (role === "user") return this.#prompt(messageId, block.text);
    if (this.#openMessageId !== messageId) {
      this.endLine();
      this.#writeGap();
    }
    this.#openMessageId = messageId;
    this.#isThought = role === "thought";
    if (!this.#markdown) return this.#write(this.#gutter.write(block.text));
    this.#ended += this.#asText(this.#markdown.write(block.text));
    this.#frame ??= setTimeout(() => this.#showFrame(), FRAME_MS).unref();
  }

  /** Shows the text that has arrived since the last frame: rows that are final, and the open ones, in one write. */
  #showFrame(): void {
    if (this.#frame === undefined) return;
    clearTimeout(this.#frame);
    this.#frame = undefined;
    const text = this.#ended;
    this.#ended = "";
    this.#unlessPaused(() => this.#block?.print(text, this.#rowsNow()));
  }

  /** The person has typed the prompt of a turn; one that we send within it, such as the reason of a no, is shown. */
  #prompt(messageId: string, text: string): void {
    this.#promptId ??= messageId;
    if (messageId !== this.#promptId) this.line(`> ${oneLine(text, MAX_PROMPT_CHARS)}`);
  }

  /** The plan stays on the screen as it was at the end of the turn. */
  #turnEnd(): void {
    this.#promptId = undefined;
    const { plan } = this.#session.book;
    if (!this.#block || !this.#hasNewPlan || plan.length === 0) return;
    this.#hasNewPlan = false;
    this.endLine();
    this.#writeGap();
    this.#write(`${["Plan", ...planLines(plan, this.#block.width)].join("\n")}\n\n`);
  }

  /** Shows a call that has ended; on a screen without a block also its start. */
  #call({ toolCallId, type }: ToolCallEvent): void {
    // The text before a call is finished; later text is written above the rows.
    if (type === "call-announced" && this.#markdown) this.endLine();
    if (type === "run-started") this.#offsets.set(toolCallId, clockOffset());
    const call = this.#session.book.call(toolCallId);
    if (!call || this.#shown.has(toolCallId)) return;
    if (call.breach) this.#breached.add(toolCallId);
    if (isOver(call.state)) this.#end(toolCallId);
    else if (type === "run-started") this.#start(call);
  }

  /** The question showed the input as the agent wrote it, so a call whose input a person changed is shown again. */
  #start(call: ToolCall): void {
    if (call.decision?.originalInput !== undefined) this.showCall(call.toolCallId);
    else if (!this.#block) this.#writeStart(call);
  }

  /** A breach is shown as soon as it is known, also for a call whose end is shown already. */
  #breach({ toolCallId }: ToolCallEvent): void {
    const call = this.#session.book.call(toolCallId);
    if (!call || this.#breached.has(toolCallId)) return;
    this.#breached.add(toolCallId);
    if (isOver(call.state)) this.#end(toolCallId);
    else this.#writeStart(call);
  }

  #end(toolCallId: string): void {
    this.#shown.add(toolCallId);
    this.#offsets.delete(toolCallId);
    this.showCall(toolCallId);
  }

  #writeStart(call: ToolCall): void {
    this.endLine();
    this.#write(`${callText(call, { calls: this.#openCalls, headlineOnly: true })}\n`);
  }

  /** Redraws the open calls until there are none. */
  #follow(): void {
    if (!this.#block) return;
    const isBusy = this.#session.book.hasOpenCalls || this.#isTurnRunning;
    if (isBusy && !this.#timer) this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    if (!isBusy) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#note = undefined;
      this.#draw();
    }
  }

  get #isTurnRunning(): boolean {
    return this.#session.book.turn?.state.status === "running";
  }

  #tick(): void {
    this.#ticks += 1;
    this.#draw();
  }

  #draw(): void {
    if (!this.#block || this.#queued) return;
    const calls = this.#session.book.openCalls();
    // Text before the rows is finished; later text is written above them.
    if (!this.#markdown && calls.length > 0 && this.#block.isEmpty) this.endLine();
    if (this.#frame !== undefined) return this.#showFrame();
    this.#block.draw(this.#rows(this.#block, calls));
  }

  #rowsNow(): readonly string[] {
    return this.#block ? this.#rows(this.#block, this.#session.book.openCalls()) : [];
  }

  #rows({ width, height }: LiveBlock, calls: readonly ToolCall[]): readonly string[] {
    const turn = this.#turnRow();
    const note = this.#note === undefined ? [] : [this.#note];
    const plan = this.#planRows(width).slice(0, Math.max(0, height - note.length - turn.length - 4));
    const below = [...plan, ...turn, ...note];
    const tail = this.#styledRows(this.#markdown?.tail() ?? []);
    const open = tail.slice(-Math.max(1, Math.floor((height - below.length) / 2)));
    const room = Math.max(1, height - below.length - open.length);
    const shown = calls.length <= room ? calls : mostActive(calls).slice(0, Math.max(1, room - 1));
    const more = calls.length - shown.length;
    const maxLines = Math.min(
      MAX_OUTPUT_LINES,
      Math.floor((room - shown.length) / Math.max(1, shown.length)),
    );
    const mark = SPINNER[this.#ticks % SPINNER.length];
    const rows = shown.flatMap((call) =>
      liveCallLines(call, {
        // Without the time by which someone has set the clock since.
        now: this.#session.now() - clockJump(this.#offsets.get(call.toolCallId) ?? clockOffset()),
        width,
        maxLines,
        calls,
        ...(call.state.status === "running" && mark !== undefined && { mark }),
      }),
    );
    return [...open, ...rows, ...(more > 0 ? [`… and ${more} more`] : []), ...below];
  }

  /** The turn's time and token usage so far, also while the model sends nothing. */
  #turnRow(): readonly string[] {
    const { turn } = this.#session.book;
    if (turn?.state.status !== "running") return [];
    const mark = SPINNER[this.#ticks % SPINNER.length] ?? "";
    const seconds = Math.floor(Math.max(0, this.#session.now() - turn.startedAt) / 1000);
    const took = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    return [`${mark} working ${[took, ...this.#turnFacts()].join(" · ")}`];
  }

  /** The plan: the entry in progress and the next one. */
  #planRows(width: number): readonly string[] {
    const { plan, turn } = this.#session.book;
    if (turn?.state.status !== "running" || !this.#hasNewPlan) return [];
    const next = plan.findIndex(({ status }) => status === "in_progress" || status === "pending");
    if (next < 0) return [];
    return plan
      .slice(Math.max(0, next - 1))
      .flatMap((entry) => planLines([entry], width).slice(0, 1))
      .slice(0, MAX_PLAN_ROWS);
  }
}

/** A file or a pipe has no width, so its rows are not broken. */
const screenColumns = (): number => (process.stdout.isTTY ? screenTerminal.columns - 1 : Infinity);

/** Running calls first. */
const mostActive = (calls: readonly ToolCall[]): readonly ToolCall[] => [
  ...calls.filter(({ state }) => state.status === "running"),
  ...calls.filter(({ state }) => state.status !== "running"),
];
