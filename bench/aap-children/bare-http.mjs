// No agent, no ledger, no framework: reads the request and writes the recorded events, one after the other.
import { createServer } from "node:http";
import { FRAMES, NONE, pacedFrames } from "./recorded.mjs";
import { listening } from "./work.mjs";

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end();
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text));
  request.on("end", () => {
    const { stream, messages } = JSON.parse(body);
    if (stream === "none") {
      response.writeHead(200, { "content-type": "application/json" }).end(NONE);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (messages[0].content === "paced") {
      pacedFrames(
        ({ text }) => response.write(text),
        () => response.end(),
      );
      return;
    }
    for (const { text } of FRAMES) response.write(text);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => listening(`http://127.0.0.1:${server.address().port}`));
