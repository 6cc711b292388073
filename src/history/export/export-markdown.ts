/** A session as a page of Markdown. Text that others wrote stands inside fences, never outside of one. */
import type { ContentBlock, Message, Session, ToolCall, ToolCallContent } from "../../call/index.js";
import { breachSentence, endSentence, oneLine, pluralize, shownText, visibleText } from "../../call/index.js";

const MAX_BLOCK_LENGTH = 50_000;
const MAX_LINE_LENGTH = 200;

export function* sessionMarkdown(session: Session): Generator<string> {
  const { info, sessionId } = session;
  yield `# ${inline(info.title ?? `Session ${sessionId}`)}\n\n`;
  const facts = [
    ["Session", sessionId],
    ["Agent", info.agent],
    ["Folder", info.cwd],
  ] as const;
  for (const [name, value] of facts) if (value !== undefined) yield `- ${name}: ${code(value)}\n`;
  for (const entry of session.timeline) {
    yield* entry.type === "message" ? messagePart(entry.message) : callPart(entry.call);
  }
}

const SPEAKERS = { user: "User", agent: "Agent", thought: "Thought" } as const;

function* messagePart({ role, at, blocks }: Message): Generator<string> {
  yield `\n## ${SPEAKERS[role]} · ${moment(at)}\n`;
  for (const block of blocks) yield blockPart(block);
}

function* callPart(call: ToolCall): Generator<string> {
  const { state, decision, times } = call;
  yield `\n## Tool call ${inline(call.title)} · ${moment(times.announced)}\n\n`;
  yield `- Tool: ${code(call.name)} (${inline(call.kind)})\n- Status: ${[state.status, ...(call.breach ? ["breach"] : []), ...(times.undone === undefined ? [] : ["undone"])].join(", ")}\n`;
  const breach = breachSentence(call);
  if (breach !== undefined) yield `- Breach: ${code(breach)}\n`;
  if (decision) {
    const who = decision.by === "rule" ? (decision.rule ?? "a rule") : (decision.who ?? "a person");
    yield `- Decided by ${decision.by}: ${code(who)}${decision.reason === undefined ? "" : `, ${code(decision.reason)}`}\n`;
  }
  const sentence = endSentence(call);
  if (sentence !== undefined && sentence !== breach) yield `- ${code(sentence)}\n`;
  if (call.rawInput !== undefined) yield `\nInput:\n${fenced(json(call.rawInput), "json")}`;
  for (const content of call.content) yield contentPart(content);
}

function contentPart(content: ToolCallContent): string {
  switch (content.type) {
    case "content":
      return blockPart(content.content);
    case "terminal":
      return content.output ? fenced(shownText(content.output)) : "";
    case "diff": {
      const { path, oldText, newText, patch } = content;
      const name = `\n${content.operation} ${code(path)}:\n`;
      if (patch !== undefined) return name + fenced(patch, "diff");
      const before = oldText === undefined ? "" : `\nBefore:\n${fenced(oldText)}`;
      return `${name}${before}${newText === undefined ? "" : `\nAfter:\n${fenced(newText)}`}`;
    }
    default:
      return content satisfies never;
  }
}

function blockPart(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return fenced(block.text);
    case "resource_link":
      return `\nLink: ${code(block.uri)}\n`;
    case "resource":
      return "text" in block.resource
        ? `\n${code(block.resource.uri)}:\n${fenced(block.resource.text)}`
        : `\n${code(block.resource.uri)} (bytes, left out)\n`;
    case "image":
    case "audio":
      return `\n(${block.type} ${code(block.mimeType)}, left out)\n`;
    default:
      return block satisfies never;
  }
}

/** The fence is longer than any run of backticks inside. */
function fenced(text: string, language = ""): string {
  const shown = visibleText(bounded(text), { keepNewlines: true });
  let longest = 2;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `\n${fence}${language}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

function bounded(text: string): string {
  if (text.length <= MAX_BLOCK_LENGTH) return text;
  const head = text.slice(0, MAX_BLOCK_LENGTH).replace(/[\uD800-\uDBFF]$/, "");
  return `${head}\n… ${pluralize(text.length - head.length, "character")} left out …`;
}

/** Inline code on one line, without markup of its own. */
function code(text: string): string {
  return `\`${oneLine(text, MAX_LINE_LENGTH).replaceAll("`", "'")}\``;
}

function inline(text: string): string {
  return oneLine(text, MAX_LINE_LENGTH).replace(/[\\`*_{}[\]()#+!<>|&~]/g, String.raw`\$&`);
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}

function moment(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}
