/** The last row of the footer: who answers, the mode, what was used, and the questions of other sessions. */
import { pluralize, visibleText } from "../../call/index.js";
import { shortUsage } from "../usage-text.js";
import type { Conversation } from "./conversation.js";

/** `elsewhere`: how many questions of other sessions are open. `hint`: what can be pressed or typed. */
export function statusRow(
  { session, with: agent, own }: Conversation,
  { folder, elsewhere, hint }: { readonly folder: string; readonly elsewhere: number; readonly hint: string },
): string {
  const used = shortUsage(session.book, own?.opened.price, "session");
  const facts = [
    visibleText(agent),
    ...(own ? [visibleText(own.session.book.modeId ?? own.opened.modeIn(folder))] : []),
    ...(used === undefined ? [] : [used]),
    ...(elsewhere > 0 ? [`${pluralize(elsewhere, "question")} elsewhere: /questions`] : []),
    hint,
  ];
  return `  ${facts.join(" · ")}`;
}
