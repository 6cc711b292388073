/** The address as a value. Sessions are /s and questions /q, because AAP has /sessions and /questions. */
import { Store } from "./store.js";

export type Route =
  | { readonly view: "inbox"; readonly questionId?: string; readonly isAlike?: boolean }
  | { readonly view: "sessions" }
  | { readonly view: "session"; readonly sessionId: string; readonly toolCallId?: string }
  | { readonly view: "history"; readonly search: string }
  | { readonly view: "statistics" }
  | { readonly view: "rules"; readonly search: string }
  | { readonly view: "devices" }
  | { readonly view: "missing" };

type Address = { readonly pathname: string; readonly search: string; readonly hash: string };

export function readRoute({ pathname, search, hash }: Address): Route {
  const [first = "", second] = pathname.split("/").filter(Boolean).map(decoded);
  switch (first) {
    case "":
    case "inbox":
      return { view: "inbox" };
    case "q":
      return second === undefined
        ? { view: "inbox" }
        : { view: "inbox", questionId: second, ...(search === "?alike" && { isAlike: true }) };
    case "s":
      return second === undefined
        ? { view: "sessions" }
        : {
            view: "session",
            sessionId: second,
            ...(hash.length > 1 && { toolCallId: decoded(hash.slice(1)) }),
          };
    case "history":
    case "rules":
      return { view: first, search };
    case "statistics":
    case "devices":
      return { view: first };
    default:
      return { view: "missing" };
  }
}

export const questionPath = (questionId: string): string => `/q/${encodeURIComponent(questionId)}`;

export const sessionPath = (sessionId: string, toolCallId?: string): string =>
  `/s/${encodeURIComponent(sessionId)}${toolCallId === undefined ? "" : `#${encodeURIComponent(toolCallId)}`}`;

export const callPath = (sessionId: string, toolCallId: string): string =>
  `/history?${new URLSearchParams({ session: sessionId, call: toolCallId }).toString()}`;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

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
    goTo(link.pathname + link.search + link.hash);
  });
}
