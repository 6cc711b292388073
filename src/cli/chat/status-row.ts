/**
 * The last row of the footer: who answers, the mode, what was used, how full the model's window is, the commands in the
 * background, and the questions of other sessions. On a narrow terminal the facts that matter least are left out whole.
 */
import { pluralize, visibleText } from "../../call/index.js";
import { styledColumns } from "../../view/styled-text.js";
import { shortUsage, windowText } from "../usage-text.js";
import { currentSetting } from "./choose-setting.js";
import type { Conversation } from "./conversation.js";

export type StatusOptions = {
  readonly folder: string;
  /** How many questions of other sessions are open. */
  readonly elsewhere: number;
  /** A key that is to be pressed now. */
  readonly hint?: string | undefined;
  readonly width: number;
};

/** Facts with a higher number go first. */
type Fact = readonly [order: number, text: string | undefined];

export function statusRow(
  { session, with: agent, own, foreign }: Conversation,
  { folder, elsewhere, hint, width }: StatusOptions,
): string {
  const background = own?.session.gate.background.runningCount ?? 0;
  const mode = own
    ? (own.session.book.modeId ?? own.opened.modeIn(folder))
    : foreign && currentSetting(foreign.session, "mode");
  const model = foreign && currentSetting(foreign.session, "model");
  const facts: readonly Fact[] = [
    [1, visibleText(agent)],
    [3, model === undefined ? undefined : visibleText(model)],
    [2, mode === undefined ? undefined : visibleText(mode)],
    [4, shortUsage(session.book, own?.opened.price, "session")],
    [3, own && windowText(session.book, own.session.contextWindow)],
    [1, background > 0 ? `${background} in the background: /ps` : undefined],
    [0, elsewhere > 0 ? `${pluralize(elsewhere, "question")} elsewhere: /questions` : undefined],
    hint === undefined ? [5, "/help"] : [0, hint],
  ];
  for (let most = 5; ; most -= 1) {
    const shown = facts.flatMap(([order, text]) => (order > most ? [] : (text ?? [])));
    const row = `  ${shown.join(" · ")}`;
    if (most <= 1 || styledColumns(row) <= width) return row;
  }
}
