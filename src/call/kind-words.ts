/**
 * The words of a tool's name that suggest a kind, the most dangerous kind first: the first row with a hit
 * wins. All of fast-agent's words are here; its order (fetch and read first) is not, because it makes
 * `read_write_file` and `get_and_delete` reads.
 *
 * Equal danger keeps fast-agent's order, so `get_search_results` is a read. `run_query` is a search
 * there and an execute here: a query that is run may change what it is run on.
 *
 * The dangerous rows may be generous, since a word too many costs one question too many
 * (`get_workflow_run` is an execute). The last three rows must stay narrow.
 */
import type { ToolKind } from "./tool-kind.js";

export const KIND_WORDS: readonly (readonly [kind: ToolKind, words: readonly string[]])[] = [
  [
    "delete",
    words(`delete remove clear clean rm
      del erase purge destroy drop unlink rmdir wipe truncate uninstall trash discard prune evict expunge`),
  ],
  [
    "execute",
    words(`execute run exec command bash shell
      cmd sh zsh powershell pwsh terminal sudo eval evaluate invoke spawn launch kill terminate
      reboot restart shutdown install deploy compile sql subprocess`),
  ],
  [
    "edit",
    words(`write edit update modify patch create
      add append apply assign change chmod chown disable enable fix increment insert mark mkdir
      overwrite put refactor replace reset revert rewrite rollback save set toggle touch
      undo upsert`),
  ],
  ["move", words("move rename mv copy cp relocate migrate")],
  // Verbs that have effects and no kind in ACP: a name with one of these is never harmless.
  [
    "other",
    words(`accept approve archive authenticate authorize buy cancel click close connect
      disconnect drag forward generate grant import invite join leave lock login logout manage merge
      notify pause pay post press publish purchase push register reject reply reserve restore resume
      revoke sell send share start stop submit subscribe swipe sync tap transfer trigger
      unlock unsubscribe upgrade upload withdraw`),
  ],
  [
    "fetch",
    words(`fetch download http request curl
      browse crawl https internet navigate scrape url web webpage website wget`),
  ],
  ["read", words("read get list show cat describe inspect ls peek retrieve stat view")],
  ["search", words("search find query grep locate glob lookup rg ripgrep")],
  ["think", words("think plan reason analyze analyse brainstorm reasoning reflect thinking")],
];

/** The kinds that people allow without a look, so a wrong guess of one of these is the worst. */
export const HARMLESS_KINDS: ReadonlySet<ToolKind> = new Set(["read", "search", "think"]);

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}
