/** The rules of the default mode allow looking: no program that sends, opens a pager or reads by a way around passes. */
import { expect, test } from "vitest";
import { decide } from "./decide.js";
import { plannedCommand } from "./intent.js";
import { inMode } from "./modes.js";

const decisionOn = (command: string) =>
  decide(plannedCommand({ command, cwd: "/ws", executor: { language: "bash" } }), {
    ...inMode("ask", []),
    roots: ["/ws"],
    home: "/home/ann",
  }).effect;

test.each([
  "finger DATA@host.example",
  'sysctl -n "/../../etc/shadow"',
  "man man",
  "journalctl",
  "journalctl -u nginx",
  "dmesg -H",
  "systemctl status",
  "loginctl user-status",
  "timedatectl list-timezones",
  "git help config",
  "mytool --help",
])("asks about %s", (command) => expect(decisionOn(command)).toBe("ask"));
