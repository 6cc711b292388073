/** A block of code. Colours come later from a worker; the text is there at once. */
import { useEffect, useState } from "preact/hooks";
import { Visible } from "../parts/visible.js";
import { highlight, type ColouredLine } from "./highlight.js";

export function Highlighted({ code, language }: { readonly code: string; readonly language: string }) {
  const [lines, setLines] = useState<readonly ColouredLine[]>();
  useEffect(() => {
    let isCurrent = true;
    setLines(undefined);
    void highlight(code, language).then((made) => isCurrent && setLines(made));
    return () => void (isCurrent = false);
  }, [code, language]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
    <pre tabIndex={0} role="group" aria-label="Code">
      <code>
        {lines ? (
          lines.map((line, index) => (
            <span key={index}>
              {index > 0 && "\n"}
              {line.map(({ text, className }, at) => (
                <span key={at} class={className}>
                  <Visible text={text} />
                </span>
              ))}
            </span>
          ))
        ) : (
          <Visible text={code} />
        )}
      </code>
    </pre>
  );
}
