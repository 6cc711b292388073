/** The end of each command's help: examples to copy, and the meaning of its exit code. */
import type { Command } from "commander";

const EXAMPLES: ReadonlyMap<string, string> = new Map([
  [
    "toolgate",
    `Examples:
  toolgate                                    the page, with a demo, in your browser
  toolgate demo                               the demo in the terminal
  toolgate chat                               talk with an agent, here
  toolgate run "look around"                  one turn, and its calls as text
  toolgate run --script fix.json "fix it"     the same with your own script
  toolgate acp                                the command for your editor's settings
  toolgate serve                              apps connect to http://127.0.0.1:4320

Rules decide which calls are asked about and which run. They do not isolate what runs.`,
  ],
  [
    "toolgate page",
    `Examples:
  toolgate
  toolgate --no-open --port 8080
  toolgate page --model anthropic/claude-sonnet-4-5`,
  ],
  [
    "toolgate pair",
    `Examples:
  toolgate pair
  toolgate pair --role watch --url https://desk.example:4320
  toolgate pair --list
  toolgate pair --revoke 4f2a81c0`,
  ],
  [
    "toolgate demo",
    `Examples:
  toolgate demo
  toolgate demo --yes --pause 0`,
  ],
  [
    "toolgate chat",
    `Examples:
  toolgate chat
  toolgate chat --model anthropic/claude-sonnet-4-5 "what is in this project?"
  toolgate chat --resume                       continue where you left off
  toolgate chat --agent "gemini --acp"         another agent, under your rules
  toolgate chat --url http://127.0.0.1:4320    one on a server

Exit code: 0 when you left, 2 for wrong usage, 1 otherwise.`,
  ],
  [
    "toolgate models",
    `Examples:
  toolgate models
  toolgate models --json | jq -r '.models[].name'`,
  ],
  [
    "toolgate run",
    `Examples:
  toolgate run "fix the failing test"
  toolgate run --resume -- "and now the other one"
  toolgate run --resume                        answer the last turn's question
  toolgate run --json "look around" | jq .type
  git diff | toolgate run                      the prompt comes from stdin
  toolgate run --agent "gemini --acp" "look around"
  toolgate run --url http://127.0.0.1:4320 "look around"

Exit code: 0 when the turn ended normally, 130 when it was cancelled, 2 for wrong usage, 1 otherwise.`,
  ],
  [
    "toolgate acp",
    `Examples, as an editor's settings name them (see docs/editors.md):
  toolgate acp
  toolgate acp --model anthropic/claude-sonnet-4-5 --models openai/gpt-5
  toolgate acp --listen 4321`,
  ],
  [
    "toolgate serve",
    `Examples:
  toolgate serve
  toolgate serve --model anthropic/claude-sonnet-4-5 --port 8080
  toolgate serve --agent gemini="gemini --acp"`,
  ],
  [
    "toolgate ledger",
    `Examples:
  toolgate ledger check
  toolgate ledger migrate postgres://toolgate@db.internal/toolgate`,
  ],
  [
    "toolgate ledger migrate",
    `Examples:
  toolgate ledger migrate postgres://toolgate@db.internal/toolgate

The password comes from PGPASSWORD, a passfile or the address.`,
  ],
  [
    "toolgate ledger check",
    `Examples:
  toolgate ledger check
  toolgate ledger check postgres://toolgate@db.internal/toolgate

Exit code: 0 when every chain is whole, 1 otherwise.`,
  ],
  [
    "toolgate ledger copy",
    `Examples:
  toolgate ledger copy ~/.local/state/toolgate/ledger.sqlite postgres://toolgate@db.internal/toolgate
  toolgate ledger copy postgres://toolgate@db.internal/toolgate backup.sqlite

Exit code: 0 when every session was copied with the same chain, 1 otherwise.`,
  ],
  [
    "toolgate conformance",
    `Examples:
  toolgate conformance -- toolgate acp --script asks.json --ledger /tmp/trial.sqlite
  toolgate conformance --list --only TOOLGATE-CALL
  toolgate conformance --protocol 2 --only ACP-INIT ACP-STATE -- node my-agent.js
  toolgate conformance --prompt "make notes.txt" --cancel-prompt "count to 1000" -- npx my-agent --acp

Exit code: 0 when every mandatory requirement was tested and passed and nothing advertised failed, 1 otherwise.`,
  ],
  [
    "toolgate rules",
    `Examples:
  toolgate rules list
  toolgate rules test -- git push --force
  toolgate rules explain -- "npm test && rm -rf dist"
  toolgate rules suggest`,
  ],
  [
    "toolgate rules list",
    `Example:
  toolgate rules list`,
  ],
  [
    "toolgate rules add",
    `Examples:
  toolgate rules add '{"allow":"execute","command":"npm test"}'
  toolgate rules add --user '{"deny":"execute","command":"npm publish *"}'`,
  ],
  [
    "toolgate rules revoke",
    `Example:
  toolgate rules revoke 4f2a81c09b7e`,
  ],
  [
    "toolgate rules check",
    `Example:
  toolgate rules check .toolgate/rules.json`,
  ],
  [
    "toolgate rules import",
    `Example:
  toolgate rules import .fast-agent/auths.md`,
  ],
  [
    "toolgate rules trust",
    `Example:
  toolgate rules trust`,
  ],
  [
    "toolgate rules test",
    `Examples:
  toolgate rules test -- npm test
  toolgate rules test --write .git/config
  toolgate rules test --url https://example.com/`,
  ],
  [
    "toolgate rules explain",
    `Examples:
  toolgate rules explain -- "cd web && npm test 2>&1 | tail -20"
  toolgate rules explain --json -- tar xf a.tgz -C build`,
  ],
  [
    "toolgate rules describe",
    `Examples:
  toolgate rules describe mytool
  toolgate rules describe mytool build
  toolgate rules describe --write mytool`,
  ],
  [
    "toolgate rules suggest",
    `Examples:
  toolgate rules suggest
  toolgate rules suggest --days 30 --json
  toolgate rules suggest --take 1f3a9c02`,
  ],
  [
    "toolgate mcp",
    `Example:
  toolgate mcp list`,
  ],
  [
    "toolgate mcp list",
    `Example:
  toolgate mcp list --json`,
  ],
  [
    "toolgate mcp revoke",
    `Example:
  toolgate mcp revoke github --everywhere`,
  ],
  [
    "toolgate history",
    `Examples:
  toolgate history list
  toolgate history search npm test`,
  ],
  [
    "toolgate history list",
    `Example:
  toolgate history list --cwd . --limit 5`,
  ],
  [
    "toolgate history show",
    `Examples:
  toolgate history show
  toolgate history show session_3f --json`,
  ],
  [
    "toolgate history search",
    `Example:
  toolgate history search npm test --tool terminal`,
  ],
  [
    "toolgate history export",
    `Example:
  toolgate history export --format markdown > session.md`,
  ],
  [
    "toolgate history verify",
    `Example:
  toolgate history verify`,
  ],
  [
    "toolgate history delete",
    `Examples:
  toolgate history delete session_3f0c9a
  toolgate history delete --older-than 30 --keep-last 10`,
  ],
  [
    "toolgate stats",
    `Examples:
  toolgate stats --days 7
  toolgate stats --by model --json`,
  ],
  [
    "toolgate undo",
    `Example:
  toolgate undo call_3`,
  ],
  [
    "toolgate ps",
    `Example:
  toolgate ps --json`,
  ],
  [
    "toolgate stop",
    `Example:
  toolgate stop call_3`,
  ],
  [
    "toolgate config",
    `Example:
  toolgate config --json`,
  ],
  [
    "toolgate completion",
    `Example:
  toolgate completion bash >> ~/.bashrc`,
  ],
]);

export function addExamples(command: Command, words: string = command.name()): void {
  const examples = EXAMPLES.get(words);
  if (examples !== undefined) command.addHelpText("after", `\n${examples}`);
  for (const one of command.commands) addExamples(one, `${words} ${one.name()}`);
}
