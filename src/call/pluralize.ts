/** Amounts as text, the same on every machine: no locale is used. */

/** Digits in groups of three: 1,234,567. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** An amount with its noun, with plain digits: 1 rule, 2 rules, 1234 rules. */
export function pluralize(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

/** An amount with its noun, with grouped digits: 1 line, 1,234 lines. */
export function countOf(amount: number, one: string, many: string = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}
