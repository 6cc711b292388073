/**
 * The page: every question, session and recorded call of all agents.
 *
 * Invariants: all state comes from the server; text of agents is only ever text; nothing is loaded from elsewhere.
 */
import { render } from "preact";
import { App } from "./app.js";
import { takeLinkKey } from "./inbox/link-key.js";
import { startKeys } from "./keys.js";
import { login } from "./login.js";
import { startRouter } from "./route.js";
import { startTheme } from "./theme.js";

startTheme();
startRouter();
startKeys();
const root = document.getElementById("page");
if (root) render(<App />, root);
if (!takeLinkKey()) void login();
