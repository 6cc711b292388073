/**
 * `toolgate chat`: a conversation in a terminal. Finished output is printed once; the end of the screen has the rows that
 * change and the line where the person types. One turn runs at a time; messages that are sent meanwhile wait.
 */
import { realpath } from "node:fs/promises";
import type { TurnEnd } from "../../agent/index.js";
import { isOver, pluralize, STATUS_AT_END, visibleText } from "../../call/index.js";
import type { Question, Session, ShownQuestion } from "../../call/index.js";
import { ClientGone } from "../../run/client-gone.js";
import type { Ask } from "../../run/index.js";
import type { ToolSource } from "../../tools/index.js";
import { sessionText } from "../../view/index.js";
import { rows } from "../../view/visible-line.js";
import { styled } from "../../view/styled-text.js";
import { askInTerminal } from "../ask-in-terminal.js";
import type { OpenDesk, Screen } from "../ask-in-terminal.js";
import { coloured, wantsColour } from "../colour.js";
import type { RunFlags } from "../commands/run.js";
import { errorText } from "../error-text.js";
import { LiveBlock } from "../live-block.js";
import { LiveText } from "../live-text.js";
import { CANCELLING_CHAT, endText } from "../run-turn.js";
import { shortUsage } from "../usage-text.js";
import { messageBlocks } from "../../agent/attached-files.js";
import { chatCommands } from "./chat-commands.js";
import { ChatFooter } from "./chat-footer.js";
import { completionOf } from "./complete.js";
import { openConversation } from "./conversation.js";
import type { Conversation } from "./conversation.js";
import { editInput, EditFailed } from "./edit-input.js";
import { elicitInChat } from "./elicit-in-chat.js";
import { FileNames } from "../../tools/search/file-names.js";
import { keyDesk } from "./key-desk.js";
import { Keyboard } from "./keyboard.js";
import { MessageLayer } from "./message-layer.js";
import { notification } from "./notify.js";
import { otherQuestions } from "./other-questions.js";
import { recentPrompts } from "./recent-prompts.js";
import { shortId } from "../short-id.js";
import { whyAsked } from "./why-asked.js";

/** Somebody who waits longer has looked away. */
const LONG_TURN_MS = 15_000;
const QUIT_AGAIN_MS = 2_000;
const LOOK_ELSEWHERE_MS = 3_000;
const MAX_SHOWN_LINES = 40;

export class Chat {
  readonly folder: string;
  readonly #toolSources: readonly ToolSource[];
  readonly #isColoured = wantsColour(process.stdout);
  readonly #block: LiveBlock;
  readonly #keyboard: Keyboard;
  readonly #message: MessageLayer;
  readonly #files: FileNames;
  readonly #queue: string[] = [];
  readonly #sent: string[] = [];
  #earlier: readonly string[] = [];
  readonly footer: ChatFooter;
  #flags: RunFlags;
  #opened: Conversation | undefined;
  #live: LiveText | undefined;
  #running: AbortController | undefined;
  #turnOver: Promise<void> = Promise.resolve();
  #isQuitAsked = false;
  /** Open questions of other sessions. */
  #elsewhere: readonly Question[] = [];
  #quit: () => void = () => undefined;
  readonly #hasQuit = new Promise<void>((resolve) => (this.#quit = resolve));

