/** Readers for the programs of data/containers.json. */
import type { Reader } from "../program.js";
import { awsReader, cloudReader } from "./cloud.js";
import { containerRunReader } from "./container-run.js";
import { within } from "./copy-and-move.js";
import { CHOSEN_THERE } from "./web-address.js";

/** kubectl takes the names of things in any case, and several at once: `secret/x`, `pods,Secrets`. */
const SECRETS = /(?:^|,)secrets?(?:$|[,/.])/i;
/** Things whose loss or making reaches far beyond themselves. */
const FAR =
  /^(?:token|clusterrole\w*|role\w*|secrets?|namespaces?|ns|pv|pvc|persistentvolume\w*|crds?|customresource\w*|nodes?|no)(?:$|[,/.])/i;

const kubeSecrets: Reader = {
  effects: (words) => ({
    doubts: words.some((word) => SECRETS.test(word)) ? ["shows the secrets of the cluster"] : [],
  }),
};

const kubeThings: Reader = {
  effects: (words) => ({
    doubts: words.filter((word) => FAR.test(word)).map((word) => `"${word}" reaches further than one thing`),
  }),
};

/** One doubt covers everything: flags and words are not read. */
const unread: Reader = { prepare: () => [] };

/** Behind `--` stand flags and a command for ssh. */
const vagrantSsh: Reader = {
  prepare: (args) => {
    const end = args.indexOf("--");
    return end === -1 ? args : [...args.slice(0, end), `--command=${args.slice(end + 1).join(" ")}`];
  },
};

/** `docker cp c:/app/a .` writes `./a`; a source that ends with `/.` brings whatever names the folder holds. */
const containerCopy: Reader = {
  effects: ([from = "", to = ""]) => {
    if (!INSIDE.test(from) || INSIDE.test(to) || to === "") return {};
    const source = from.slice(from.indexOf(":") + 1);
    return { writes: within([to], [source]), doubts: /\/\.?$/.test(source) ? [CHOSEN_THERE] : [] };
  },
};

const INSIDE = /^\w[\w.-]*:/;

export const containersReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["container-run", containerRunReader],
  ["kube-secrets", kubeSecrets],
  ["kube-things", kubeThings],
  ["unread", unread],
  ["container-copy", containerCopy],
  ["vagrant-ssh", vagrantSsh],
  ["aws", awsReader],
  ["cloud", cloudReader],
];
