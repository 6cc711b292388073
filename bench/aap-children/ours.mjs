// Our server as an agent author would write it, durable on SQLite. One address asks for everything here, so the limit of
// one address is lifted.
import { createAgent } from "toolgate";
import { serveAap } from "toolgate/aap";
import { openLedger } from "toolgate/history";
import { model } from "./model.mjs";
import { listening, TOKEN } from "./work.mjs";

const ledger = await openLedger(process.argv[2]);
const { url } = await serveAap(createAgent({ name: "bench", model, tools: [] }), {
  port: 0,
  token: TOKEN,
  ledger,
  limits: { requestsPerSecond: 1_000_000 },
});
listening(url);
