/**
 * The text files of a workspace as the client's editor has them: reads, diffs and approvals use the buffer that was not
 * saved.
 *
 * Invariants: the client is asked only about files inside the workspace that are text, or would be new, and only while
 * their path is a real one; a file that the client cannot give is read from the disk; where the client cannot write,
 * unsaved text is never overwritten. The client follows links by itself: a link that is put in the way after our check
 * leads the client elsewhere, and then only the text it read is thrown away.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { visibleText } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import type { FileInfo, Files } from "../../tools/index.js";
import { RpcError } from "../connection/message.js";
import type { EditorCapabilities } from "./editor-capabilities.js";
import { refusal } from "./editor-requests.js";
import type { EditorRequests } from "./editor-requests.js";

/** The same bound as in our own workspace. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** An editor may ask the person in front of it first. */
const WRITE_TIMEOUT_MS = 600_000;

/** A text that the editor gave counts for this long in the view of one call. */
const MAX_TEXT_AGE_MS = 1_000;

type Can = Pick<EditorCapabilities, "readTextFile" | "writeTextFile">;

export class EditorFiles {
  readonly #local: Files;
  readonly #editor: EditorRequests;
  readonly #can: Can;
  /** Texts that a client which cannot write showed of files before we wrote them: it may show them for a while. */
  readonly #behind: Map<string, Set<string>>;
  /** The text that was read last, so that the pieces of one reading are of one text. */
  #last: { readonly path: string; readonly bytes: Uint8Array } | undefined;

  /** In the view of one call: the last answer of the editor. */
  #given: GivenText | undefined;
  readonly #isForOneCall: boolean;

  constructor(local: Files, editor: EditorRequests, can: Can, ofAllCalls?: EditorFiles) {
    this.#local = local;
    this.#editor = editor;
    this.#can = can;
    this.#behind = ofAllCalls ? ofAllCalls.#behind : new Map<string, Set<string>>();
    this.#isForOneCall = ofAllCalls !== undefined;
  }

