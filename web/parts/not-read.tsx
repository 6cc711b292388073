/** In place of a thing that could not be read. Only a server that answers knows that the thing is not there. */
import type { ComponentChildren } from "preact";
import { errorText, problemOf } from "../api.js";
import { Empty } from "./controls.js";

type NotReadProps = {
  readonly what: string;
  /** A list, which is always there: "The rules", not "This rule". */
  readonly isList?: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Leads on from a thing that is not there. */
  readonly children?: ComponentChildren;
};

export function NotRead({ what, isList = false, error, onRetry, children }: NotReadProps) {
  const isGone = !isList && problemOf(error) === "NOT_FOUND";
  const name = `${isList ? "The" : "This"} ${what}`;
  return (
    <Empty icon="unknown" title={`${name} ${isGone ? "is not there" : "could not be read"}`}>
      <p>{errorText(error)}</p>
      {!isGone && (
        <button type="button" class="btn" onClick={onRetry}>
          Try again
        </button>
      )}
      {children}
    </Empty>
  );
}
