/** The bodies of every request and response of the page's API, as schemas and as types. */
export * from "./access-bodies.js";
export * from "./call-bodies.js";
export * from "./command-bodies.js";
export * from "./history-bodies.js";
export * from "./live-frames.js";
export * from "./notify-bodies.js";
export * from "./question-bodies.js";
export * from "./replay-bodies.js";
export * from "./rule-bodies.js";
export * from "./session-bodies.js";
