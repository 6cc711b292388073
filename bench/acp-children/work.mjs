// The work that both sides of the benchmark share.
export const CALLS = 200;
export const REPORTS = 10;
export const QUESTIONS = 100;

const line = "const answer = compute(question, { carefully: true });\n";
const oldText = line.repeat(45);
export const DIFF = { oldText, newText: `${oldText}// end\n` };
