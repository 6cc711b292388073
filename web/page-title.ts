/** The name of the tab: of what is shown, where that has a name of its own. */
import { useEffect } from "preact/hooks";
import { oneLine } from "toolgate/call";
import { Store } from "./store.js";

const MAX_TITLE = 60;

export const pageTitle = new Store<string | undefined>(undefined);

/** An agent may have written it: control and direction marks are spelled out. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    pageTitle.set(title === undefined ? undefined : oneLine(title, MAX_TITLE));
    return () => pageTitle.set(undefined);
  }, [title]);
}
