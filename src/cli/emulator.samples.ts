/** A real terminal emulator that reads what we draw, so that tests see the cells. */
import xterm from "@xterm/headless";

export class Emulator {
  readonly terminal;
  #written: Promise<void> = Promise.resolve();
  bytes = 0;

  constructor(columns: number, rows: number) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.terminal.cols;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  write(text: string): void {
    this.bytes += text.length;
    // The kernel does this for a program: a line end goes to the first column too.
    const sent = text.replaceAll("\n", "\r\n");
    this.#written = this.#written.then(() => new Promise((resolve) => this.terminal.write(sent, resolve)));
  }

  async resize(columns: number): Promise<void> {
    await this.#written;
    this.terminal.resize(columns, this.terminal.rows);
  }

  /** All lines, wrapped ones joined, without empty ones at the end. */
  async lines(): Promise<readonly string[]> {
    await this.#written;
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at += 1) {
      const line = active.getLine(at);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }

  /** The characters of the lines, each with its weight and colour. */
  async cells(): Promise<readonly string[]> {
    const count = (await this.lines()).length;
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; lines.length < count || active.getLine(at)?.isWrapped === true; at += 1) {
      const line = active.getLine(at);
      const width = line?.translateToString(true).length ?? 0;
      const cells = Array.from({ length: width }, (_, column) => {
        const cell = line?.getCell(column);
        const look = `${cell?.isBold()}/${cell?.isDim()}/${cell?.isInverse()}/${cell?.getFgColor()}`;
        return `${cell?.getChars()}${look.replaceAll("0", "")}`;
      });
      const text = cells.join(" ").trimEnd();
      if (line?.isWrapped) lines.push(`${lines.pop() ?? ""} ${text}`);
      else lines.push(text);
    }
    return lines;
  }

  async cursor(): Promise<{ readonly line: string; readonly before: string }> {
    await this.#written;
    const { active } = this.terminal.buffer;
    const line = active.getLine(active.baseY + active.cursorY);
    const text = (end?: number): string => line?.translateToString(end === undefined, 0, end) ?? "";
    return { line: text(), before: text(active.cursorX) };
  }
}
