/**
 * The package's surface: the names behind each door, and the files in the tarball.
 *
 * Both are written out by hand, so no name appears or goes by accident. The tests read the built
 * package, as Node and npm would; `npm test` builds it first.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { importTarget, PURE_PACKAGES, readImports } from "./source-imports.js";

type Entry = { readonly types: string; readonly import: string; readonly default: string };
type Names = { readonly values: readonly string[]; readonly types: readonly string[] };

const CALL: Names = {
  values: [
    "BadOption",
    "CALL_STATUS_AFTER",
    "DEFAULT_PAGE_LIMIT",
    "DEFAULT_READ_LIMIT",
    "EMPTY_TEXT",
    "GRANT_EXPIRIES",
    "GRANT_SCOPES",
    "HEAD_LIMIT",
    "IllegalEvent",
    "LedgerError",
    "MAX_PAGE_LIMIT",
    "NO_INPUT",
    "STATISTICS_KEYS",
    "STATUS_AT_END",
    "SessionBook",
    "TAIL_LIMIT",
    "TURN_STATUS_AFTER",
    "TOOL_KINDS",
    "ToolCallIds",
    "absolutePath",
    "allOpenQuestions",
    "allSessions",
    "answerAllows",
    "appendText",
    "applyEvent",
    "bookOfLog",
    "boundText",
    "breachSentence",
    "checkAnswer",
    "completeFields",
    "createToolTitle",
    "diffContent",
    "endSentence",
    "eventPages",
    "fieldCount",
    "fileDiff",
    "foldStored",
    "handleEvent",
    "handleStoredEvent",
    "hiddenCharacters",
    "hunkLocations",
    "hunksInContext",
    "inferToolKind",
    "inputText",
    "isAbsolutePath",
    "isInputFixed",
    "isOver",
    "isToolKind",
    "isYes",
    "joinedEvents",
    "leftOut",
    "lineHunks",
    "mixedWords",
    "notOffered",
    "oneLine",
    "plainJson",
    "planFromTodos",
    "pluralize",
    "questionPage",
    "readAll",
    "readMore",
    "readSessionInfo",
    "runDuration",
    "savedSession",
    "sessionFromSaved",
    "sessionModel",
    "shownQuestion",
    "shownText",
    "stepIdOf",
    "textContent",
    "textSince",
    "thoughtIdOf",
    "visibleText",
    "waitDuration",
  ],
  types: [
    "Annotations",
    "Answer",
    "AnswerReceipt",
    "AppendOptions",
    "Archive",
    "ArchiveProgress",
    "AskedQuestion",
    "AudioBlock",
    "BlockContent",
    "BoundedText",
    "Breach",
    "BrokenLink",
    "CallAnnounced",
    "CallFields",
    "CallProcess",
    "CallQuery",
    "CallStatistics",
    "CallTimes",
    "ChainHead",
    "ChildStep",
    "ClaimOptions",
    "Compaction",
    "ContentBlock",
    "DecidedBy",
    "Decision",
    "DiffContent",
    "DiffHunk",
    "EmbeddedResource",
    "EventOf",
    "EventTable",
    "ExportFormat",
    "FileChange",
    "FileOperation",
    "ForgetOptions",
    "Forgotten",
    "FoundCall",
    "FoundSession",
    "GrantExpiry",
    "GrantScopeName",
    "ImageBlock",
    "KeptFile",
    "KindSource",
    "LearntWindow",
    "Lease",
    "Ledger",
    "LedgerErrorCode",
    "LedgerHealth",
    "LineHunk",
    "Location",
    "Message",
    "MessageRole",
    "Meta",
    "ModelUsage",
    "OfferedGrant",
    "OfferedWidth",
    "OpenQuestionsOptions",
    "OptionKind",
    "Page",
    "PageOptions",
    "PartialInput",
    "Percentiles",
    "Period",
    "PeriodQuery",
    "PlanEntry",
    "PlanPriority",
    "PlanStatus",
    "Progress",
    "Question",
    "QuestionCall",
    "QuestionOption",
    "QuestionPage",
    "ReadOptions",
    "RecordedCompaction",
    "RecordedEvent",
    "Repair",
    "ResourceBlock",
    "ResourceLinkBlock",
    "ResponsePart",
    "SandboxRefusal",
    "SearchHit",
    "SearchQuery",
    "SelectedOption",
    "Session",
    "SessionChanges",
    "SessionEvent",
    "SessionEventType",
    "SessionInfo",
    "SessionListener",
    "SessionModel",
    "SessionQuery",
    "SessionSnapshot",
    "SessionSummary",
    "ShownQuestion",
    "StatisticsKey",
    "StatisticsQuery",
    "Step",
    "StepResponse",
    "StopReason",
    "TerminalContent",
    "TerminalExit",
    "TextBlock",
    "TimelineEntry",
    "ToolAnnotations",
    "ToolCall",
    "ToolCallContent",
    "ToolCallEvent",
    "ToolCallEventType",
    "ToolCallState",
    "ToolCallStatus",
    "ToolKind",
    "Turn",
    "Usage",
    "UsageQuery",
    "Verified",
    "VerifyOptions",
    "WaitingFor",
    "WidthLine",
  ],
};

/** Door → its names. A class or an enum counts as a value; `types` are the names that only types have. */
const DOORS = new Map<string, Names>([
  ["./call", CALL],
  [
    ".",
    {
      values: [
        "AgentSession",
        "CallNotDone",
        "DEFAULT_CONTEXT_WINDOW",
        "DuplicateTool",
        "FlushTimer",
        "Gate",
        "LocalWorkspace",
        "LoopSession",
        "MemoryLedger",
        "ModelError",
        "NoSandbox",
        "NotAFolder",
        "PRICES_AS_OF",
        "PROVIDERS",
        "RecordedSession",
        "SessionRecord",
        "ToolFailure",
        "Toolbox",
        "UndoRefused",
        "allowAll",
        "allowsCommand",
        "builtInTools",
        "costOf",
        "createAgent",
        "decide",
        "defineTool",
        "denyAll",
        "fetchTool",
        "fullResult",
        "grantSentence",
        "hostReach",
        "inMode",
        "intentText",
        "isAppTool",
        "isDelegating",
        "isMode",
        "jsonSchemaCheck",
        "knownPrice",
        "mustBeRules",
        "namesCommand",
        "openGate",
        "openModel",
        "openQuestions",
        "openKeeper",
        "openSandbox",
        "openLedger",
        "parseScript",
        "proposeDenials",
        "proposeGrants",
        "readShell",
        "recoveryEvents",
        "retrying",
        "ruleMistake",
        "scriptedModel",
        "taskTool",
        "undoCall",
        "usageOf",
        "userPrograms",
        "waitForAnswers",
        "waitForTurn",
        "webSearchTool",
      ],
      types: [
        "Agent",
        "AgentOptions",
        "AppTool",
        "Ask",
        "AskReply",
        "AskRequest",
        "CallView",
        "CallsTools",
        "CommandChanges",
        "CommandExit",
        "CommandOptions",
        "Commands",
        "Containment",
        "DelegatingTool",
        "Delegation",
        "EditHunk",
        "Elicit",
        "EventWriter",
        "Executor",
        "FetchOptions",
        "FileInfo",
        "FileType",
        "Files",
        "FolderEntry",
        "FullResult",
        "GateOptions",
        "Gated",
        "Grant",
        "GrantPlaces",
        "GrantScope",
        "GrantWidth",
        "Intent",
        "JsonSchema",
        "JsonSchemaCheck",
        "Judge",
        "KeepLimits",
        "KeepOutcome",
        "KeeperOptions",
        "KeptCommands",
        "KeptWorkspace",
        "LanguageModelV3",
        "LeaseWait",
        "LocalWorkspaceOptions",
        "Loop",
        "LoopSessionOptions",
        "LoopTurn",
        "Mode",
        "ModeRules",
        "ModelErrorCode",
        "ModelPrice",
        "OpenGateOptions",
        "OpenModelOptions",
        "OpenedModel",
        "Overflow",
        "Parsed",
        "PathAccess",
        "PathGuard",
        "Place",
        "Policy",
        "PolicyFor",
        "ProgramData",
        "ProgramFile",
        "Proposal",
        "ProviderName",
        "Reach",
        "ReadCommand",
        "RecordOptions",
        "Remember",
        "RememberedGrant",
        "Retry",
        "RetryOptions",
        "Rule",
        "RuleEffect",
        "RuleScope",
        "Sandbox",
        "SandboxOptions",
        "SandboxPlace",
        "SandboxedCommand",
        "Script",
        "ScriptStep",
        "SearchProvider",
        "SessionHandle",
        "SessionOptions",
        "ShellReading",
        "Submitted",
        "TaskToolOptions",
        "Tool",
        "ToolContext",
        "ToolDefinition",
        "ToolInput",
        "ToolIntent",
        "ToolOrigin",
        "ToolRequest",
        "ToolResult",
        "ToolReturn",
        "ToolSource",
        "ToolTerminal",
        "TurnEnd",
        "UndoOptions",
        "Undone",
        "UnkeptPath",
        "UserPrograms",
        "Verdict",
        "Workspace",
        "WorkspaceKeeper",
        "WrappableTool",
      ],
    },
  ],
  [
    "./policy",
    {
      values: [
        "allowsCommand",
        "decide",
        "grantSentence",
        "hostReach",
        "inMode",
        "intentText",
        "isMode",
        "namesCommand",
        "proposeDenials",
        "proposeGrants",
        "readShell",
        "ruleMistake",
        "userPrograms",
      ],
      types: [
        "Containment",
        "Executor",
        "Grant",
        "GrantPlaces",
        "GrantScope",
        "GrantWidth",
        "Intent",
        "Mode",
        "ModeRules",
        "PathAccess",
        "PathGuard",
        "Policy",
        "ProgramData",
        "ProgramFile",
        "Proposal",
        "Reach",
        "ReadCommand",
        "Rule",
        "RuleEffect",
        "RuleScope",
        "ShellReading",
        "UserPrograms",
        "Verdict",
      ],
    },
  ],
  [
    "./tools",
    {
      values: [
        "DuplicateTool",
        "LocalWorkspace",
        "NoSandbox",
        "NotAFolder",
        "ToolFailure",
        "Toolbox",
        "builtInTools",
        "defineTool",
        "fetchTool",
        "fullResult",
        "isAppTool",
        "isDelegating",
        "jsonSchemaCheck",
        "openKeeper",
        "openSandbox",
        "webSearchTool",
      ],
      types: [
        "AppTool",
        "AskReply",
        "AskRequest",
        "CallView",
        "CommandChanges",
        "CommandExit",
        "CommandOptions",
        "Commands",
        "DelegatingTool",
        "Delegation",
        "FetchOptions",
        "FileInfo",
        "FileType",
        "Files",
        "FolderEntry",
        "FullResult",
        "JsonSchema",
        "JsonSchemaCheck",
        "KeepLimits",
        "KeepOutcome",
        "KeeperOptions",
        "KeptCommands",
        "KeptWorkspace",
        "LocalWorkspaceOptions",
        "Parsed",
        "Sandbox",
        "SandboxOptions",
        "SandboxPlace",
        "SandboxedCommand",
        "SearchProvider",
        "Tool",
        "ToolContext",
        "ToolDefinition",
        "ToolInput",
        "ToolIntent",
        "ToolOrigin",
        "ToolResult",
        "ToolReturn",
        "ToolSource",
        "ToolTerminal",
        "UnkeptPath",
        "Workspace",
        "WorkspaceKeeper",
      ],
    },
  ],
  [
    "./mcp",
    {
      values: ["McpConfigError", "McpServers", "mcpConfigFromAcp", "readMcpConfig"],
      types: [
        "ClientInfo",
        "HttpServerConfig",
        "McpServerConfig",
        "McpServerConfigs",
        "McpServersOptions",
        "ServerState",
        "ServerStatus",
        "ServerToApprove",
        "StdioServerConfig",
      ],
    },
  ],
  [
    "./history",
    {
      values: [
        "LedgerFileError",
        "MemoryArchive",
        "MemoryLedger",
        "RedactedEvents",
        "exportSession",
        "ledgerFileOf",
        "openArchive",
        "openLedger",
        "redact",
        "redactEvent",
        "redactJson",
        "redactSession",
        "redactingLedger",
        "redactionPattern",
        "replaySession",
      ],
      types: [
        "ArchiveOptions",
        "ExportOptions",
        "LedgerFileErrorCode",
        "LedgerOptions",
        "RedactOptions",
        "RedactionPattern",
        "Replayed",
      ],
    },
  ],
  [
    "./acp",
    {
      values: [
        "AgentConnection",
        "AgentTrouble",
        "ForeignSession",
        "RpcError",
        "TitleRequired",
        "V1Encoder",
        "V1Reader",
        "V2Encoder",
        "V2Reader",
        "agentHost",
        "authRequired",
        "commandWords",
        "encodeV1Event",
        "encodeV1Permission",
        "encodeV2Event",
        "readV1Outcome",
        "readV1Permission",
        "serveAcp",
        "serveWire",
        "stdioWire",
        "streamWire",
        "toolCall",
        "toolCallFromUpdate",
        "updateFromToolCall",
        "updateToolCall",
        "writeToolCall",
      ],
      types: [
        "AcpHost",
        "AgentCommand",
        "AgentHostOptions",
        "AgentSetting",
        "AgentTroubleCode",
        "AskedPermission",
        "Choice",
        "ClientSide",
        "Command",
        "ConnectOptions",
        "FilledToolCall",
        "ForeignSessionOptions",
        "HostedSession",
        "KnownAgent",
        "ListedSession",
        "Loop",
        "LoopTurn",
        "ModelChoice",
        "OnBreach",
        "OpenOptions",
        "OpenRequest",
        "ReadResult",
        "ReaderMode",
        "ReaderOptions",
        "RepairName",
        "ServeAcpOptions",
        "ServeWireOptions",
        "ServersOfSession",
        "SessionSoFar",
        "UsedModel",
        "V1PermissionRequest",
        "V1ToolCall",
        "V1ToolCallUpdate",
        "V1Update",
        "V1UpdateFields",
        "V2ToolCallUpdate",
        "V2Update",
        "Wire",
        "WireListener",
      ],
    },
  ],
  [
    "./aap",
    {
      values: ["DuplicateAgent", "createAapServer", "serveAap"],
      types: [
        "AapServer",
        "AapServerOptions",
        "AgentOption",
        "ExternalAgent",
        "ExternalRequest",
        "OptionValues",
        "ServeOptions",
        "ServedAgent",
        "Serving",
      ],
    },
  ],
  [
    "./aap/client",
    {
      values: [
        "AapClient",
        "AapError",
        "OpenCalls",
        "SseParser",
        "connect",
        "messagesFromEvents",
        "pendingCalls",
        "runTurn",
      ],
      types: [
        "AapClientOptions",
        "AapErrorCode",
        "AapErrorDetails",
        "AgentConfig",
        "AgentInfo",
        "AnswerExtras",
        "AnswerOptions",
        "AssistantMessage",
        "Block",
        "CallAnswer",
        "CancelRequest",
        "ClientTool",
        "ConnectionOptions",
        "FollowOptions",
        "HistoryMessage",
        "ImageBlock",
        "JsonObject",
        "MessageContent",
        "Meta",
        "NewSession",
        "OpenQuestion",
        "PendingCalls",
        "Permission",
        "QuestionAnswer",
        "QuestionList",
        "QuestionSetting",
        "RecordedSessionEvent",
        "RunTurnOptions",
        "RunTurnRequest",
        "ServerToolRef",
        "ServerToolSpec",
        "SessionInfo",
        "SessionPage",
        "SseFrame",
        "StopReason",
        "StreamMode",
        "SystemMessage",
        "TextBlock",
        "ThinkingBlock",
        "ToolMessage",
        "ToolPermission",
        "ToolSpec",
        "ToolUseBlock",
        "Turn",
        "TurnEvent",
        "TurnMessage",
        "TurnOptions",
        "TurnRequest",
        "TurnResult",
        "UserMessage",
      ],
    },
  ],
  [
    "./serve/client",
    {
      values: ["ServeClient", "ServeError"],
      types: [
        "AddedRule",
        "AgentChoice",
        "AnswerRequest",
        "Answered",
        "CallDetail",
        "CallEntry",
        "CallEvents",
        "CancelRequest",
        "Cancelled",
        "CommandOutput",
        "CommandPart",
        "CommandQuery",
        "CommandReading",
        "Commands",
        "Compacted",
        "Device",
        "DeviceRole",
        "Devices",
        "EarlierAnswers",
        "EntriesPage",
        "EntriesQuery",
        "ExportFormat",
        "FileNames",
        "FileQuery",
        "FolderQuery",
        "GrantWidth",
        "HistoryCall",
        "HistoryMessage",
        "HistoryPage",
        "HistoryQuery",
        "Inbox",
        "InboxQuestion",
        "KeyStore",
        "LifeEvent",
        "LinkedAnswerRequest",
        "ListedRule",
        "LiveFrame",
        "LiveOptions",
        "LiveQuery",
        "LiveStatus",
        "LoginRequest",
        "Me",
        "MessageEntry",
        "NewRule",
        "NewSession",
        "NewSessionRequest",
        "Notifications",
        "NotifyTest",
        "Pairing",
        "PairingRequest",
        "PartVerdict",
        "PromptBlock",
        "PromptRequest",
        "Prompted",
        "PushSubscription",
        "QuestionDetail",
        "QuestionLink",
        "QuestionLinkRequest",
        "QuestionQuery",
        "QuestionState",
        "RecordedSessionEvent",
        "ReplayMoment",
        "ReplayQuery",
        "RuleList",
        "RuleTest",
        "RuleTested",
        "ServeClientOptions",
        "ServeErrorCode",
        "SessionChange",
        "SessionDetail",
        "SessionDoor",
        "SessionEntry",
        "SessionPage",
        "SessionQuery",
        "SessionState",
        "SessionSummary",
        "SessionTurn",
        "Statistics",
        "StatisticsQuery",
        "StopRequest",
        "Stopped",
        "SuggestionQuery",
        "Suggestions",
        "TokenUsage",
        "TrustRequest",
        "TurnLiveness",
        "UndoRequest",
        "Undone",
      ],
    },
  ],
  [
    "./view",
    {
      values: [
        "Gutter",
        "MAX_QUESTION_LINES",
        "alikeText",
        "callCard",
        "callText",
        "clipped",
        "columns",
        "compactionLine",
        "diffCard",
        "diffLines",
        "durationText",
        "failedCommand",
        "hiddenWords",
        "kindIcon",
        "learntWindowLine",
        "liveCallLines",
        "questionFacts",
        "sessionMarkdown",
        "sessionText",
        "statusMark",
        "wholeQuestion",
        "wholeQuestions",
        "widthsText",
      ],
      types: [
        "CallCard",
        "CallCardOptions",
        "CallTextOptions",
        "CardBlock",
        "CardDecision",
        "CardEnd",
        "CardLocation",
        "CardQuestion",
        "CardStatus",
        "DiffCard",
        "DiffRow",
        "LiveCallOptions",
        "SessionTextOptions",
      ],
    },
  ],
]);

