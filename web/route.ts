/** Where the page is: the address, followed and changed. */
import { readRoute, type Route } from "./read-route.js";
import { Store } from "./store.js";

export const questionPath = (questionId: string): string => `/q/${encodeURIComponent(questionId)}`;

export const sessionPath = (sessionId: string, toolCallId?: string): string =>
  `/s/${encodeURIComponent(sessionId)}${toolCallId === undefined ? "" : `#${encodeURIComponent(toolCallId)}`}`;

export function replayPath(sessionId: string, toolCallId?: string): string {
  const at = toolCallId === undefined ? "" : `?${new URLSearchParams({ call: toolCallId }).toString()}`;
  return `${sessionPath(sessionId)}/replay${at}`;
}

export const callPath = (sessionId: string, toolCallId: string): string =>
  `/history?${new URLSearchParams({ session: sessionId, call: toolCallId }).toString()}`;

export const route = new Store<Route>({ view: "missing" });

export function goTo(path: string, { isReplaced = false } = {}): void {
  if (path === location.pathname + location.search + location.hash) return;
  if (isReplaced) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  route.set(readRoute(location));
}

/** Follows the address: links of the page, back and forward. */
export function startRouter(): void {
  route.set(readRoute(location));
  addEventListener("popstate", () => route.set(readRoute(location)));
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) return;
    event.preventDefault();
    // A second click on a link to a call leads to it again, wherever somebody has scrolled to meanwhile.
    if (link.href === location.href) route.set(readRoute(location));
    else goTo(link.pathname + link.search + link.hash);
  });
}
