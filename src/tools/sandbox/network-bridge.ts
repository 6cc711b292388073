/**
 * A network of its own for a sandbox, in which one port leads to a socket file outside: the one of the proxy. Two
 * bubblewraps: the outer one makes the network and keeps the bridge, which is not confined; the inner one is the sandbox,
 * in that network. The filter of the inner one refuses socket files, so that nothing but the port is left.
 */

/** Starts the words behind its first two, and passes each connection to the port on to the socket file. */
const BRIDGE = `
const [path, port, program, ...args] = process.argv.slice(1);
const net = require("node:net");
const bridge = net.createServer((inside) => {
  const outside = net.connect(path);
  for (const [one, other] of [[inside, outside], [outside, inside]])
    one.on("error", () => other.destroy()).on("close", () => other.destroy()).pipe(other);
});
bridge.listen(Number(port), "127.0.0.1", () => {
  const child = require("node:child_process").spawn(program, args, { stdio: "inherit", env: { PATH: "/usr/bin:/bin" } });
  child.on("error", () => process.exit(127));
  child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
});
`;

/** The port, in the sandbox's own network: it is free there. */
const PROXY_PORT = 3128;

export function bridgedWords(
  argv: readonly string[],
  { program, path }: { readonly program: string; readonly path: string },
): readonly [string, ...string[]] {
  const isRoot = process.getuid?.() === 0;
  return [
    program,
    ...(isRoot ? [] : ["--unshare-user"]),
    ..."--unshare-net --die-with-parent --dev-bind / /".split(" "),
    "--",
    process.execPath,
    "-e",
    BRIDGE,
    path,
    String(PROXY_PORT),
    ...argv,
  ];
}

/** Variables by which programs find the proxy. */
export const PROXY_VARIABLES: { readonly [name: string]: string } = Object.fromEntries([
  ...["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map((name) => [
    name,
    `http://127.0.0.1:${PROXY_PORT}`,
  ]),
  ["NO_PROXY", "localhost,127.0.0.1,::1"],
  ["no_proxy", "localhost,127.0.0.1,::1"],
  ["NODE_USE_ENV_PROXY", "1"],
]);
