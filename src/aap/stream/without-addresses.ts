/**
 * The text of an error as apps receive it: the address of the model's provider is the owner's business. The record keeps
 * the whole text.
 */
const ADDRESSES: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s"'<>)]*[^\s"'<>).,;:]/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[[\da-f]*:[\da-f:.]*\](?::\d{1,5})?|(?<![\w:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?::\d{1,5})?(?![\w:])/gi,
  /(?<![\w/.-])[a-z][\w-]*(?:\.[\w-]+)*:\d{2,5}\b/gi,
  /(?<=\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT) )[\w.-]+/g,
];

export function withoutAddresses(text: string): string {
  let shown = text;
  for (const address of ADDRESSES) shown = shown.replace(address, "[address]");
  return shown;
}
