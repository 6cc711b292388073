/**
 * Copies a value as a JSON round trip would, without serializing it: strings, which are most of an event, are shared and
 * not copied. Values that are not plain data take the round trip.
 */

/** No honest event is deeper. Deeper values go to JSON, which throws the error. */
const MAX_DEPTH = 200;

/** Undefined where JSON would leave the value out. Throws the error of JSON.stringify. */
export function jsonCopy(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has neither -0, NaN nor Infinity.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      if (value === null) return null;
      if (depth > MAX_DEPTH || "toJSON" in value) return overText(value);
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
  // A hole becomes null, as JSON writes it.
  for (let index = 0; index < list.length; index += 1) copy.push(jsonCopy(list[index], depth + 1) ?? null);
  return copy;
}

function objectCopy(object: object, depth: number): unknown {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const copied = jsonCopy(Reflect.get(object, key), depth + 1);
    if (copied === undefined) continue;
    // An assignment to this name would set the prototype.
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
 * Freezes a copy that was made here, at any depth. A part that is frozen already was frozen here, with all its parts.
 * JSON has no cycles, and stored events are not deep.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
