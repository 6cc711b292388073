// Agents that do what no agent should: argv[2] says what.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const HOW = {
  // Reads, and never says a word.
  silent: () => process.stdin.resume(),
  // Gone before it was asked.
  gone: () => {
    process.stderr.write("no model is configured\n");
    process.exit(3);
  },
  // One line without an end.
  flood: () => {
    const more = () => process.stdout.write("x".repeat(1 << 20), more);
    more();
  },
  // Ends on nothing but the signal that cannot be refused, and has a child that outlives it.
  stubborn: () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
    const child = spawn("sleep", ["600"], { stdio: "inherit" });
    if (process.env.PIDS) writeFileSync(process.env.PIDS, `${process.pid} ${child.pid}`);
    setInterval(() => undefined, 1000);
  },
  // Shapes that nothing expects, for every request.
  odd: () => {
    const replies = [null, 5, "x", [], [[]], { protocolVersion: {} }, { sessionId: 5 }, { stopReason: [] }];
    let next = 0;
    process.stdin.on("data", (chunk) => {
      for (const line of String(chunk).split("\n").filter(Boolean)) {
        const { id } = JSON.parse(line);
        process.stdout.write(
          `${JSON.stringify({ jsonrpc: "2.0", id, result: replies[next++ % replies.length] })}\n`,
        );
        process.stdout.write(
          `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: [id] })}\n5\n"x"\nnull\n`,
        );
      }
    });
  },
};

HOW[process.argv[2]]();
