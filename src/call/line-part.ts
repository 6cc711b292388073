/** A part of two lists of lines: from a start up to, not including, an end on each side. */
export type LinePart = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/** An index into each of the two lists. */
export type LinePlace = { readonly old: number; readonly now: number };
