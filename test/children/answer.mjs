// A process that answers every open question of a ledger with yes, at once or on a starting signal, and prints how
// many of its answers counted. Usage: answer.mjs <ledger> <who> [on-signal]
import { openLedger } from "../../src/history/index.js";
import { startingSignal } from "./starting-signal.mjs";

const [file, who, when] = process.argv.slice(2);
const ledger = await openLedger(file);
const questions = await ledger.openQuestions();
if (when === "on-signal") await startingSignal();
let counted = 0;
for (const { questionId, intentHash, options } of questions) {
  const optionId = options.find(({ kind }) => kind === "allow_once").optionId;
  const receipt = await ledger.answer(questionId, {
    outcome: { type: "selected", optionId },
    intentHash,
    by: "person",
    who,
    at: Date.now(),
  });
  if (receipt.counted) counted += 1;
}
process.stdout.write(JSON.stringify({ asked: questions.length, counted }));
await ledger.close();
