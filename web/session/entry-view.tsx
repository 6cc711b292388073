/** One entry of a session: a message, a thought, a call, or the end of a turn. */
import { memo } from "preact/compat";
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { MessageEntry, SessionEntry } from "toolgate/serve/client";
import { Markdown } from "../code/markdown.js";
import { Icon } from "../parts/icon.js";
import { ImageBlock } from "../parts/image-block.js";
import { Visible } from "../parts/visible.js";
import { sentence } from "../words.js";
import { CallCardView } from "./call-card-view.js";

type EntryProps = {
  readonly entry: SessionEntry;
  readonly sessionId: string;
  readonly onUndo: (toolCallId: string) => void;
};

export const EntryView = memo(({ entry, sessionId, onUndo }: EntryProps) => {
  switch (entry.type) {
    case "message":
      return <MessageView entry={entry} />;
    case "call":
      return (
        <div class="entry call-entry">
          {nested(entry.depth, <CallCardView entry={entry} sessionId={sessionId} onUndo={onUndo} />)}
        </div>
      );
    case "turn-stopped":
      return (
        <div class="entry">
          <p class="stop">
            <Visible
              text={`Turn stopped: ${STOPS[entry.reason] ?? entry.reason}${entry.error === undefined ? "" : `. ${sentence(entry.error)}`}`}
            />
          </p>
        </div>
      );
    case "compaction":
      return (
        <div class="entry">
          <p class="stop">The conversation so far was summarized for the model</p>
        </div>
      );
    default:
      return entry satisfies never;
  }
});

const STOPS: Readonly<Record<string, string>> = {
  cancelled: "you stopped it",
  error: "an error",
  max_tokens: "the model's answer was too long",
  max_turn_requests: "too many steps",
  refusal: "the model refused",
};

function nested(depth: number, children: ComponentChildren): ComponentChildren {
  return depth === 0 ? children : <div class="nested">{nested(depth - 1, children)}</div>;
}

function MessageView({ entry }: { readonly entry: MessageEntry }) {
  const { role, blocks } = entry.message;
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  const images = blocks.flatMap((block) => (block.type === "image" ? [block] : []));
  const others = blocks.filter(({ type }) => type !== "text" && type !== "image").length;
  if (role === "thought") return <Thought text={text} />;
  return (
    <div class="entry">
      {role === "user" ? (
        <div class="said person">
          <span class="sr">You: </span>
          <Visible text={text} isProse />
          {others > 0 && (
            <span class="faint xs"> with {others === 1 ? "an attachment" : `${others} attachments`}</span>
          )}
          {images.length > 0 && (
            <div class="images">
              {images.map((image, index) => (
                <ImageBlock key={index} image={image} alt="Sent with the prompt" />
              ))}
            </div>
          )}
        </div>
      ) : (
        <div class="said">
          <span class="sr">The agent: </span>
          <Markdown text={text} />
          {entry.isCutOff && <p class="faint xs">Cut off; the model answered again below.</p>}
        </div>
      )}
    </div>
  );
}

function Thought({ text }: { readonly text: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="entry">
      <div class="thought">
        <Icon name="think" />
        Thought
        <button type="button" class="btn small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"}
        </button>
      </div>
      {isShown && (
        <div class="thought-text">
          <Markdown text={text} />
        </div>
      )}
    </div>
  );
}
