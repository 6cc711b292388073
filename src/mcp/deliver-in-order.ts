/**
 * Delivers the messages of a transport one after the other, and reports a request that can get no response any more.
 *
 * The client library handles a notification in a later microtask, and a response at once: when both arrive together,
 * the response overtakes the last progress of its call, which is lost. And when the HTTP stream of a response ends
 * without it, the library would wait until the request times out.
 */
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";

export function deliverInOrder(transport: Transport, onUnanswered: () => void): void {
  const pending = new Set<RequestId>();
  const deliver = transport.onmessage;
  const send = transport.send.bind(transport);
  let delivered = Promise.resolve();
  const onmessage: Transport["onmessage"] = (message, extra) => {
    if (!("method" in message) && message.id !== undefined) pending.delete(message.id);
    delivered = delivered.then(() => deliver?.(message, extra));
  };
  const sendTracked: Transport["send"] = (message, options) => {
    const id = requestIdOf(message);
    if (id !== undefined) pending.add(id);
    const cancelled = cancelledIdOf(message);
    if (cancelled !== undefined) pending.delete(cancelled);
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        if (id !== undefined && pending.has(id)) onUnanswered();
      },
    });
  };
  Object.assign(transport, { onmessage, send: sendTracked });
}

function requestIdOf(message: JSONRPCMessage): RequestId | undefined {
  return "method" in message && "id" in message ? message.id : undefined;
}

function cancelledIdOf(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "number" || typeof id === "string" ? id : undefined;
}
