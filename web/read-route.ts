/** The address as a value. */
export type Route =
  | { readonly view: "inbox"; readonly questionId?: string; readonly isAlike?: boolean }
  | { readonly view: "sessions" }
  | { readonly view: "session"; readonly sessionId: string; readonly toolCallId?: string }
  | { readonly view: "replay"; readonly sessionId: string; readonly search: string }
  | { readonly view: "history"; readonly search: string }
  | { readonly view: "statistics" }
  | { readonly view: "rules"; readonly search: string }
  | { readonly view: "devices" }
  | { readonly view: "missing" };

type Address = { readonly pathname: string; readonly search: string; readonly hash: string };

export function readRoute({ pathname, search, hash }: Address): Route {
  const [first = "", second, third] = pathname.split("/").filter(Boolean).map(decoded);
  switch (first) {
    case "":
    case "inbox":
    case "login":
      return { view: "inbox" };
    case "q":
      return second === undefined
        ? { view: "inbox" }
        : { view: "inbox", questionId: second, ...(search === "?alike" && { isAlike: true }) };
    case "s":
      if (second !== undefined && third === "replay") return { view: "replay", sessionId: second, search };
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
    case "stats":
      return { view: "statistics" };
    case "devices":
      return { view: "devices" };
    default:
      return { view: "missing" };
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
