/**
 * The contract of every ledger, in memory, in a file or in a database.
 *
 * The suite knows a ledger only by its port and by the clock that it hands in, so one that is shared by
 * several processes can run it too: those who act "from elsewhere" use `openBeside`, a second way into
 * the same store. Every test opens a store of its own and closes it afterwards.
 */
import { afterEach, beforeEach, describe } from "vitest";
import type { Ledger } from "../../call/index.js";
import { answers, openQuestions, questionsInTheLog } from "./answers.contract.js";
import { theLog } from "./the-log.contract.js";
import { blobs } from "./blobs.contract.js";
import { closing } from "./closing.contract.js";
import type { Given, Store } from "./contract.samples.js";
import { NOON } from "./contract.samples.js";
import { following } from "./following.contract.js";
import { leases } from "./leases.contract.js";
import { together } from "./together.contract.js";
import { removing, sessions } from "./sessions.contract.js";

type Clock = { readonly now: () => number };
/** Opens an empty store. */
type Open = (clock: Clock) => Promise<Ledger>;
/** Opens the store of `first` once more, as another process would. Without it, others use `first` too. */
type OpenBeside = (first: Ledger, clock: Clock) => Promise<Ledger>;

export function ledgerContract(
  name: string,
  open: Open,
  {
    openBeside,
    share = 1,
    damageBlob,
  }: {
    readonly openBeside?: OpenBeside;
    readonly share?: number;
    readonly damageBlob?: Given["damageBlob"];
  } = {},
): void {
  const openStore = async (): Promise<Store> => {
    const store = { time: NOON };
    const now = () => store.time;
    const ledger = await open({ now });
    const elsewhere = openBeside ? await openBeside(ledger, { now }) : ledger;
    return Object.assign(store, { ledger, elsewhere });
  };

  describe(`${name}, as every ledger:`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await openStore();
    });
    afterEach(() => closeStore(store));

    const given: Given = {
      store: () => store,
      damageBlob,
      inNewStore: async (body) => {
        const own = await openStore();
        try {
          await body(own);
        } finally {
          await closeStore(own);
        }
      },
      runs: (count) => ({ numRuns: Math.ceil(count * share) }),
    };
    for (const [part, tests] of PARTS) {
      describe(`${part}:`, () => {
        tests(given);
      });
    }
  });
}

const PARTS: readonly (readonly [string, (given: Given) => void])[] = [
  ["the log", theLog],
  ["leases", leases],
  ["answers", answers],
  ["questions in the log", questionsInTheLog],
  ["open questions", openQuestions],
  ["sessions", sessions],
  ["removing", removing],
  ["following", following],
  ["blobs", blobs],
  ["closing", closing],
  ["all of it together", together],
];

async function closeStore({ ledger, elsewhere }: Store): Promise<void> {
  await elsewhere.close();
  await ledger.close();
}
