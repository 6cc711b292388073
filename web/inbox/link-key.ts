/** The key behind the # of a link to one question. The key leaves the address at once, as a login code does. */
import { Store } from "../store.js";

export type QuestionLink = { readonly questionId: string; readonly key: string };

export const questionLink = new Store<QuestionLink | undefined>(undefined);

const KEY = /^#key=([\w-]+)$/;

/** True when the page was opened by such a link. */
export function takeLinkKey(): boolean {
  const { hash, pathname } = location;
  const key = KEY.exec(hash)?.[1];
  const [first, questionId] = pathname.split("/").filter(Boolean);
  if (first !== "q" || questionId === undefined || key === undefined) return false;
  history.replaceState({ link: "opened" } satisfies LinkState, "", pathname);
  questionLink.set({ questionId: decodeURIComponent(questionId), key });
  return true;
}

/** Kept with the entry of the browser's history, so that a reload knows that a link led here. */
type LinkState = { readonly link: "opened" | "used" };

export function noteLinkUsed(): void {
  history.replaceState({ link: "used" } satisfies LinkState, "");
}

/** The end of the link that led here, after a reload; undefined where none did. */
export function linkBefore(): LinkState["link"] | undefined {
  const state: unknown = history.state;
  if (typeof state !== "object" || state === null || !("link" in state)) return undefined;
  return state.link === "opened" || state.link === "used" ? state.link : undefined;
}
