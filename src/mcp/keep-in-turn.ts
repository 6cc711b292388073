/**
 * What a connected transport brings, one after the other, and what it will never bring.
 *
 * The client library handles a notification a moment after it came, and an answer at once: of two that come
 * together the answer would win, and the last progress of a call be lost. And when the stream that was to
 * bring an answer over HTTP is over for good, it would wait for that answer until its time is up.
 */
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";

export function keepInTurn(transport: Transport, onUnanswered: () => void): void {
  const open = new Set<RequestId>();
  const deliver = transport.onmessage;
  const send = transport.send.bind(transport);
  let last = Promise.resolve();
  const onmessage: Transport["onmessage"] = (message, extra) => {
    if (!("method" in message) && message.id !== undefined) open.delete(message.id);
    last = last.then(() => deliver?.(message, extra));
  };
  const sendNoted: Transport["send"] = (message, options) => {
    const id = requestIdOf(message);
    if (id !== undefined) open.add(id);
    const cancelled = cancelledIdOf(message);
    if (cancelled !== undefined) open.delete(cancelled);
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        if (id !== undefined && open.has(id)) onUnanswered();
      },
    });
  };
  Object.assign(transport, { onmessage, send: sendNoted });
}

function requestIdOf(message: JSONRPCMessage): RequestId | undefined {
  return "method" in message && "id" in message ? message.id : undefined;
}

function cancelledIdOf(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "number" || typeof id === "string" ? id : undefined;
}