/** A path that is no door yet is checked from the day it becomes one. */
const BROWSER_SAFE = ["./call", "./policy", "./view", "./aap/client", "./serve/client"];

const BESIDE_DIST = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "package.json",
  "schema/programs.json",
  "schema/rules.json",
];
const MAX_FILES = 2_310;
/** The tarball has the bundled command beside the library, the program descriptions in both, and the page. */
const MAX_BYTES = 10_720_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const {
  "./package.json": _,
  "./schema/rules.json": __,
  "./schema/programs.json": ___,
  ...doors
} = manifest.exports;
const entries = new Map<string, Entry>(Object.entries(doors));
const bins = Object.values(manifest.bin);

describe("doors", () => {
  test("package.json opens exactly the doors of the list", () => {
    const doorsOpen = [...entries.keys()].sort();
    expect(doorsOpen, "a new door needs its row in DOORS, a closed one loses it").toEqual(
      [...DOORS.keys()].sort(),
    );
  });

  let names: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    names = importDoors();
  });

  test.each([...DOORS])("%s has exactly the names of the list", (door, listed) => {
    const entry = entryOf(door);
    const values = names.get(door) ?? [];
    const declared = declaredNames(entry.types);
    const built = { values, types: declared.filter((name) => !values.includes(name)) };
    const difference = surfaceDifference(door, listed, built);
    if (difference) throw new Error(difference);
    expect(declared, `${entry.types} must declare each value of ${entry.import}`).toEqual(
      expect.arrayContaining([...values]),
    );
  });

  test("require() has the names of import", () => {
    const program = `
      for (const door of process.argv.slice(1)) {
        const names = Object.keys(require(door)).filter((name) => name !== "__esModule" && name !== "module.exports");
        console.log(door, names.sort().join());
      }`;
    const imports = [...DOORS.keys()].map((door) => posix.join(manifest.name, door));
    const args = ["--input-type=commonjs", "-e", program, ...imports];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    const expected = [...names].map(([door, list]) => `${posix.join(manifest.name, door)} ${list.join()}`);
    expect(stdout.trim().split("\n"), stderr).toEqual(expected);
  });

  test("the declarations can be read by TypeScript 5.6, whose arrays of bytes have no type parameter", () => {
    const newer =
      /\b(?:Buffer|DataView|ArrayBufferView|(?:Big)?(?:Ui|I)nt(?:8|16|32|64)(?:Clamped)?Array|Float(?:32|64)Array)</;
    const declarations = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".d.ts"),
    );
    expect(declarations.length).toBeGreaterThan(100);
    const wrong = declarations.filter((path) => newer.test(readBuilt(join("dist", path)) ?? ""));
    expect(wrong, "give the type a name, so that the compiler does not write it out").toEqual([]);
  });

  test.each(BROWSER_SAFE.filter((door) => entries.has(door)))("%s can be loaded by a browser", (door) => {
    const wrong = notForBrowsers(entryOf(door).import, readBuilt);
    expect(wrong, "take it as an argument, or move the code behind a door for Node only").toEqual([]);
  });

  test("reports a difference with the names to paste", () => {
    const listed = { values: ["kept", "gone"], types: ["Kept"] };
    const built = { values: ["kept", "added"], types: ["Added", "Kept"] };
    expect(surfaceDifference("./call", listed, listed)).toBeUndefined();
    expect(surfaceDifference("./call", listed, built)).toBe(
      [
        `toolgate/call differs from its list in DOORS, test/surface.test.ts.`,
        `  values listed but missing from the build: "gone"`,
        `  values built but not listed: "added"`,
        `  types built but not listed: "Added"`,
        `If this is meant, say so in CHANGELOG.md and paste:`,
        `  ["./call", { values: ["added", "kept"], types: ["Added", "Kept"] }],`,
      ].join("\n"),
    );
  });

  test("finds an import that a browser cannot load behind any number of files", () => {
    const files = new Map([
      ["dist/call/index.js", `export * from "./a.js"; import "./gone.js"`],
      ["dist/call/a.js", `import "../b.js"; const later = () => import("fs"); import "./index.js"`],
      ["dist/b.js", `import "left-pad/x"; const any = (name) => import(name)`],
    ]);
    expect(notForBrowsers("./dist/call/index.js", (path) => files.get(path))).toEqual([
      `dist/call/a.js:1 imports "fs", a Node builtin`,
      "dist/call/gone.js is imported and does not exist",
      `dist/b.js:1 imports "left-pad/x", a package that is not in PURE_PACKAGES`,
      `dist/b.js:1 imports what is only known at run time`,
    ]);
  });
});

