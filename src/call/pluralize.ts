/** An amount with its noun: 1 rule, 2 rules. The number's digits are not grouped. */
export function pluralize(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
