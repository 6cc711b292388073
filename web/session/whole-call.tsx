/** A call with everything that was recorded: whole output in colours, whole diffs, images, input and output as data. */
import type { CallDetail } from "toolgate/serve/client";
import type { ToolCallContent } from "toolgate/call";
import { shownText } from "toolgate/call";
import { DiffView } from "../code/diff-view.js";
import { Terminal } from "../code/terminal.js";
import { ImageBlock } from "../parts/image-block.js";
import { Visible } from "../parts/visible.js";

type WholeProps = {
  readonly detail: CallDetail;
  /** Its terminals stay at their ends while output comes. */
  readonly isLive?: boolean;
  readonly onClose?: () => void;
};

export function WholeCall({ detail, isLive = false, onClose }: WholeProps) {
  const { content, diffs, rawInput, rawOutput, originalInput } = detail;
  return (
    <>
      {diffs.map((diff, index) => (
        <DiffView key={index} diff={diff} />
      ))}
      {content.map((item, index) => (
        <Content key={index} item={item} isLive={isLive} />
      ))}
      <Data name="Input" value={rawInput} />
      <Data name="Input as the agent wrote it" value={originalInput} />
      <Data name="Output" value={rawOutput} />
      {onClose && (
        <div>
          <button type="button" class="btn small" onClick={onClose}>
            Less of it
          </button>
        </div>
      )}
    </>
  );
}

type ContentProps = { readonly item: ToolCallContent; readonly isLive: boolean };

function Content({ item, isLive }: ContentProps) {
  if (item.type === "diff") return null;
  if (item.type === "terminal") {
    if (!item.output) return null;
    const text = shownText(item.output);
    if (text === "")
      return <p class="faint xs">{isLive ? "No output yet." : "The command printed nothing."}</p>;
    return <Terminal text={text} isLive={isLive} />;
  }
  const { content } = item;
  if (content.type === "text")
    return (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
      <pre class="term" tabIndex={0} role="group" aria-label="Text of the call">
        <Visible text={content.text} />
      </pre>
    );
  if (content.type === "image") return <ImageBlock image={content} alt="From the call" />;
  return (
    <p class="faint xs">
      <Visible text={content.type === "resource_link" ? `Link, not opened: ${content.uri}` : content.type} />
    </p>
  );
}

function Data({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (value === undefined || value === null) return null;
  return (
    <details>
      <summary class="faint xs">{name}</summary>
      <pre class="json">
        <Visible text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
      </pre>
    </details>
  );
}
