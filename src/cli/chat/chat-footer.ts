/**
 * The footer of the conversation: the newest layer shows its rows there and gets the keys. Below it is one line with the
 * state of the conversation.
 */
import { styled } from "../../view/styled-text.js";
import type { Footer, LiveBlock } from "../live-block.js";
import type { Key } from "./key-decoder.js";
import type { InputRows } from "./input-rows.js";

/** Takes the keys while it is the newest. */
export type Layer = {
  readonly rows: (width: number, maxRows: number) => InputRows;
  readonly onKey: (key: Key) => void;
  /** Whether it has nothing that is worth showing below a question. */
  readonly isEmpty?: boolean;
};

const MIN_ROWS = 3;

export class ChatFooter {
  readonly #block: LiveBlock;
  readonly #status: () => readonly string[];
  readonly #layers: Layer[] = [];
  readonly #height: () => number;
  /** When the last key was pressed. */
  lastKeyAt = 0;
  #isHidden = false;

  constructor(block: LiveBlock, height: () => number, status: () => readonly string[]) {
    this.#block = block;
    this.#height = height;
    this.#status = status;
  }

  /** Returns the function that removes the layer. */
  push(layer: Layer): () => void {
    this.#layers.push(layer);
    this.draw();
    return () => {
      const index = this.#layers.lastIndexOf(layer);
      if (index >= 0) this.#layers.splice(index, 1);
      this.draw();
    };
  }

  receive(key: Key): void {
    if (key.type === "key" && key.name === "ctrl-l") return this.redraw();
    this.#layers.at(-1)?.onKey(key);
    this.lastKeyAt = Date.now();
    this.draw();
  }

  /** Hands a key to the layer below, which a question covers. */
  passDown(from: Layer, key: Key): void {
    this.#below(from)?.onKey(key);
  }

  /** The rows of the layer below. Undefined where it is empty. */
  rowsBelow(from: Layer, width: number, maxRows: number): InputRows | undefined {
    const below = this.#below(from);
    return below?.isEmpty === false ? below.rows(width, maxRows) : undefined;
  }

  #below(from: Layer): Layer | undefined {
    return this.#layers[this.#layers.lastIndexOf(from) - 1];
  }

  draw(): void {
    if (!this.#isHidden) this.#block.setFooter(this.#footer());
  }

  /** Draws all rows again, since the terminal may show something else than was drawn. */
  redraw(): void {
    this.draw();
    this.#block.refresh();
  }

  /** Leaves the screen to somebody else. */
  hide(): void {
    this.#isHidden = true;
    this.#block.setFooter(undefined);
  }

  show(): void {
    this.#isHidden = false;
    this.draw();
  }

  #footer(): Footer | undefined {
    const layer = this.#layers.at(-1);
    if (!layer) return undefined;
    const { width } = this.#block;
    const status = this.#status().map((row) => styled(row, "dim"));
    const rule = styled("─".repeat(width), "dim");
    const { rows, cursor } = layer.rows(width, Math.max(MIN_ROWS, Math.floor(this.#height() / 2) - 2));
    return { rows: [rule, ...rows, ...status], cursor: { ...cursor, row: cursor.row + 1 } };
  }
}
