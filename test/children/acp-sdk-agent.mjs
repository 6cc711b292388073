/** An agent written with the ACP SDK, as its own example is: words, a plan, a call that needs no permission, one that does. */
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { sdkAgent } from "./acp-sdk-app.mjs";

const connection = sdkAgent().connect(
  acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)),
);
await connection.closed;
process.exit(0);
