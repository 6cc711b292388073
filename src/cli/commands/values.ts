/** Parsers of option values. Each error message says which value was expected. */
import { InvalidArgumentError } from "commander";

/** An option that may be repeated. */
export const collected = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export function variable(text: string, before: Readonly<Record<string, string>> = {}) {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected NAME=VALUE.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

export const whole = (text: string): number => wholeNumber(text, 0, Infinity, "Expected a whole number.");
export const atLeastOne = (text: string): number =>
  wholeNumber(text, 1, Infinity, "Expected a whole number from 1 on.");
export const milliseconds = (text: string): number =>
  wholeNumber(text, 0, 10_000, "Expected a whole number from 0 to 10000.");
export const pageSize = (text: string): number =>
  wholeNumber(text, 1, 1000, "Expected a whole number from 1 to 1000.");
export const port = (text: string): number =>
  wholeNumber(text, 0, 65_535, "Expected a whole number from 0 to 65535.");

function wholeNumber(text: string, least: number, most: number, sentence: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) throw new InvalidArgumentError(sentence);
  return value;
}

export function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 3600)
    throw new InvalidArgumentError("Expected a number of seconds, at most 3600.");
  return value;
}

export type ListenAddress = { readonly host: string; readonly port: number };

/** An IPv6 address stands in brackets, or its end could be the port. */
export function listenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d+)$/i.exec(text) ?? [];
  if (digits === "")
    throw new InvalidArgumentError(
      "Expected a port, or a host and a port: 4321, localhost:4321, [::1]:4321.",
    );
  return { host: bracketed ?? plain ?? "127.0.0.1", port: port(digits) };
}