describe("the tarball", () => {
  let packed: Packed;
  let paths: string[];
  beforeAll(() => {
    packed = pack();
    paths = packed.files.map((file) => file.path);
  });

  test("has each page that its README links to", () => {
    const readme = readFileSync(`${root}README.md`, "utf8");
    const linked = [...readme.matchAll(/\]\(([^):#]+\.md)\)/g)].map(([, path = ""]) => path);
    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test("has the build, the pages, the schema of rules and the files every package has, nothing else", () => {
    const isPage = (path: string) => /^docs\/.*\.md$/.test(path);
    const outside = paths.filter((path) => !path.startsWith("dist/") && !isPage(path));
    expect(outside.sort(), "files of package.json decides what is packed").toEqual(BESIDE_DIST);
  });

  test("has no tests and no build stamp", () => {
    const strange = paths.filter((path) => /\/\.|\.(?:test|contract|samples)\./.test(path));
    expect(strange, "leave them out in tsconfig.build.json or in files of package.json").toEqual([]);
  });

  test("has each file that package.json points to", () => {
    const targets = [...entries.values()].flatMap((entry) => Object.values(entry)).concat(bins);
    const missing = targets.filter((target) => !paths.includes(posix.normalize(target)));
    expect(missing, "exports or bin of package.json name them, and they are not packed").toEqual([]);
  });

  test("stays small", () => {
    expect(packed.unpackedSize, "bytes, unpacked").toBeLessThan(MAX_BYTES);
    expect(paths.length, "files").toBeLessThanOrEqual(MAX_FILES);
  });

  test.each(bins)("%s can be started by its name", (bin) => {
    expect(readBuilt(bin)?.split("\n")[0]).toBe("#!/usr/bin/env node");
  });
});

/** The names of every door as a user's Node sees them, by the package's own name and without a bundler between. */
function importDoors(): ReadonlyMap<string, readonly string[]> {
  const program = `
    const names = {};
    for (const door of process.argv.slice(1)) names[door] = Object.keys(await import(door)).sort();
    process.stdout.write(JSON.stringify(names));`;
  const listed = [...DOORS.keys()];
  const imports = listed.map((door) => posix.join(manifest.name, door));
  const args = ["--input-type=module", "-e", program, ...imports];
  const options = { cwd: root, encoding: "utf8", timeout: 120_000 } as const;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (signal)
    throw new Error(
      `Importing ${imports.join(", ")} keeps Node from ending. A door starts nothing by itself.`,
    );
  if (status !== 0)
    throw new Error(`Importing the doors in Node failed. Are they built (npm test)?\n${stderr}`);
  const names = JSON.parse(stdout) as Record<string, readonly string[]>;
  return new Map(listed.map((door, index) => [door, names[imports[index] ?? ""] ?? []]));
}

function declaredNames(path: string, seen = new Set<string>()): string[] {
  if (seen.has(posix.normalize(path))) return [];
  seen.add(posix.normalize(path));
  const text = readBuilt(path);
  if (text === undefined) throw new Error(`${path} does not exist. Is it built (npm test)?`);

  const names = parseSync(path, text).module.staticExports.flatMap(({ entries: exported }) =>
    exported.flatMap(({ exportName, moduleRequest }) => {
      if (exportName.name !== null) return exportName.name;
      if (moduleRequest === null) return "default";
      if (importTarget(moduleRequest.value).kind !== "path")
        throw new Error(
          `${path} exports everything of "${moduleRequest.value}", so that package decides what our door holds. Export its names one by one.`,
        );
      const target = posix.join(posix.dirname(path), moduleRequest.value).replace(/\.js$/, ".d.ts");
      return declaredNames(target, seen).filter((name) => name !== "default");
    }),
  );
  return [...new Set(names)].sort();
}

function surfaceDifference(door: string, listed: Names, built: Names): string | undefined {
  const lines = (["values", "types"] as const).flatMap((kind) => {
    const missing = listed[kind].filter((name) => !built[kind].includes(name));
    const added = built[kind].filter((name) => !listed[kind].includes(name));
    return [
      ...(missing.length > 0 ? [`  ${kind} listed but missing from the build: ${quoted(missing)}`] : []),
      ...(added.length > 0 ? [`  ${kind} built but not listed: ${quoted(added)}`] : []),
    ];
  });
  if (lines.length === 0) return undefined;
  return [
    `${posix.join(manifest.name, door)} differs from its list in DOORS, test/surface.test.ts.`,
    ...lines,
    "If this is meant, say so in CHANGELOG.md and paste:",
    `  ["${door}", { values: [${quoted(built.values)}], types: [${quoted(built.types)}] }],`,
  ].join("\n");
}

function quoted(names: readonly string[]): string {
  return [...names]
    .sort()
    .map((name) => JSON.stringify(name))
    .join(", ");
}

/** Follows the imports of a built file, dynamic ones included, and lists those that no browser could load. */
function notForBrowsers(entry: string, read: (path: string) => string | undefined): string[] {
  const wrong: string[] = [];
  // A loop over a set also visits entries added during it.
  const reached = new Set([posix.normalize(entry)]);
  for (const path of reached) {
    const text = read(path);
    if (text === undefined) wrong.push(`${path} is imported and does not exist`);
    for (const { specifier, line } of text === undefined ? [] : readImports({ path, text })) {
      const target = specifier === undefined ? undefined : importTarget(specifier);
      if (specifier === undefined || target === undefined)
        wrong.push(`${path}:${line} imports what is only known at run time`);
      else if (target.kind === "path") reached.add(posix.join(posix.dirname(path), specifier));
      else if (target.kind === "builtin")
        wrong.push(`${path}:${line} imports "${specifier}", a Node builtin`);
      else if (!PURE_PACKAGES.includes(target.name))
        wrong.push(`${path}:${line} imports "${specifier}", a package that is not in PURE_PACKAGES`);
    }
  }
  return wrong;
}

type Packed = { readonly files: { readonly path: string }[]; readonly unpackedSize: number };

function pack(): Packed {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  // npm is a shell script on Windows, which needs the shell to be found.
  const options = { cwd: root, encoding: "utf8", shell: process.platform === "win32" } as const;
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${stderr}`);
  const [packed]: Packed[] = JSON.parse(stdout);
  if (!packed) throw new Error(`npm ${args.join(" ")} packed nothing: ${stdout}`);
  return packed;
}

function entryOf(door: string): Entry {
  const entry = entries.get(door);
  if (!entry)
    throw new Error(
      `${door} is in DOORS and not in exports of package.json. Add it there, or remove it here.`,
    );
  return entry;
}

function readBuilt(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}
