/**
 * Remembers what a function of one text returned. A decision folds the same few paths and patterns again for every rule
 * and protected name. The memory is bounded: it is emptied when it is full, and long texts are never kept.
 */
export function rememberResults<Result>(read: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (text.length > MAX_CHARACTERS) return read(text);
    const known = results.get(text);
    // `has` is for a stored undefined.
    if (known !== undefined || results.has(text)) return known as Result;
    const result = read(text);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(text, result);
    return result;
  };
}

const MAX_RESULTS = 2_000;
const MAX_CHARACTERS = 512;
