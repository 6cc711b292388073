/**
 * `toolgate chat`: a conversation in a terminal. Finished output is printed once; the end of the screen has the rows that
 * change and the line where the person types. One turn runs at a time; messages that are sent meanwhile wait.
 */
import { realpath } from "node:fs/promises";
import { messageBlocks } from "../../agent/message-blocks.js";
import type { TurnEnd } from "../../agent/index.js";
import { errorCode } from "../../call/error-code.js";
import { pluralize, visibleText } from "../../call/index.js";
import { ClientGone } from "../../run/client-gone.js";
import type { ToolSource } from "../../tools/index.js";
import { FileNames } from "../../tools/search/file-names.js";
import { styled } from "../../view/styled-text.js";
import { coloured, wantsColour } from "../colour.js";
import type { RunFlags } from "../commands/run.js";
import { errorSentence } from "../error-text.js";
import { LiveBlock } from "../live-block.js";
import { LiveText } from "../live-text.js";
import { CANCELLING_CHAT } from "../run-turn.js";
import { screenTerminal } from "../screen-terminal.js";
import { shortUsage } from "../usage-text.js";
import { allCommandsIn, chatCommands, commandsIn, hasName } from "./chat-commands.js";
import { ChatFooter } from "./chat-footer.js";
import { ChatQuestions } from "./chat-questions.js";
import { chatEndText, greetingText, resumeHint, typedRows, wrapped } from "./chat-text.js";
import { completionOf } from "./completion-of.js";
import { openConversation } from "./conversation.js";
import type { Conversation } from "./conversation.js";
import { Keyboard } from "./keyboard.js";
import { MessageLayer } from "./message-layer.js";
import { NOT_HERE, notAtServer } from "./not-here.js";
import { notification } from "./notification.js";
import { recentPrompts } from "./recent-prompts.js";
import { recentText } from "./recent-text.js";
import { statusRow } from "./status-row.js";
import { TurnQueue } from "./turn-queue.js";

/** Somebody who waits longer has looked away. */
const LONG_TURN_MS = 15_000;
const QUIT_AGAIN_MS = 2_000;
/** Shift-Tab goes through these. */
const KEY_MODES = ["ask", "accept-edits", "read-only"] as const;
const QUIT_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

export class Chat {
  readonly folder: string;
  readonly footer: ChatFooter;
  readonly questions: ChatQuestions;
  readonly #toolSources: readonly ToolSource[];
  readonly #isColoured = wantsColour(process.stdout);
  readonly #block: LiveBlock;
  readonly #keyboard: Keyboard;
  readonly #message: MessageLayer;
  readonly #files: FileNames;
  readonly #turns = new TurnQueue((text, running) => this.#turn(text, running));
  /** Messages and commands of this conversation, and of earlier ones in this folder. */
  readonly #sent: string[] = [];
  #earlier: readonly string[] = [];
  #flags: RunFlags;
  #opened: Conversation | undefined;
  #live: LiveText | undefined;
  /** Messages and commands that are sent while another conversation is being opened wait for it. */
  #isOpened: Promise<void> = Promise.resolve();
  #isQuitAsked = false;
  #quit: () => void = () => undefined;
  readonly #hasQuit = new Promise<void>((resolve) => (this.#quit = resolve));

