/** The syntax tree of a text, or of as much of its beginning as is within bounds. */
import { type ParsedScript, parse } from "unbash";
import { MAX_DEPTH, type Draft } from "./draft.js";
import { tooDeepAt } from "./too-deep-at.js";

export const MAX_LENGTH = 100_000;
/** A text this short is parsed to its end however deep it is. */
const SHORT = 4000;

export function parseText(text: string, draft: Draft): ParsedScript {
  if (text.length > MAX_LENGTH) draft.doubt(`it is longer than ${MAX_LENGTH} characters`);
  let readable = draft.readable(text);
  const cut = tooDeepAt(readable, MAX_DEPTH);
  if (cut !== undefined) {
    draft.doubt(`it is nested more than ${MAX_DEPTH} deep; what is deeper was not read`);
    if (readable.length > SHORT) readable = readable.slice(0, cut);
  }
  return parsed(readable, draft);
}

/** Some texts overflow even the parser's own bounds: then shorter and shorter parts are tried. */
function parsed(text: string, draft: Draft): ParsedScript {
  try {
    return parse(text);
  } catch (error) {
    draft.doubt("it could not be read to its end");
    if (text === "") throw error;
    return parsed(text.slice(0, text.length / 4), draft);
  }
}
