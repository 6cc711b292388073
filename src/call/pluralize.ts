/** An amount with its thing, as people say it: 1 rule, 2 rules. The figure is as it is typed, not grouped. */
export function pluralize(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