  private constructor(flags: RunFlags, folder: string, toolSources: readonly ToolSource[]) {
    const { stdout, stdin } = process;
    this.folder = folder;
    this.#flags = flags;
    this.#toolSources = toolSources;
    this.#files = new FileNames(folder);
    this.#block = new LiveBlock(screenTerminal, this.#isColoured ? coloured : (text) => text);
    this.footer = new ChatFooter(
      this.#block,
      () => stdout.rows ?? 24,
      () => this.#statusRows(),
    );
    this.#keyboard = new Keyboard({ input: stdin, write: (text) => void stdout.write(text) }, (key) =>
      this.footer.receive(key),
    );
    this.questions = new ChatQuestions({
      folder,
      footer: this.footer,
      keyboard: this.#keyboard,
      print: (text) => this.print(text),
      notify: (text) => this.#notify(text),
      live: () => this.#live,
      conversation: () => this.#opened,
    });
    this.#message = new MessageLayer({
      onSubmit: (text) => void this.submit(text),
      onInterrupt: (key) => this.#interrupt(key),
      onQuit: () => this.quit(),
      onSuspend: () => this.#suspend(),
      onMode: () => this.#changeMode(),
      complete: (input) => completionOf(input, this.#files, this.#opened && allCommandsIn(this.#opened)),
      earlier: () => [...this.#sent.toReversed(), ...this.#earlier],
      queued: () => this.#turns.waiting,
      unqueue: () => this.#turns.unqueue(),
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

  /** The flags that this conversation was opened with. */
  get flags(): RunFlags {
    return this.#flags;
  }

  get isBusy(): boolean {
    return this.#turns.running !== undefined;
  }

  /** The columns that a row may have. */
  get width(): number {
    return this.#block.width;
  }

  /** Prints permanent text above the rows. */
  print(text: string): void {
    this.#block.print(text);
  }

  /** Prints a paragraph of our own, in whole words. */
  say(text: string): void {
    this.print(`${wrapped(text, this.#block.width)}\n\n`);
  }

  async submit(text: string): Promise<void> {
    this.#sent.push(text);
    await this.#isOpened;
    // A path may begin a message too, or a command that the agent has.
    if (/^\/[a-z?]+(?:\s|$)/.test(text) && !this.#isOfAgent(text)) return this.#command(text);
    const sent = this.#turns.send(text);
    this.footer.draw();
    await sent;
  }

  /** Opens another conversation in place of this one, and this one again when that fails. */
  async reopen(flags: RunFlags): Promise<void> {
    const opened = this.#replace(flags);
    this.#isOpened = opened.catch(() => undefined);
    await opened;
    this.#greet();
    await this.#resumeTurn();
  }

  async #replace(flags: RunFlags): Promise<void> {
    const { resume: _, ...before } = this.#flags;
    const { sessionId, book } = this.conversation.session;
    await this.#close();
    try {
      await this.#open(flags);
    } catch (error) {
      this.#printError(error);
      await this.#open(book.turn ? { ...before, resume: sessionId } : before);
    }
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
    const onResize = (): void => this.footer.redraw();
    const onSignal = (): void => this.quit();
    try {
      await this.#open(this.#flags);
      this.#keyboard.open();
      this.footer.push(this.#message);
      stdout.on("resize", onResize);
      for (const signal of QUIT_SIGNALS) process.on(signal, onSignal);
      this.#files.refresh();
      this.#greet();
      this.questions.start();
      void this.#resumeTurn().then(() => (first === "" ? undefined : this.submit(first)));
      await this.#hasQuit;
      return 0;
    } finally {
      this.questions.stop();
      stdout.off("resize", onResize);
      for (const signal of QUIT_SIGNALS) process.off(signal, onSignal);
      const sessionId = this.#opened?.session.sessionId;
      await this.#close();
      this.footer.hide();
      this.#keyboard.close();
      if (sessionId !== undefined && this.#sent.length > 0)
        stdout.write(`${resumeHint(sessionId, this.#flags)}\n`);
    }
  }

  async #open(flags: RunFlags): Promise<void> {
    const conversation = await openConversation(flags, {
      toolSources: this.#toolSources,
      elicit: this.questions.elicit,
      showLine: (text) => this.#live?.line(text),
    });
    this.#opened = conversation;
    this.#flags = flags;
    this.#live = new LiveText(conversation.session, {
      write: (text) => this.print(text),
      block: this.#block,
      isStyled: this.#isColoured,
      turnFacts: () => [...this.#turnUsage(), "Esc interrupts"],
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
    await this.#turns.stop(new ClientGone());
    this.#live?.close();
    const ending = this.#opened?.own?.session.gate.background.runningCount ?? 0;
    await this.#opened?.close();
    if (ending > 0)
      this.say(`Ended with the conversation: ${pluralize(ending, "command")} in the background.`);
    this.#opened = undefined;
  }

  #greet(): void {
    const { session, note } = this.conversation;
    const { width } = this.#block;
    this.print(greetingText(this.conversation.with, this.folder, width));
    if (note !== undefined) this.say(note);
    const past = session.book.snapshot();
    // An agent may have loaded a conversation of which we recorded no turn.
    if (past.timeline.length > 0) this.print(recentText(past, { width, isStyled: this.#isColoured }));
  }

  async #resumeTurn(): Promise<void> {
    const state = this.conversation.session.book.turn?.state.status;
    if (state === "running" || state === "parked") await this.#turns.send("");
  }

  /** An empty text resumes the turn that stopped. */
  async #turn(text: string, running: AbortController): Promise<void> {
    const { conversation } = this;
    const startedAt = Date.now();
    if (text !== "") this.#echo(text);
    // The message waits no longer.
    this.footer.draw();
    try {
      const blocks = text === "" ? [] : messageBlocks(text, this.folder);
      const ask = this.questions.asker(() => this.#cancel(running));
      this.#showEnd(await conversation.turn(blocks, ask, running.signal), Date.now() - startedAt);
    } catch (error) {
      this.#live?.endLine();
      this.#printError(error);
      // Another process went on with it while this one was suspended.
      if (errorCode(error) === "LEASE_LOST")
        this.say(`Leave with /quit. ${resumeHint(conversation.session.sessionId, this.#flags)}`);
    } finally {
      this.footer.draw();
    }
  }

  #echo(text: string): void {
    const rows = typedRows(text, this.#block.width);
    this.print(`${(this.#isColoured ? rows.map((row) => styled(row, "bold")) : rows).join("\n")}\n\n`);
  }

  #showEnd(end: TurnEnd, tookMs: number): void {
    this.#live?.endLine();
    const text = chatEndText(end, this.conversation.session.book);
    const usage = this.#turnUsage().join(", ");
    if (text !== undefined) this.say(visibleText(text));
    if (usage !== "") this.print(`${this.#isColoured ? styled(usage, "dim") : usage}\n\n`);
    if (tookMs >= LONG_TURN_MS) this.#notify("The turn has ended.");
    const background = this.#opened?.own?.session.gate.background;
    if (background?.isRunning === true) void background.ended().then(() => this.footer.draw());
  }

  /** Cycles through the modes, without the one that asks nothing: that one needs a command. */
  #changeMode(): void {
    const own = this.#opened?.own;
    if (!own) return;
    const current = own.session.book.modeId ?? own.opened.modeIn(this.folder);
    const next = KEY_MODES[(KEY_MODES.findIndex((mode) => mode === current) + 1) % KEY_MODES.length];
    if (next !== undefined)
      own.session.setMode(next).then(
        () => this.footer.draw(),
        (error: unknown) => this.#printError(error),
      );
  }

  #turnUsage(): readonly string[] {
    const opened = this.#opened;
    const used = opened && shortUsage(opened.session.book, opened.own?.opened.price, "turn");
    return used === undefined ? [] : [used];
  }

  #printError(error: unknown): void {
    this.say(visibleText(errorSentence(error), { keepNewlines: true }));
  }

  #interrupt(key: "escape" | "ctrl-c"): void {
    const { running } = this.#turns;
    if (running) return this.#cancel(running);
    if (key === "escape") return;
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
      this.footer.redraw();
    });
    this.#block.around(() => process.kill(process.pid, "SIGSTOP"));
  }

  /** Whether a command is one of the agent's and none of ours. */
  #isOfAgent(text: string): boolean {
    const [, name = ""] = /^\/(\S+)/.exec(text) ?? [];
    const { foreign } = this.conversation;
    const isOurs = commandsIn(this.conversation).some((one) => hasName(one, name));
    return !isOurs && foreign?.session.settings.commands.some((one) => one.name === name) === true;
  }

  async #command(text: string): Promise<void> {
    const [, name = "", words = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    const command = chatCommands.find((one) => hasName(one, name));
    this.#echo(text);
    if (!command)
      return this.say(`There is no command /${visibleText(name)}. Nothing was done; /help lists them.`);
    if (!commandsIn(this.conversation).includes(command))
      return this.say(this.#flags.url === undefined ? NOT_HERE : notAtServer(name));
    if (command.needsIdle === true && this.isBusy)
      return this.say(
        "The turn is still running. Nothing was done; press Escape first, or wait for its end.",
      );
    try {
      const reply = await command.run(this, words.trim());
      if (reply !== undefined) this.say(reply);
    } catch (error) {
      this.#printError(error);
    }
    this.footer.draw();
  }

  #notify(text: string): void {
    process.stdout.write(notification(text));
  }

  #statusRows(): readonly string[] {
    if (!this.#opened) return [];
    const hint = this.#isQuitAsked ? "Ctrl-C again quits" : undefined;
    const elsewhere = this.questions.elsewhere.length;
    return [statusRow(this.#opened, { folder: this.folder, elsewhere, hint, width: this.#block.width })];
  }
}
