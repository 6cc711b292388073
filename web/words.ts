/** Times, durations, paths and amounts in words. */
import { durationText } from "toolgate/view";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Exact enough to watch: "22 s", "4 min 12 s", "3 h 5 min", "2 d 3 h". */
export function longTime(ms: number): string {
  const time = Math.max(0, ms);
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min ${Math.floor((time % MINUTE) / SECOND)} s`;
  if (time < DAY) return `${Math.floor(time / HOUR)} h ${Math.floor((time % HOUR) / MINUTE)} min`;
  return `${Math.floor(time / DAY)} d ${Math.floor((time % DAY) / HOUR)} h`;
}

/** One unit, for lists: "22 s", "4 min", "3 h", "2 days". */
export function shortTime(ms: number): string {
  const time = Math.max(0, ms);
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min`;
  if (time < DAY) return `${Math.floor(time / HOUR)} h`;
  return counted(Math.floor(time / DAY), "day");
}

/** How long a call ran: "4 ms", "3.4 s", "5 min 0 s". */
export const runTime = (ms: number): string => durationText(0, Math.max(0, ms)) ?? "";

export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : plural}`;

const NUMBERS = new Intl.NumberFormat("en-US");

export const grouped = (count: number): string => NUMBERS.format(count);

/** A share of calls, or a dash where there are too few to state one. */
export const MIN_RATE_CALLS = 30;

export const rate = (count: number, of: number): string =>
  of < MIN_RATE_CALLS ? "–" : `${((100 * count) / of).toFixed(1)} %`;

/** The same as a figure of its own: "2 of 7" where there are too few calls for a rate. */
export const share = (count: number, of: number): string =>
  of < MIN_RATE_CALLS ? `${grouped(count)} of ${grouped(of)}` : rate(count, of);

const two = (value: number): string => String(value).padStart(2, "0");

export function clockTime(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** "Monday 16 November". */
export function dayName(at: number): string {
  const date = new Date(at);
  return `${WEEKDAYS[date.getDay()] ?? ""} ${date.getDate()} ${MONTHS[date.getMonth()] ?? ""}`;
}

/** "16 Nov", and the year where it is not this one. */
export function shortDate(at: number, now = Date.now()): string {
  const date = new Date(at);
  const year = date.getFullYear() === new Date(now).getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${(MONTHS[date.getMonth()] ?? "").slice(0, 3)}${year}`;
}

/** "today 14:02", "16 Nov 14:02". */
export function when(at: number, now = Date.now()): string {
  const day = new Date(at).toDateString() === new Date(now).toDateString() ? "today" : shortDate(at, now);
  return `${day} ${clockTime(at).slice(0, 5)}`;
}

export const ago = (at: number, now: number): string =>
  now - at < 5 * SECOND ? "now" : `${shortTime(now - at)} ago`;

/** The last folder of a path: the project's name. */
export const lastPart = (path: string): string => /([^/]+)\/*$/.exec(path)?.[1] ?? path;

/** A path below the folder without it. */
export const inFolder = (path: string, folder: string | undefined): string =>
  folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** A capital first and a stop last. A program, a path or an address keeps its letters: `names` is the text that names them. */
export function sentence(text: string, names = ""): string {
  if (text === "") return "";
  const [first = ""] = /^\S*?(?=[,;:]?(?:\s|$))/.exec(text) ?? [];
  const isName = /[^\p{L}'’-]/u.test(first) || names.split(/[^\p{L}\p{N}_-]+/u).includes(first);
  const started = isName ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return `${started}${/[.!?…]$/.test(text) ? "" : "."}`;
}

/** "1.20 USD", and for a cost that two digits cannot show "0.0004 USD". */
export const costText = (usd: number): string =>
  `${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : Number(usd.toPrecision(2))} USD`;
