/**
 * ACP over standard input and output: one JSON message a line. A line that is no JSON is answered with a
 * parse error and the connection goes on; a line that does not end is cut off before it fills the memory.
 */
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isJsonObject } from "./json.js";

const MAX_LINE = 32 * 1024 * 1024;

/** `onTrouble` hears why a connection had to be closed from this side. */
export function stdioStream(
  input: Readable,
  output: Writable,
  onTrouble: (error: unknown) => void = () => undefined,
): Stream {
  const write = writer(output);
  return {
    writable: new WritableStream<AnyMessage>({ write }),
    readable: new ReadableStream<AnyMessage>({
      async start(controller) {
        try {
          for await (const line of linesOf(input))
            await receive(line, (message) => controller.enqueue(message), write);
          controller.close();
        } catch (error) {
          onTrouble(error);
          controller.error(error);
        }
      },
      cancel() {
        input.destroy();
      },
    }),
  };
}

/** Waits for the other side to keep up, and fails when it is gone. */
function writer(output: Writable): (message: AnyMessage) => Promise<void> {
  // Without a listener a closed pipe would end the process; each write hears of it for itself.
  output.on("error", () => undefined);
  return (message) =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
}

/** Only what is new is searched: a long line costs no more than its length. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of input) {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    pieces.push(first);
    length += first.length;
    if (length > MAX_LINE)
      throw new Error(`A message is longer than ${MAX_LINE} characters. The connection was closed.`);
    for (const part of others) {
      yield pieces.join("");
      pieces = [part];
      length = part.length;
    }
  }
  yield pieces.join("");
}

async function receive(
  line: string,
  deliver: (message: AnyMessage) => void,
  write: (message: AnyMessage) => Promise<void>,
): Promise<void> {
  const text = line.replace(/^\uFEFF/, "").trim();
  if (text === "") return;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return write(protocolError(-32700, "Parse error: the line is not JSON"));
  }
  if (!isJsonObject(message))
    return write(
      protocolError(-32600, "Invalid request: a message is one JSON object; there are no batches"),
    );
  // The SDK checks what kind of message it is.
  deliver(message as AnyMessage);
}

function protocolError(code: number, message: string): AnyMessage {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
