/** In place of a thing that could not be read. Only a server that answers knows that the thing is not there. */
import type { ComponentChildren } from "preact";
import { errorText, problemOf } from "../api.js";
import { Empty } from "./controls.js";

type NotReadProps = {
  readonly what: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Leads on from a thing that is not there. */
  readonly children?: ComponentChildren;
};

export function NotRead({ what, error, onRetry, children }: NotReadProps) {
  const isGone = problemOf(error) === "NOT_FOUND";
  return (
    <Empty icon="unknown" title={isGone ? `This ${what} is not there` : `This ${what} could not be read`}>
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
