// A process that gives the one open question of a ledger the same answer many times at once, on a starting signal,
// and prints how many of its answers counted. Usage: gate-answers.mjs <ledger> <times>
import { openLedger } from "../../src/history/index.js";
import { startingSignal } from "./starting-signal.mjs";

const [file, times] = process.argv.slice(2);
const ledger = await openLedger(file);
const [{ questionId, intentHash }] = await ledger.openQuestions();
await startingSignal();
const answer = {
  outcome: { type: "selected", optionId: "allow_once" },
  intentHash,
  by: "person",
  at: Date.now(),
};
const receipts = await Promise.all(
  Array.from({ length: Number(times) }, () => ledger.answer(questionId, answer)),
);
process.stdout.write(JSON.stringify(receipts.filter(({ counted }) => counted).length));
await ledger.close();
