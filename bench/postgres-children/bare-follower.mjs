// The bare limit of another instance: listens, reads the row that a notification names, and reports when.
import { Client } from "pg";

const [, , host, port] = process.argv;
const connect = async () => {
  const client = new Client({ host, port: Number(port), user: "toolgate", database: "postgres" });
  await client.connect();
  return client;
};
const [listener, reader] = [await connect(), await connect()];
listener.on("notification", async ({ payload }) => {
  const seq = Number(payload);
  await reader.query({
    name: "read",
    text: "select seq, event from bare where session = 3 and seq = $1",
    values: [seq],
  });
  process.send({ seq, at: Number(process.hrtime.bigint()) / 1e6 });
});
await listener.query("listen bare");
process.send("ready");
