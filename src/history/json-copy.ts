/**
 * A copy of a value as JSON would give it back, without writing it down: texts are shared and not copied, which is most
 * of what an event is made of. What is not plain data takes the way over the text.
 */

/** Deeper than any event that is meant. JSON itself says what is wrong with it. */
const DEEPEST = 200;

/** Undefined where JSON would leave the value out. Throws what JSON.stringify throws. */
export function jsonCopy(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON knows neither -0 nor what is no number.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      if (value === null) return null;
      if (depth > DEEPEST || "toJSON" in value) return overText(value);
      if (Array.isArray(value)) return listCopy(value, depth);
      return isPlain(value) ? objectCopy(value, depth) : overText(value);
    case "bigint":
      return overText(value);
    default:
      return undefined;
  }
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = [];
  // A hole is nothing, and nothing is null in a list.
  for (let index = 0; index < list.length; index += 1) copy.push(jsonCopy(list[index], depth + 1) ?? null);
  return copy;
}

function objectCopy(object: object, depth: number): unknown {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const copied = jsonCopy(Reflect.get(object, key), depth + 1);
    if (copied === undefined) continue;
    // Assigned, this one name would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: copied, enumerable: true });
    else copy[key] = copied;
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function overText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * A copy that was made here, which nobody can change any more, at any depth: what of it is frozen was frozen here before,
 * all of it. JSON has no cycles, and what the ledger keeps is not deep.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