  /** The same files for one call: each text is requested once. */
  readingOnce(): EditorFiles {
    return new EditorFiles(this.#local, this.#editor, this.#can, this);
  }

  forgetTexts(): void {
    this.#given = undefined;
  }

  /** The editor may have a file open that is not on the disk. */
  async look(path: string): Promise<FileInfo | undefined> {
    const info = await this.#local.look(path);
    if (info || !this.#isOurs(path)) return info;
    const text = await this.#unsaved(path);
    return text === undefined
      ? undefined
      : { type: "file", size: Buffer.byteLength(text), mode: 0o644, modified: 0 };
  }

  async readText(path: string): Promise<string | undefined> {
    const onDisk = await this.#local.readText(path);
    return this.#isOurs(path) ? this.#shown(path, onDisk) : onDisk;
  }

  async readBytes(path: string, range: { readonly from?: number; readonly length: number }) {
    const { from = 0, length } = range;
    const bytes = from > 0 && this.#last?.path === path ? this.#last.bytes : await this.#bytes(path);
    if (!bytes) return this.#local.readBytes(path, range);
    this.#last = { path, bytes };
    return { bytes: bytes.subarray(from, from + length), size: bytes.length };
  }

  async write(path: string, content: string | Uint8Array, options: { readonly mode?: number } = {}) {
    const text = textOf(content);
    this.#last = undefined;
    this.forgetTexts();
    if (text !== undefined && (await this.#takesText(path, options))) return this.#send(path, text);
    if (!this.#can.writeTextFile) await this.#mustBeSaved(path);
    return this.#local.write(path, content, options);
  }

  /** Undefined when the disk has it, and not the editor. */
  async #bytes(path: string): Promise<Uint8Array | undefined> {
    if (!this.#isOurs(path)) return undefined;
    let onDisk;
    try {
      onDisk = await this.#local.readText(path);
    } catch (error) {
      // Binary, a folder, or too large: reading from the disk gives the right error.
      if (error instanceof ToolFailure) return undefined;
      throw error;
    }
    const text = await this.#shown(path, onDisk);
    return text === undefined ? undefined : Buffer.from(text);
  }

  /** The text as the editor shows it; `onDisk` is what the disk has. */
  async #shown(path: string, onDisk: string | undefined): Promise<string | undefined> {
    if (onDisk === undefined) return this.#unsaved(path);
    const text = (await this.#textGiven(path, onDisk)) ?? onDisk;
    if (this.#behind.get(path)?.has(sha256(text))) return onDisk;
    this.#behind.delete(path);
    return text;
  }

  /** Some clients answer with an empty text when nothing is there. */
  async #unsaved(path: string): Promise<string | undefined> {
    const text = await this.#textGiven(path, undefined);
    return text === "" ? undefined : text;
  }

  /** The answer of the editor; in the view of one call a recent one, while the disk has the same text as then. */
  async #textGiven(path: string, onDisk: string | undefined): Promise<string | undefined> {
    const given = this.#given;
    const isRecent = given && performance.now() - given.atMs < MAX_TEXT_AGE_MS;
    if (isRecent && given.path === path && given.onDisk === onDisk) {
      await this.#mustBeReal(path, "Nothing was read.");
      return given.text;
    }
    const text = await this.#ask(path);
    if (this.#isForOneCall) this.#given = { path, text, onDisk, atMs: performance.now() };
    return text;
  }

  /** Undefined when the client cannot give it. */
  async #ask(path: string): Promise<string | undefined> {
    if (!this.#can.readTextFile) return undefined;
    let content: unknown;
    try {
      ({ content } = await this.#editor.ask(
        "fs/read_text_file",
        { path },
        { timeoutMs: this.#editor.requestTimeoutMs },
      ));
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
    await this.#mustBeReal(path, "Nothing was read.");
    if (typeof content === "string" && Buffer.byteLength(content) <= MAX_TEXT_BYTES) return content;
    throw new ToolFailure(
      `${visibleText(path)} could not be read: the editor answered with ${typeof content === "string" ? "more than 10 MB" : "something that is no text"}. Nothing was read. Try it again, or read it with a command.`,
    );
  }

  /** Whether the editor should write the file. The editor cannot set a file's mode. */
  async #takesText(path: string, { mode }: { readonly mode?: number }): Promise<boolean> {
    if (!this.#can.writeTextFile || !this.#isOurs(path)) return false;
    const info = await this.#local.look(path);
    if (info && info.type !== "file") return false;
    return mode === undefined || mode === info?.mode;
  }

  async #send(path: string, content: string): Promise<void> {
    const folder = posix.dirname(path);
    if (!(await this.#local.look(folder))) await this.#local.makeFolder(folder);
    await this.#mustBeReal(path, "The file was not written.");
    try {
      await this.#editor.ask("fs/write_text_file", { path, content }, { timeoutMs: WRITE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new ToolFailure(
        `${visibleText(path)} was not written: the editor refused it (${refusal(error)}). Read it to see how it is now.`,
      );
    }
  }

  async #mustBeSaved(path: string): Promise<void> {
    if (!this.#can.readTextFile || !this.#isOurs(path)) return;
    const shown = await this.#bytes(path);
    if (!shown) return;
    const text = Buffer.from(shown).toString();
    if (text !== (await this.#local.readText(path)))
      throw new ToolFailure(
        `${visibleText(path)} has changes in the editor that are not saved, and this editor lets no one else write there. The file was not written. Ask for it to be saved, and make the call again.`,
      );
    const behind = this.#behind.get(path) ?? new Set();
    this.#behind.set(path, behind.add(sha256(text)));
  }

  async #mustBeReal(path: string, didNot: string): Promise<void> {
    if ((await this.#local.resolve(path)) === path) return;
    throw new ToolFailure(
      `${visibleText(path)} now leads elsewhere: a link was put in its way. ${didNot} Make the call again.`,
    );
  }

  /** Editors serve the folders that are open in them. */
  #isOurs(path: string): boolean {
    return this.#local.roots.some((root) => path.startsWith(root === "/" ? root : `${root}/`));
  }
}

type GivenText = {
  readonly path: string;
  /** Undefined when the editor had none. */
  readonly text: string | undefined;
  /** The text on the disk at that time. */
  readonly onDisk: string | undefined;
  readonly atMs: number;
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Undefined when it is no text. */
function textOf(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content;
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