  private constructor(flags: RunFlags, folder: string, toolSources: readonly ToolSource[]) {
    const { stdout, stdin } = process;
    this.folder = folder;
    this.#flags = flags;
    this.#toolSources = toolSources;
    this.#files = new FileNames(folder);
    this.#block = new LiveBlock(stdout, this.#isColoured ? coloured : (text) => text);
    this.footer = new ChatFooter(
      this.#block,
      () => stdout.rows ?? 24,
      () => this.#statusRows(),
    );
    this.#keyboard = new Keyboard({ input: stdin, write: (text) => void stdout.write(text) }, (key) =>
      this.footer.receive(key),
    );
    this.#message = new MessageLayer({
      onSubmit: (text) => void this.submit(text),
      onInterrupt: () => this.#interrupt(),
      onQuit: () => this.quit(),
      onSuspend: () => this.#suspend(),
      complete: (input) => completionOf(input, this.#files),
      earlier: () => [...this.#sent.toReversed(), ...this.#earlier],
      queued: () => this.#queue,
      unqueue: () => this.#queue.pop(),
    });
  }

  static async start(flags: RunFlags, toolSources: readonly ToolSource[], first: string): Promise<number> {
    const chat = new Chat(flags, await realpath(flags.cwd ?? process.cwd()), toolSources);
    return chat.#run(first);
  }

  get conversation(): Conversation {
    if (!this.#opened) throw new Error("The conversation is not open.");
    return this.#opened;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get elsewhere(): readonly Question[] {
    return this.#elsewhere;
  }

  /** Prints permanent text above the rows. */
  print(text: string): void {
    this.#block.print(text);
  }

  async submit(text: string): Promise<void> {
    this.#sent.push(text);
    if (/^\/[a-z?]/.test(text)) return this.#command(text);
    this.#queue.push(text);
    await this.#next();
  }

  /** Opens another conversation in place of this one, and this one again when that fails. */
  async reopen(flags: RunFlags): Promise<void> {
    const before = this.#flags;
    const sessionId = this.conversation.session.sessionId;
    await this.#close();
    try {
      await this.#open(flags);
    } catch (error) {
      this.print(`${visibleText(errorText(error), { keepNewlines: true })}\n\n`);
      await this.#open({ ...before, resume: sessionId });
    }
    this.#greet();
    await this.#resumeTurn();
  }

  /** Puts a text into the input. */
  setMessage(text: string): void {
    this.#message.set(text);
    this.footer.draw();
  }

  quit(): void {
    this.#quit();
  }

  async #run(first: string): Promise<number> {
    const { stdout } = process;
    const onResize = (): void => this.footer.draw();
    const onSignal = (): void => this.quit();
    let looks: NodeJS.Timeout | undefined;
    try {
      await this.#open(this.#flags);
      this.#keyboard.open();
      this.footer.push(this.#message);
      stdout.on("resize", onResize);
      for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
      this.#files.refresh();
      this.#greet();
      void this.#lookElsewhere();
      looks = setInterval(() => void this.#lookElsewhere(), LOOK_ELSEWHERE_MS).unref();
      void this.#resumeTurn().then(() => (first === "" ? undefined : this.submit(first)));
      await this.#hasQuit;
      return 0;
    } finally {
      clearInterval(looks);
      stdout.off("resize", onResize);
      for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
      const sessionId = this.#opened?.session.sessionId;
      await this.#close();
      this.footer.hide();
      this.#keyboard.close();
      if (sessionId !== undefined && this.#sent.length > 0) stdout.write(`${this.#resumeHint(sessionId)}\n`);
    }
  }

  #resumeHint(sessionId: string): string {
    const { agent, url } = this.#flags;
    const how = url === undefined ? (agent === undefined ? "" : ` --agent '${agent}'`) : ` --url ${url}`;
    return `Go on with it: toolgate chat${visibleText(how)} --resume ${visibleText(url === undefined ? shortId(sessionId) : sessionId)}`;
  }

  async #open(flags: RunFlags): Promise<void> {
    const conversation = await openConversation(flags, {
      toolSources: this.#toolSources,
      elicit: elicitInChat({
        footer: this.footer,
        write: (text) => this.print(text),
        pause: () => this.#live?.pause(),
        resume: () => this.#live?.resume(),
        onAsk: (message) => this.#notify(message),
      }),
      showLine: (text) => this.#live?.line(text),
    });
    this.#opened = conversation;
    this.#flags = flags;
    this.#live = new LiveText(conversation.session, {
      write: (text) => this.print(text),
      block: this.#block,
      isStyled: this.#isColoured,
      turnFacts: () => [...this.#usage("turn"), "Esc interrupts"],
    });
    const { ledger } = conversation;
    if (ledger)
      void recentPrompts(ledger, this.folder).then(
        (prompts) => (this.#earlier = prompts),
        () => undefined,
      );
  }

  /** A running turn is parked, so that it can be resumed. */
  async #close(): Promise<void> {
    this.#running?.abort(new ClientGone());
    await this.#turnOver;
    this.#live?.close();
    await this.#opened?.close();
    this.#opened = undefined;
  }

  #greet(): void {
    const { session, settled } = this.conversation;
    const width = this.#block.width;
    const lines = [
      `Talking with ${visibleText(this.conversation.with)} in ${visibleText(this.folder)}. /help shows the commands.`,
    ];
    this.print(`${lines.flatMap((line) => rows(line, { first: "", next: "  " }, width)).join("\n")}\n\n`);
    if (session.book.turn) this.#showRecent();
    for (const event of settled)
      if ("toolCallId" in event && STATUS_AT_END.has(event.type)) this.#live?.showCall(event.toolCallId);
  }

  /** The end of a conversation that was resumed. */
  #showRecent(): void {
    const { session } = this.conversation;
    const lines = sessionText(endedPart(session.book.snapshot()), { width: this.#block.width }).split("\n");
    const hidden = Math.max(0, lines.length - MAX_SHOWN_LINES);
    if (hidden > 0)
      this.print(
        `… ${pluralize(hidden, "line")} before: toolgate history show ${shortId(session.sessionId)}\n`,
      );
    this.print(`${lines.slice(hidden).join("\n")}\n\n`);
  }

  async #resumeTurn(): Promise<void> {
    const state = this.conversation.session.book.turn?.state.status;
    if (state === "running" || state === "parked") await this.#turn("");
  }

  async #next(): Promise<void> {
    if (this.#running) return this.footer.draw();
    const text = this.#queue.shift();
    if (text === undefined) return;
    await this.#turn(text);
    await this.#next();
  }

  async #turn(text: string): Promise<void> {
    const { conversation } = this;
    const running = new AbortController();
    this.#running = running;
    const startedAt = Date.now();
    if (text !== "") this.#echo(text);
    const blocks = text === "" ? [] : messageBlocks(text, this.folder);
    const turn = conversation.turn(blocks, this.#asker(running), running.signal);
    // Only for the end of the conversation; this turn reports its own errors.
    this.#turnOver = turn.then(
      () => undefined,
      () => undefined,
    );
    try {
      this.#showEnd(await turn, Date.now() - startedAt);
    } catch (error) {
      this.#live?.endLine();
      this.print(`${visibleText(errorText(error), { keepNewlines: true })}\n\n`);
    } finally {
      this.#running = undefined;
      this.footer.draw();
    }
  }

  #echo(text: string): void {
    const width = this.#block.width;
    const shown = text
      .split("\n")
      .flatMap((line, index) =>
        rows(visibleText(line), { first: index === 0 ? "> " : "  ", next: "  " }, width),
      );
    const styledRows = this.#isColoured ? shown.map((row) => styled(row, "bold")) : shown;
    this.print(`${styledRows.join("\n")}\n\n`);
  }

  #showEnd(end: TurnEnd, tookMs: number): void {
    this.#live?.endLine();
    const text = endText(end);
    const usage = this.#usage("turn");
    if (text !== undefined) this.print(`${visibleText(text)}\n`);
    if (usage.length > 0) this.print(`${this.#dim(usage.join(", "))}\n`);
    if (text !== undefined || usage.length > 0) this.print("\n");
    if (tookMs >= LONG_TURN_MS) this.#notify("The turn has ended.");
  }

  #usage(of: "session" | "turn"): readonly string[] {
    const opened = this.#opened;
    const used = opened && shortUsage(opened.session.book, opened.own?.opened.price, of);
    return used === undefined ? [] : [used];
  }

  readonly #dim = (text: string): string => (this.#isColoured ? styled(text, "dim") : text);

  #asker(running: AbortController): Ask {
    const live = this.#live;
    const screen: Screen = {
      showCall: (toolCallId) => live?.showCall(toolCallId),
      pause: () => live?.pause(),
      resume: () => live?.resume(),
    };
    return askInTerminal(
      screen,
      this.desk(() => this.#cancel(running)),
    );
  }

  /** Where questions are answered; `onCancel`: the person presses Escape there. */
  desk(onCancel: () => void): OpenDesk {
    return keyDesk({
      footer: this.footer,
      write: (text) => this.print(text),
      why: (question) => whyAsked(question, this.folder),
      onCancel,
      onAsk: (question) => this.#notify(`A question: ${question.title}`),
      ...(this.conversation.own && { edit: (input: unknown) => this.#edit(input) }),
    });
  }

  async #edit(input: unknown): Promise<{ readonly input: unknown } | undefined> {
    this.#keyboard.close();
    this.footer.hide();
    try {
      return await editInput(input);
    } catch (error) {
      if (!(error instanceof EditFailed)) throw error;
      this.print(`${visibleText(error.message)}\n`);
      return undefined;
    } finally {
      this.#keyboard.open();
      this.footer.show();
    }
  }

  #interrupt(): void {
    if (this.#running) return this.#cancel(this.#running);
    if (this.#isQuitAsked) return this.quit();
    this.#isQuitAsked = true;
    setTimeout(() => {
      this.#isQuitAsked = false;
      this.footer.draw();
    }, QUIT_AGAIN_MS).unref();
  }

  #cancel(running: AbortController): void {
    running.abort();
    this.#live?.note(CANCELLING_CHAT);
  }

  /** Ctrl-Z: the shell takes the terminal until it brings us back. */
  #suspend(): void {
    this.#keyboard.close();
    process.once("SIGCONT", () => {
      this.#keyboard.open();
      this.footer.draw();
    });
    process.kill(process.pid, "SIGSTOP");
  }

  async #command(text: string): Promise<void> {
    const [, name = "", words = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const command = chatCommands.find((one) => one.name === name);
    this.#echo(text);
    if (!command)
      return this.print(`There is no command /${visibleText(name)}. Nothing was done; /help lists them.\n\n`);
    if (command.needsIdle === true && this.isBusy)
      return this.print(
        "The turn is still running. Nothing was done; press Escape first, or wait for its end.\n\n",
      );
    try {
      const reply = await command.run(this, words.trim());
      if (reply !== undefined) this.print(`${reply}\n\n`);
    } catch (error) {
      this.print(`${visibleText(errorText(error), { keepNewlines: true })}\n\n`);
    }
    this.footer.draw();
  }

  #notify(text: string): void {
    process.stdout.write(notification(text));
  }

  async #lookElsewhere(): Promise<void> {
    const { ledger, session } = this.#opened ?? {};
    if (!ledger || !session) return;
    const before = this.#elsewhere.length;
    // A ledger that is closing has none to show.
    this.#elsewhere = await otherQuestions(ledger, session.sessionId).catch(() => []);
    if (this.#elsewhere.length !== before) this.footer.draw();
  }

  #statusRows(): readonly string[] {
    const opened = this.#opened;
    if (!opened) return [];
    const { own } = opened;
    const count = this.#elsewhere.length;
    const facts = [
      visibleText(opened.with),
      ...(own ? [visibleText(own.session.book.modeId ?? own.opened.modeIn(this.folder))] : []),
      ...this.#usage("session"),
      ...(count > 0 ? [`${pluralize(count, "question")} elsewhere: /questions`] : []),
      this.#isQuitAsked ? "Ctrl-C again quits" : "/help",
    ];
    return [`  ${facts.join(" · ")}`];
  }

  /** Asks about a question of another session. */
  async askElsewhere(question: ShownQuestion, showCall: () => void): Promise<Awaited<ReturnType<Ask>>> {
    const stop = new AbortController();
    const live = this.#live;
    const screen: Screen = { showCall, pause: () => live?.pause(), resume: () => live?.resume() };
    return askInTerminal(
      screen,
      this.desk(() => stop.abort()),
    )(question, stop.signal);
  }
}

/** Without the calls and questions that are open: these are shown as they go on. */
const endedPart = (session: Session): Session => ({
  ...session,
  questions: [],
  turns: session.turns.filter(({ state }) => state.status === "stopped"),
  timeline: session.timeline.filter((entry) => entry.type !== "call" || isOver(entry.call.state)),
});
