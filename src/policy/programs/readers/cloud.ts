/** The command lines of clouds: what only shows something, and what carries data there or back. */
import type { Effects, Reader } from "../program.js";
import { ELSEWHERE_PLACE } from "../path-effects.js";
import { within } from "./copy-and-move.js";
import { ANY_HOST, CHOSEN_THERE } from "./web-address.js";

const ELSEWHERE = "works elsewhere, or with other settings";

const SHOWS = /^(?:describe|list|get|head|lookup|filter|tail|wait|search|batch-get|scan|query)(?:-|$)/;
/** These subcommands show secrets, or write their results into the file that the last word names. */
const KEEPS =
  /secret|password|token|credential|parameter|session|authorization|login|get-object(?:-torrent)?$|^get-(?:export|sdk|job-output|media|clip|thing-shadow|configuration|package-version-asset|snapshot-block)$/;

const LOSES = /^(?:delete|remove|terminate|destroy|purge|deregister|rm)(?:-|$)/;

function awsWords(words: readonly string[]): Effects {
  const [service = "", verb = "", ...rest] = words;
  if (words.length === 0 || verb === "help" || service === "help") return {};
  const away = rest.filter((word) => leadsAway(word)).map((word) => `"${word}" ${ELSEWHERE}`);
  if (service === "s3" && /^(?:ls|mb|rb|presign|cp|mv|sync|rm)$/.test(verb))
    return { ...bucketEffects(verb, rest), doubts: [...away, ...namesFromBucket(verb, rest)] };
  const isKnown =
    (SHOWS.test(verb) && !KEEPS.test(verb)) ||
    (service === "sts" && verb === "get-caller-identity") ||
    (service === "configure" && verb === "list");
  if (isKnown) return { urls: [ANY_HOST], doubts: away };
  const deletes = LOSES.test(verb) ? [ELSEWHERE_PLACE] : [];
  const act = KEEPS.test(`${service} ${verb}`) ? { reveals: [verb] } : { deploys: [verb] };
  return { urls: [ANY_HOST], sends: [ANY_HOST], deletes, ...act, doubts: away };
}

const AWAY = ["--endpoint-url", "--ca-bundle", "--cli-input", "--profile", "--cli-binary"];

/** The program takes the beginning of an option's name for the option: `--endpoint`. */
function leadsAway(word: string): boolean {
  const [name = ""] = word.split("=", 1);
  const isOption = AWAY.some((option) => name.startsWith(option) || option.startsWith(name));
  return /^(?:file|fileb):\/\//.test(word) || (/^--\w/.test(name) && isOption);
}

function namesFromBucket(verb: string, rest: readonly string[]): readonly string[] {
  const [from = "", to = "s3://"] = rest.filter((word) => !word.startsWith("-"));
  const isMany = verb === "sync" || (/^(?:cp|mv)$/.test(verb) && rest.includes("--recursive"));
  return isMany && from.startsWith("s3://") && !to.startsWith("s3://") ? [CHOSEN_THERE] : [];
}

/** `aws s3 cp FROM TO` and its like; the flags behind them take values that look like paths. */
function bucketEffects(verb: string, rest: readonly string[]): Effects {
  const buckets = rest.filter((word) => word.startsWith("s3://"));
  const urls = buckets.length === 0 ? [ANY_HOST] : buckets;
  if (/^(?:ls|presign)$/.test(verb)) return { urls };
  if (verb === "mb") return { urls, sends: urls };
  if (/^(?:rb|rm)$/.test(verb)) return { urls, sends: urls, deletes: [ELSEWHERE_PLACE] };
  const words = rest.filter((word) => !word.startsWith("-"));
  const here = words.filter((word) => !word.startsWith("s3://"));
  const [from = "", to = ""] = words;
  const isUpload = to.startsWith("s3://");
  const target = isUpload || to === "" ? [] : [to];
  return {
    urls,
    reads: here,
    sends: isUpload ? [to] : [],
    writes: [...target, ...within(target, from.startsWith("s3://") ? [from] : [])],
    editsBelow: target,
    moves: verb === "mv" && !from.startsWith("s3://") ? [from] : [],
    deletes: isUpload && verb === "sync" && rest.includes("--delete") ? [ELSEWHERE_PLACE] : [],
    deletesBelow: verb === "sync" && rest.includes("--delete") ? target : [],
  };
}

const CHANGES =
  /^(?:delete|create|update|set|add|remove|deploy|destroy|run|start|stop|restart|apply|import|export|upload|download|copy|cp|mv|rm|scp|exec|invoke|call|submit|patch|reset|enable|disable|attach|detach|resize|scale|move|replace|execute|launch)(?:-|$)/;

/** `gcloud compute instances list`, `az vm show -n x`: nouns, then the verb, then names and flags. */
function cloudWords(words: readonly string[]): Effects {
  const plain = words.filter((word) => !word.startsWith("-"));
  const verbAt = plain.findIndex((word) => /^(?:list|show|describe|get|info|version|help|ls)$/.test(word));
  const shows =
    verbAt !== -1 &&
    !plain.slice(0, verbAt).some((word) => CHANGES.test(word)) &&
    !plain.some((word) => /secret|key|token|password|credential|ssh|auth|access|feedback/.test(word));
  return {
    urls: [ANY_HOST],
    sends: shows ? [] : [ANY_HOST],
    deletes: !shows && plain.some((word) => LOSES.test(word)) ? [ELSEWHERE_PLACE] : [],
    // az takes a value from a file where it begins with `@`.
    reads: words.filter((word) => /^(?:-[^=]*=)?@./.test(word)).map((word) => word.replace(/^[^@]*@/, "")),
    doubts: [
      ...(shows ? [] : ["does more than show something, or shows a secret"]),
      ...words.filter((word) => word.startsWith("--flags-file")).map((word) => `"${word}" ${ELSEWHERE}`),
    ],
  };
}

export const awsReader: Reader = { effects: awsWords };
export const cloudReader: Reader = { effects: cloudWords };
