/** A prompt as far as it is written: it stays while somebody answers a question elsewhere, and over a reload of the tab. */

/** `place`: a session's id, or "new" for the one that begins. */
const keyOf = (place: string): string => `toolgate.draft.${place}`;

export const draftOf = (place: string): string => sessionStorage.getItem(keyOf(place)) ?? "";

export function keepDraft(place: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(keyOf(place));
    else sessionStorage.setItem(keyOf(place), text);
  } catch {
    // A text that is too long for the browser's store is written on all the same.
  }
}
