/** The facts and the searchable text that an archive has of a session, a call or a message: bounded, and redacted. */
import type {
  DecidedBy,
  ContentBlock,
  DiffContent,
  Message,
  SessionInfo,
  ToolCall,
  ToolCallContent,
} from "../call/index.js";
import {
  breachSentence,
  endSentence,
  runDuration,
  sessionModel,
  shownText,
  waitDuration,
} from "../call/index.js";
import { isCounted } from "../call/call-parts.js";
import { redact, redactJson } from "./redaction/redact.js";
import type { RedactionPattern } from "./redaction/redaction-pattern.js";

/** The searchable length of one input, output or message. */
const MAX_PART_LENGTH = 16_384;

export type SessionFacts = {
  readonly title: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly isElsewhere: boolean;
};

export function sessionFacts(info: SessionInfo, patterns: readonly RedactionPattern[]): SessionFacts {
  const { model, isElsewhere } = sessionModel(info);
  const text = (value: string | undefined) =>
    value === undefined ? null : storable(redact(value.slice(0, 4_096), patterns));
  return {
    title: text(info.title),
    agent: text(info.agent),
    // Not shortened: the folder distinguishes one project's history from another's.
    cwd: info.cwd === undefined ? null : storable(info.cwd),
    model: model === undefined ? null : storable(model),
    isElsewhere,
  };
}

export type CallFacts = {
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly day: string;
  readonly decidedBy: DecidedBy | null;
  readonly who: string | null;
  readonly rule: string | null;
  readonly ranMs: number | null;
  readonly waitedMs: number | null;
  readonly outputSize: number;
  readonly breach: string | null;
  /** Part of another call, and counted with it. */
  readonly isPart: boolean;
};

/** A call that nobody decided on has the decision about its parts. */
export function callFacts(
  call: ToolCall,
  patterns: readonly RedactionPattern[],
  parts: readonly ToolCall[] = [],
): CallFacts {
  const { times } = call;
  const decision = call.decision ?? parts.find((part) => part.decision)?.decision;
  const breach = breachSentence(call);
  return {
    name: storable(call.name),
    kind: storable(call.kind),
    title: storable(redact(cut(call.title), patterns)),
    status: call.state.status,
    day: dayOf(times.announced),
    decidedBy: decision?.by ?? null,
    who: decision?.who === undefined ? null : storable(redact(cut(decision.who), patterns)),
    rule: decision?.rule === undefined ? null : storable(redact(cut(decision.rule), patterns)),
    ranMs: runDuration(times) ?? null,
    waitedMs: waitDuration(times) ?? null,
    outputSize: call.content.reduce((size, content) => size + sizeOf(content), 0),
    breach: breach === undefined ? null : storable(redact(cut(breach), patterns)),
    isPart: !isCounted(call),
  };
}

export function callText(call: ToolCall, patterns: readonly RedactionPattern[]): string {
  const parts = [
    call.title,
    call.name,
    ...call.locations.map(({ path }) => path),
    inputText(call.rawInput, patterns),
    ...call.content.map(contentText),
    ...(call.childSteps ?? []).map(({ text }) => text),
    endSentence(call) ?? "",
    breachSentence(call) ?? "",
    call.decision?.reason ?? "",
  ];
  return storable(
    parts
      .filter((part) => part !== "")
      .map((part) => redact(cut(part), patterns))
      .join("\n"),
  );
}

export function messageText({ blocks }: Message, patterns: readonly RedactionPattern[]): string {
  return storable(redact(cut(blocks.map(blockText).join("\n")), patterns));
}

/** Text that SQLite stores whole, without the characters that mark matches. */
export function storable(text: string): string {
  // Everything but line ends and tabs among the controls, and half surrogate pairs.
  return text.replace(/(?![\n\t])\p{Cc}/gu, " ").replace(/\p{Cs}/gu, "\uFFFD");
}

/** Redacts the value before it becomes text, since only a value has names that mark a secret. */
function inputText(rawInput: unknown, patterns: readonly RedactionPattern[]): string {
  if (rawInput === undefined) return "";
  if (typeof rawInput === "string") return rawInput;
  const texts: string[] = [];
  gather(redactJson(rawInput, patterns), texts);
  return texts.join("\n");
}

function gather(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "number" || typeof value === "boolean") texts.push(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) gather(part, texts);
  }
}

function contentText(content: ToolCallContent): string {
  switch (content.type) {
    case "content":
      return blockText(content.content);
    case "terminal":
      return content.output ? shownText(content.output) : "";
    case "diff":
      return [content.path, content.oldPath ?? "", diffText(content)].join("\n");
    default:
      return content satisfies never;
  }
}

function diffText({ patch, hunks, newText }: DiffContent): string {
  return patch ?? hunks?.map((hunk) => hunk.newText).join("\n") ?? newText ?? "";
}

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return `${block.name}\n${block.uri}`;
  if (block.type !== "resource") return "";
  return "text" in block.resource ? `${block.resource.uri}\n${block.resource.text}` : block.resource.uri;
}

function sizeOf(content: ToolCallContent): number {
  if (content.type === "terminal") return content.output?.total ?? 0;
  return content.type === "content" ? blockText(content.content).length : 0;
}

function cut(text: string): string {
  return text.length <= MAX_PART_LENGTH
    ? text
    : text.slice(0, MAX_PART_LENGTH).replace(/[\uD800-\uDBFF]$/, "");
}

/** The day in UTC. Times come from other programs too, and not every number is a valid Date. */
function dayOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString().slice(0, 10);
}
