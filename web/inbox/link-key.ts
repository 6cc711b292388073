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
  history.replaceState(null, "", pathname);
  questionLink.set({ questionId: decodeURIComponent(questionId), key });
  return true;
}
