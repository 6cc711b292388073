/**
 * The terminal output that is on the screen already: a later call may show the same terminal. The text must be equal,
 * since agents choose the terminal ids.
 */
import { shownText } from "../call/index.js";
import type { BoundedText, TerminalContent, ToolCall, ToolCallContent } from "../call/index.js";

type Printed = TerminalContent & { readonly output: BoundedText };

const isPrinted = (item: ToolCallContent): item is Printed =>
  item.type === "terminal" && item.output !== undefined;

export class ShownTerminals {
  /** The output by the terminal's id. */
  readonly #shown = new Map<string, string>();

  /**
   * Adds the output of a call that was shown, unless an open call will show it again. Terminals of our own tools belong
   * to one call, so they are left out.
   */
  add({ toolCallId, content }: ToolCall, openCalls: Iterable<ToolCall>): void {
    for (const { terminalId, output } of content.filter(isPrinted)) {
      if (terminalId.startsWith(toolCallId)) continue;
      const isShownLater = [...openCalls].some((call) =>
        call.content.some((one) => isPrinted(one) && one.terminalId === terminalId),
      );
      if (!isShownLater) this.#shown.set(terminalId, shownText(output));
    }
  }

  /** The call without output that is shown already. */
  without(call: ToolCall): ToolCall {
    const isShown = (item: Printed) => this.#shown.get(item.terminalId) === shownText(item.output);
    if (this.#shown.size === 0 || !call.content.some((item) => isPrinted(item) && isShown(item))) return call;
    const content = call.content.map((item) => {
      if (!isPrinted(item) || !isShown(item)) return item;
      const { output: _, ...rest } = item;
      return rest;
    });
    return { ...call, content };
  }
}
