/** The hosts that a connection string of PostgreSQL names, as libpq reads it. */
import { ANY_HOST } from "./web-address.js";

/** None for the plain name of a database; any host where the string cannot be read, or a service file names it. */
export function connectionHosts(text: string): readonly string[] {
  const address = /^[a-z]+:\/\/(?:[^/?#@]*@)?(?<hosts>[^/?#]*)[^?#]*(?:\?(?<query>.*))?$/is.exec(
    text,
  )?.groups;
  if (address)
    return [...listed(address["hosts"] ?? ""), ...ofSettings(querySettings(address["query"] ?? ""))];
  if (text.includes("://")) return [ANY_HOST];
  return text.includes("=") ? ofSettings(wordSettings(text)) : [];
}

type Setting = readonly [name: string, value: string];

const ofSettings = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap(([name, value]) => {
    if (name === "service") return [ANY_HOST];
    return name === "host" || name === "hostaddr" ? listed(value) : [];
  });

/** Several hosts stand behind each other with their ports; a path is a socket of this machine. */
const listed = (hosts: string): readonly string[] =>
  hosts
    .split(",")
    .map(decoded)
    .map((host) => host.replace(/:\d*$/, "").trim())
    .filter((host) => host !== "" && !/^[/@]/.test(host));

const querySettings = (query: string): readonly Setting[] =>
  query.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [decoded(name), decoded(value.join("="))];
  });

/** `host = 'a b'`, with a backslash before any character that is meant as it is. */
const wordSettings = (text: string): readonly Setting[] =>
  [...text.matchAll(/(?<name>\w+)\s*=\s*(?:'(?<quoted>(?:[^'\\]|\\.)*)'?|(?<plain>(?:[^\s\\]|\\.)*))/gs)].map(
    ({ groups }) => [
      groups?.["name"] ?? "",
      (groups?.["quoted"] ?? groups?.["plain"] ?? "").replaceAll(/\\(.)/gs, "$1"),
    ],
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
