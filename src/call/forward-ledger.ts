import type { Ledger } from "./ledger.js";

/**
 * The same ledger as an object whose methods a wrapper replaces: `{ ...forwardLedger(ledger), append }`. An optional
 * method is there only if the ledger has it. A new method of the port does not compile until it is here.
 */
export function forwardLedger(ledger: Ledger, { hasSnapshots = true } = {}): Ledger {
  const always: Required<Pick<Ledger, RequiredMethod>> = {
    claim: (sessionId, owner, options) => ledger.claim(sessionId, owner, options),
    renew: (lease, options) => ledger.renew(lease, options),
    release: (lease) => ledger.release(lease),
    append: (lease, events, options) => ledger.append(lease, events, options),
    has: (sessionId) => ledger.has(sessionId),
    read: (sessionId, options) => ledger.read(sessionId, options),
    follow: (sessionId, options) => ledger.follow(sessionId, options),
    answer: (questionId, answer) => ledger.answer(questionId, answer),
    openQuestions: (options) => ledger.openQuestions(options),
    sessions: (options) => ledger.sessions(options),
    remove: (lease) => ledger.remove(lease),
    putBlob: (bytes) => ledger.putBlob(bytes),
    getBlob: (hash) => ledger.getBlob(hash),
    close: () => ledger.close(),
  };
  const optional: {
    readonly [Name in Exclude<keyof Ledger, RequiredMethod>]-?: Pick<Ledger, Name> | false | undefined;
  } = {
    storesVerbatim: { storesVerbatim: ledger.storesVerbatim },
    snapshot: hasSnapshots && ledger.snapshot && { snapshot: ledger.snapshot.bind(ledger) },
    keepSnapshot: hasSnapshots && ledger.keepSnapshot && { keepSnapshot: ledger.keepSnapshot.bind(ledger) },
    watch: ledger.watch && { watch: ledger.watch.bind(ledger) },
    holder: ledger.holder && { holder: ledger.holder.bind(ledger) },
    work: ledger.work && { work: ledger.work.bind(ledger) },
    probe: ledger.probe && { probe: ledger.probe.bind(ledger) },
    health: ledger.health && { health: ledger.health.bind(ledger) },
  };
  return Object.assign(always, ...Object.values(optional));
}

type RequiredMethod = {
  [Name in keyof Ledger]-?: undefined extends Ledger[Name] ? never : Name;
}[keyof Ledger];
