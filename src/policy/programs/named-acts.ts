/**
 * Acts that a wide rule does not cover. A person who allows `npm *` means its tests and builds; to bring in code, to
 * publish, to change what runs elsewhere, to handle secrets and to send data to a host that the command names takes a
 * rule with that very word in it (`npm publish`).
 */
import type { AllEffects } from "./merge-effects.js";

export type NamedAct = { readonly word: string; readonly does: string };

type Named = Pick<AllEffects, "installs" | "publishes" | "deploys" | "reveals">;

export function namedActs(effects: Named & Pick<AllEffects, "sends">): readonly NamedAct[] {
  const { installs, publishes, deploys, reveals, sends } = effects;
  return [
    ...acts(installs, "installs something"),
    ...acts(publishes, "publishes something"),
    ...acts(deploys, "changes something elsewhere"),
    ...acts(reveals, "handles secrets"),
    ...acts(
      sends.filter((host) => host !== "" && !THIS_MACHINE.test(host)),
      "sends data",
    ),
  ];
}

const acts = (words: readonly string[], does: string): readonly NamedAct[] =>
  words.map((word) => ({ word, does }));

const THIS_MACHINE = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)(?::\d{1,5})?(?:[/?#]|$)/;

/** The acts that the first words of an undescribed program most likely are, by the names that programs share. */
export function likelyActs(words: readonly string[]): Named {
  const among = (names: RegExp) => words.filter((word) => names.test(word));
  return {
    installs: among(/^(?:(?:re)?install|self-?(?:update|upgrade|install))$/),
    publishes: among(/^(?:(?:un)?publish|release|upload|push|submit|share|send)$/),
    deploys: among(/^(?:(?:un|re)?deploy|destroy|apply|provision|promote|rollback|terminate|teardown)$/),
    reveals: among(
      /^(?:secrets?|tokens?|credentials?|passwords?|passwd|keys?|vault|decrypt|log-?in|auth|account)$/,
    ),
  };
}
