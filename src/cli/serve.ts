/** `toolgate serve`: serves agents to apps over HTTP until a signal: our own, and the ACP agents of `--agent`. */
import { hkdfSync } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { commandWords } from "../acp/index.js";
import type { Serving } from "../aap/index.js";
import { errorCode } from "../call/error-code.js";
import { keepIndexed } from "../history/keep-indexed.js";
import { openSharedTexts } from "../history/open-shared-texts.js";
import { openAddress } from "../process/open-address.js";
import { servePage } from "../serve/index.js";
import type { ToolSource } from "../tools/index.js";
import { openDoorOptions } from "./open-door-options.js";
import { signalExitCode, firstSignal, noteStopping } from "./signals.js";
import { externalAcpAgent } from "./external-acp-agent.js";
import { onBreach } from "./on-breach.js";
import { openAgent, openLedger } from "./open-agent.js";
import { openServers } from "./open-servers.js";
import { openWorkspace } from "./open-workspace.js";
import { noteAddress, openableUrl, pageLink } from "./page-link.js";
import { pageOptions } from "./page-options.js";
import { ledgerAddress } from "./ledger-address.js";
import { packageVersion } from "./package-version.js";
import type { ServeFlags } from "./commands/serve.js";
import { readRedaction } from "./redaction.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

/** `takesAnyPort`: a free one, where the usual one is in use. */
export type ServePageOptions = { readonly takesAnyPort?: boolean; readonly opensBrowser?: boolean };

export async function serveApps(flags: ServeFlags, given: ServePageOptions = {}): Promise<void> {
  // Listen for signals from the start: a signal during the start stops the server after it.
  const stopped = firstSignal();
  const { door, noteToken } = openDoorOptions(flags);
  const started = await openServers(flags, resolve(flags.cwd ?? process.cwd()), { mayAsk: false });
  try {
    await serveWith(flags, started ? [started.servers] : [], { door, noteToken, stopped, ...given });
  } finally {
    await started?.close();
  }
}

async function serveWith(
  flags: ServeFlags,
  toolSources: readonly ToolSource[],
  {
    door,
    noteToken,
    stopped,
    takesAnyPort = false,
    opensBrowser = false,
  }: ReturnType<typeof openDoorOptions> & ServePageOptions & { readonly stopped: Promise<NodeJS.Signals> },
): Promise<void> {
  const listenOn = takesAnyPort ? onThisOrAnyPort : onThisPort;
  const shared = await openSharedTexts(ledgerAddress(flags));
  const opened = await openAgent(flags, toolSources, shared);
  const workspace = await openWorkspace(flags.cwd ?? process.cwd(), flags, opened);
  const { patterns } = readRedaction();
  const place = flags.place ?? `${hostname()}:${workspace.root}`;
  const ledger = await openLedger(flags, { place });
  const others = Object.entries(flags.agent ?? {}).map(([name, command]) =>
    externalAcpAgent({
      name,
      argv: commandWords(command),
      cwd: workspace.root,
      rules: opened.agent,
      onBreach: onBreach(flags),
    }),
  );
  try {
    const external = others.map(({ name }) => name);
    const { script: _script, baseUrl: _address, contextWindow: _window, ...kept } = flags;
    const openWith = (model: string) => openAgent({ ...kept, model }, toolSources, shared);
    const page = await pageOptions({ flags, opened, openWith, workspace, ledger, shared, external });
    const options = {
      ...door,
      version: packageVersion(),
      redactPatterns: patterns,
      secretKey: secretKey(door.token),
      host: flags.host,
      ledger,
      workspace,
      ...(flags.questionLifetime !== undefined && { questionLifetimeMs: flags.questionLifetime * 1_000 }),
      onError: (error: unknown) => note(errorText(error)),
    };
    const own = { agent: opened.agent, ...servedModel(flags) };
    const { url, drain, close } = await listenOn(flags.port, (port) =>
      servePage([own, ...others], { ...options, port }, page),
    );
    const ended = new AbortController();
    const { archive } = page;
    // Only a ledger that instances share has an archive that they share.
    const indexing =
      shared && keepIndexed(ledger, archive, { signal: ended.signal, onError: options.onError });
    let signal: NodeJS.Signals;
    // A store that is lost while the link is made must not leave a server behind that can serve nothing.
    try {
      noteToken();
      const pageUrl = openableUrl(url, flags.allowHost);
      noteAddress(pageUrl);
      const link = await pageLink(pageUrl, page.devices);
      process.stdout.write(`Serving AAP at ${url} for ${workspace.root}. Stop with Ctrl-C.\n`);
      const hasPage = page.pageFolder !== undefined;
      const isOpened = opensBrowser && hasPage && (await openAddress(link));
      process.stdout.write(linkText(link, { isFailed: opensBrowser && !isOpened, isOpened, hasPage }));
      signal = await stopped;
      noteStopping(signal);
      const usualMs = ledger.work ? SHARED_DRAIN_MS : 0;
      const drainMs = flags.drain === undefined ? usualMs : flags.drain * 1_000;
      if (signal === "SIGTERM") await drain(drainMs);
    } finally {
      await close();
      ended.abort();
      await indexing;
      await archive.close();
      page.rules.close();
    }
    // Ctrl-C is the normal way to stop the server; any other signal sets its exit code.
    if (signal !== "SIGINT") process.exitCode = signalExitCode(signal);
  } finally {
    for (const other of others) await other.close();
    await ledger.close();
    await shared?.close();
  }
}

/** Kubernetes and systemd wait for longer than that. */
const SHARED_DRAIN_MS = 10_000;

const servedModel = ({ model, baseUrl }: ServeFlags) =>
  model === undefined ? {} : { served: { model, ...(baseUrl !== undefined && { isElsewhere: true }) } };

type Listen = (port: number) => Promise<Serving>;

const onThisPort = (port: number, listen: Listen): Promise<Serving> => listen(port);

async function onThisOrAnyPort(port: number, listen: Listen): Promise<Serving> {
  try {
    return await listen(port);
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    const serving = await listen(0);
    note(`Port ${port} is in use, perhaps by a page that is open already. This server took another port.`);
    return serving;
  }
}

type LinkFacts = { readonly isFailed: boolean; readonly isOpened: boolean; readonly hasPage: boolean };

function linkText(link: string, { isFailed, isOpened, hasPage }: LinkFacts): string {
  if (!hasPage)
    return `This build has no page. A client of its API logs in with the code in this link, which works once: ${link}\n`;
  if (isOpened) return `The page opens in your browser. If it does not, this link works once: ${link}\n`;
  const why = isFailed ? "There is no browser to open here. " : "";
  return `${why}Open the page with this link, which works once: ${link}\n`;
}

/** Derived from the token: secret options of apps stay readable as long as the token stays the same. */
const secretKey = (token: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", token, "", "toolgate: secret options of apps", 32));
