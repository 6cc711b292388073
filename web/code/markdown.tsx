/**
 * An agent's Markdown as elements that are made by hand. There is no HTML: tags are shown as text, a link is its text and
 * its address, an image its description and its address. Nothing is loaded and nothing leads away.
 */
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useRef } from "preact/hooks";
import type { Token, Tokens } from "marked";
import { Visible } from "../parts/visible.js";
import { Highlighted } from "./highlighted.js";
import { growBlocks, NO_BLOCKS, type MarkdownBlock } from "./markdown-blocks.js";

export function Markdown({ text }: { readonly text: string }) {
  const blocks = useRef(NO_BLOCKS);
  blocks.current = growBlocks(blocks.current, text);
  return (
    <div class="md">
      {blocks.current.blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

const Block = memo(
  ({ block }: { readonly block: MarkdownBlock }) => <>{blockNode(block.token)}</>,
  (before, after) => before.block.raw === after.block.raw,
);

/** The lexer's types are a union with an open member; each case has checked its type. */
function blockNode(token: Token): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "code":
      return <Highlighted code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "heading":
      return heading(token as Tokens.Heading);
    case "hr":
      return <hr />;
    case "blockquote":
      return <blockquote class="md">{blocksOf((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "list":
      return list(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "paragraph":
    case "text":
      return <p>{inlineOf(token)}</p>;
    default:
      return (
        <p>
          <Visible text={token.raw} isProse />
        </p>
      );
  }
}

const blocksOf = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token) => blockNode(token));

/** The page's own heading is h1, so an agent's begin at h2. */
function heading({ depth, tokens }: Tokens.Heading): ComponentChildren {
  if (depth === 1) return <h2>{inlines(tokens)}</h2>;
  return depth === 2 ? <h3>{inlines(tokens)}</h3> : <h4>{inlines(tokens)}</h4>;
}

function list({ ordered, start, items }: Tokens.List): ComponentChildren {
  const children = items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.task && (item.checked === true ? "☑ " : "☐ ")}
      {item.tokens.map((token) =>
        token.type === "checkbox" ? null : token.type === "text" ? inlineOf(token) : blockNode(token),
      )}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows }: Tokens.Table): ComponentChildren {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard.
    <div class="table-box" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} class={sideOf(cell)}>
                {inlines(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={sideOf(cell)}>
                  {inlines(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const sideOf = ({ align }: Tokens.TableCell): string | undefined =>
  align === "right" || align === "center" ? `to-${align}` : undefined;

const inlineOf = (token: Token): ComponentChildren =>
  "tokens" in token && token.tokens ? inlines(token.tokens) : <Visible text={textOf(token)} isProse />;

const inlines = (tokens: readonly Token[] = []): ComponentChildren =>
  tokens.map((token) => inlineNode(token));

const textOf = (token: Token): string =>
  "text" in token && typeof token.text === "string" ? token.text : token.raw;

function inlineNode(token: Token): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inlineOf(token)}</strong>;
    case "em":
      return <em>{inlineOf(token)}</em>;
    case "del":
      return <del>{inlineOf(token)}</del>;
    case "codespan":
      return (
        <code>
          <Visible text={textOf(token)} isOneLine />
        </code>
      );
    case "br":
      return <br />;
    case "link":
      return address((token as Tokens.Link).href, inlineOf(token), textOf(token));
    case "image":
      return address(
        (token as Tokens.Image).href,
        <>
          image: <Visible text={textOf(token)} isProse />
        </>,
        "",
      );
    case "text":
    case "escape":
      return inlineOf(token);
    default:
      return <Visible text={token.raw} isProse />;
  }
}

/** An address that is its own text is shown once. */
function address(href: string, children: ComponentChildren, text: string): ComponentChildren {
  if (href === text || href === `mailto:${text}`) return <>{children}</>;
  return (
    <>
      {children}{" "}
      <span class="to">
        (<Visible text={href} isOneLine />)
      </span>
    </>
  );
}
