/** A value that components follow. */
import { useEffect, useState } from "preact/hooks";

export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  update(change: (value: Value) => Value): void {
    this.set(change(this.#value));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Renders the component again when the selected part of the store changes. */
export function useStore<Value, Part>(store: Store<Value>, select: (value: Value) => Part): Part {
  const part = select(store.value);
  const [, render] = useState({});
  useEffect(() => {
    let shown = select(store.value);
    const check = (): void => {
      const next = select(store.value);
      if (Object.is(next, shown)) return;
      shown = next;
      render({});
    };
    // The store may have changed between the render and this effect.
    if (!Object.is(part, shown)) render({});
    return store.subscribe(check);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `select` is written inline and reads nothing that changes.
  }, [store]);
  return part;
}
