// No agent and no ledger: hono and its own helper for server-sent events, with the recorded ones.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { FRAMES, NONE, pacedFrames } from "./recorded.mjs";
import { listening } from "./work.mjs";

const app = new Hono();
app.get("/meta", (context) => context.body(null));
app.post("/sessions/:id/turns", async (context) => {
  const { stream: mode, messages } = await context.req.json();
  if (mode === "none") return context.body(NONE, 200, { "content-type": "application/json" });
  const isPaced = messages[0].content === "paced";
  return streamSSE(context, async (stream) => {
    const write = ({ id, event, data }) => stream.writeSSE({ id, event, data });
    if (!isPaced) {
      for (const frame of FRAMES) await write(frame);
      return;
    }
    const written = [];
    await new Promise((resolve) => pacedFrames((frame) => void written.push(write(frame)), resolve));
    await Promise.all(written);
  });
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  listening(`http://127.0.0.1:${port}`),
);
