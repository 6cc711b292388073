/**
 * Connections to public addresses only.
 *
 * A name can be made to point anywhere, and elsewhere a moment later. So every resolved address of a name is checked,
 * one that is not public rejects them all, and the connection goes to a checked address: the name is not resolved
 * again. An address in the URL itself is never resolved, so it is checked before.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import { oneLine } from "../../call/index.js";
import { hostReach } from "../../policy/index.js";
import { ToolFailure } from "../tool.js";

type Address = { readonly address: string; readonly family: number };
type Lookup = (host: string) => Promise<readonly Address[]>;

export type ReachOptions = {
  /**
   * Lets a host through that is not public: the machine itself, the local network. `host` as the URL has it,
   * `address` as it was found. The rules still decide on each call.
   */
  readonly reach?: (host: string, address: string) => boolean;
  /** Resolves a name; the system's resolver when left out. */
  readonly lookup?: Lookup;
};

export function guardedAgent(options: ReachOptions): Agent {
  const { lookup = (host) => systemLookup(host, { all: true }) } = options;
  const guarded: LookupFunction = (host, { all }, answer) => {
    lookup(host).then(
      (addresses) => {
        const [first] = addresses;
        const problem = first ? problemWith(host, addresses, options) : new ToolFailure(notFound(host));
        if (problem || !first) return answer(problem ?? null, "");
        return all ? answer(null, addresses.map(copied)) : answer(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => answer(error, ""),
    );
  };
  return new Agent({ connect: { lookup: guarded }, pipelining: 0 });
}

/** Before anything is looked up: an address that stands in the URL, or a name that says that it is not public. */
export function checkHost(url: URL, options: ReachOptions): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isAddress = isIP(host) > 0;
  if (!isAddress && options.reach) return;
  const problem = problemWith(url.hostname, [{ address: isAddress ? host : url.hostname }], options);
  if (problem) throw problem;
}

function problemWith(
  host: string,
  addresses: readonly Pick<Address, "address">[],
  { reach }: ReachOptions,
): ToolFailure | undefined {
  const isPublicName = hostReach(host) === "public";
  const bad = addresses.find(
    ({ address }) => !(isPublicName && hostReach(address) === "public") && reach?.(host, address) !== true,
  );
  if (!bad) return undefined;
  const why = bad.address === host ? hostReach(host) : `${bad.address}, ${hostReach(bad.address)}`;
  return new ToolFailure(
    `fetch: ${oneLine(host, 100)} is not on the public internet (${why}), and fetch connects to nothing else. ` +
      "Nothing was fetched. Use a command if you must reach it.",
  );
}

const notFound = (host: string) =>
  `fetch: ${oneLine(host, 100)} has no address. Nothing was fetched. Check the spelling of the URL.`;

const copied = ({ address, family }: Address) => ({ address, family });
